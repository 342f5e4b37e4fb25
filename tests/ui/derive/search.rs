//! `search`: fields without words, and names that filters have.

mod beside_a_filter_of_its_name {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(filter(q), search(name))]
    struct Product {
        id: i64,
        name: String,
        q: i32,
    }
}

mod malformed {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(search)]
    struct Flag {
        id: i64,
        name: String,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(search())]
    struct Empty {
        id: i64,
        name: String,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(search(language = "english"))]
    struct Fieldless {
        id: i64,
        name: String,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(search(name, language = "englisch"))]
    struct Misspelt {
        id: i64,
        name: String,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(search(name, lang = "english"))]
    struct UnknownKey {
        id: i64,
        name: String,
    }
}

mod of_a_secret {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(search(title, token, password, salary))]
    struct User {
        id: i64,
        title: String,
        #[crud(hidden, default = "")]
        token: String,
        #[crud(write_only)]
        password: String,
        #[crud(visible(role("admin")))]
        salary: Option<String>,
    }
}

mod of_a_view {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(view("SELECT 1 AS id, 'a' AS name", reads()), search(name))]
    struct Product {
        id: i64,
        name: String,
    }
}
