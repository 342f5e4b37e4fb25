//! `hidden`, `read_only`, `write_only` and `immutable` that contradict each other.

mod hidden_and_more {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(hidden, read_only, write_only, immutable)]
        pub note: Option<String>,
    }
}

mod hidden_without_default {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(hidden)]
        pub note: String,
    }
}

mod read_only_and_immutable {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(read_only, immutable)]
        pub note: Option<String>,
    }
}

mod read_only_and_write_only {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(read_only, write_only)]
        pub note: Option<String>,
    }
}

mod read_only_without_default {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        pub id: i64,
        #[crud(read_only)]
        pub rating: f64,
    }
}

/// No error: HTTP creates none of these records.
mod hidden_where_the_program_creates {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(operations(list, get))]
    pub struct Token {
        pub id: i64,
        #[crud(hidden)]
        pub hash: String,
        #[crud(read_only)]
        pub kind: String,
        #[crud(visible(role("admin")))]
        pub owner: String,
    }

    #[derive(Resource)]
    #[crud(operations(except(create)))]
    pub struct Key {
        pub id: i64,
        #[crud(hidden)]
        pub hash: String,
    }

    #[derive(Resource)]
    #[crud(internal)]
    pub struct Secret {
        pub id: i64,
        #[crud(hidden)]
        pub hash: String,
    }

    fn creates() -> NewToken {
        NewToken { hash: String::new(), kind: String::new(), owner: String::new() }
    }
}
