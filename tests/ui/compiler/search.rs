//! Searches of resources without words, and words of fields that are not text.

mod of_a_store_without {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    struct Part {
        id: i64,
        name: String,
    }

    async fn of(parts: Store<Part>) {
        let _ = parts.list(Select::all().search("desk lamp")).await;
    }
}

mod of_what_is_not_text {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, PartialEq, ResourceEnum)]
    enum State {
        Draft,
        Done,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(search(title, price, tags, state, titel, title))]
    struct Article {
        id: i64,
        title: String,
        price: f64,
        tags: Vec<String>,
        state: State,
    }
}
