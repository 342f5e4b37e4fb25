//! `aggregate`: its fields, and the names that a request has beside them.

mod fields {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(aggregate)]
    pub struct Order1 {
        pub id: i64,
    }

    #[derive(Resource)]
    #[crud(aggregate(group_by(statu), over(price, secret, flag, tags), max_groups = 0))]
    pub struct Order2 {
        pub id: i64,
        pub status: String,
        pub price: i64,
        #[crud(hidden, default = "")]
        pub secret: String,
        pub flag: bool,
        pub tags: Vec<String>,
    }

    #[derive(Resource)]
    #[crud(filter(sum), aggregate(group_by(count), over(sum)))]
    pub struct Order3 {
        pub id: i64,
        pub count: i64,
        pub sum: i64,
    }

    #[derive(Resource)]
    #[crud(operations(list, aggregate), access(aggregate(public)))]
    pub struct Order4 {
        pub id: i64,
    }
}
