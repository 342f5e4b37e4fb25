//! `deprecated` and `moved_from` on a struct.

mod days {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(deprecated(since = "2026-02-30", sunset = "soon", link = "example"))]
    pub struct Product1 {
        pub id: i64,
    }

    #[derive(Resource)]
    #[crud(deprecated(since = "2026-12-31", sunset = "2026-01-01", until = "2027-01-01"))]
    pub struct Product2 {
        pub id: i64,
    }
}

mod prefixes {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(prefix = "/v2/products", moved_from("v1/products", "/v2/products", "/v2/products/old", 5))]
    pub struct Product3 {
        pub id: i64,
    }
}
