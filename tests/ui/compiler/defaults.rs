//! `default` and `backfill` of another type than the field's.

mod backfill {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Product {
        #[crud(column(backfill = 5))]
        pub id: i64,
        #[crud(column(backfill = "none"))]
        pub note: Option<String>,
        #[crud(column(backfill = 5))]
        pub title: String,
        #[crud(column(backfill))]
        pub stock: i64,
    }
}

mod of_another_type {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Part {
        pub id: i64,
        #[crud(default = "many")]
        pub stock: i32,
        #[crud(default = 5)]
        pub name: String,
        #[crud(default = 1.5)]
        pub count: Option<i64>,
        #[crud(default(None))]
        pub flag: bool,
    }
}

mod text_for_an_enum {
    use crud_runtime::prelude::*;

    #[derive(ResourceEnum)]
    pub enum Status {
        Pending,
    }

    #[derive(Resource)]
    pub struct Order {
        pub id: i64,
        #[crud(default = "Pending")]
        pub status: Status,
    }
}

mod unknown_name {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Shelf {
        pub id: i64,
        #[crud(default(EMPTY))]
        pub name: String,
    }
}
