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
