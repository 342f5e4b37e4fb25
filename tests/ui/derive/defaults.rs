//! `default` and `backfill` that the field's rules refuse.

mod against_its_rules {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Customer {
        pub id: i64,
        #[crud(email, default = "nobody")]
        pub email: String,
        #[crud(min_length = 3, default = "a")]
        pub name: String,
        #[crud(max_length = 3, backfill = "none yet")]
        pub code: String,
        #[crud(min = 1, max = 5, default = 0)]
        pub stars: i32,
        #[crud(max = 0.5, default = 1.5)]
        pub rebate: f64,
        #[crud(one_of("new", "old"), default = "odd")]
        pub state: String,
        #[crud(one_of(1, 2), default = -1)]
        pub level: i64,
        #[crud(min = 0, default = 0.0)]
        pub sum: f64,
    }
}
