//! Functions of `computed` with another signature.

mod functions {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Todo {
        pub id: i64,
        #[crud(computed(Todo::without_request))]
        pub url: String,
        #[crud(computed(Todo::borrowed))]
        pub title: String,
        #[crud(computed(of_another))]
        pub link: String,
        #[crud(computed(misspelt))]
        pub page: String,
    }

    impl Todo {
        fn without_request(&self) -> String {
            String::new()
        }

        fn borrowed(&self, _: &RequestContext<'_>) -> &'static str {
            ""
        }
    }

    #[derive(Resource)]
    pub struct Note {
        pub id: i64,
    }

    fn of_another(_: &Note, _: &RequestContext<'_>) -> String {
        String::new()
    }
}
