//! `default` and `backfill` that the field's rules refuse.

mod against_its_rules {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Customer {
        pub id: i64,
        #[crud(validate(email), default = "nobody")]
        pub email: String,
        #[crud(length(min = 3), default = "a")]
        pub name: String,
        #[crud(length(max = 3), column(backfill = "none yet"))]
        pub code: String,
        #[crud(range(min = 1, max = 5), default = 0)]
        pub stars: i32,
        #[crud(range(max = 0.5), default = 1.5)]
        pub rebate: f64,
        #[crud(validate(one_of("new", "old")), default = "odd")]
        pub state: String,
        #[crud(validate(one_of(1, 2)), default = -1)]
        pub level: i64,
        #[crud(range(min = 0), default = 0.0)]
        pub sum: f64,
    }
}

mod of_the_database {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Copy, PartialEq, ResourceEnum)]
    pub enum State {
        Open,
        Done,
    }

    #[derive(Resource)]
    #[crud(upsert(code), soft_delete)]
    pub struct Parcel {
        #[crud(default(database))]
        pub id: i64,
        #[crud(unique, default(database))]
        pub code: String,
        #[crud(default(datbase))]
        pub label: String,
        #[crud(default())]
        pub note: String,
        #[crud(default(database), column(backfill = "new"))]
        pub place: String,
        #[crud(default(database), transitions(finish(Open, Done)))]
        pub state: State,
        #[crud(created_at, default(database))]
        pub created_at: DateTime<Utc>,
        #[crud(owner, default(database))]
        pub keeper_id: Option<i64>,
        #[crud(default(database))]
        pub deleted_at: Option<DateTime<Utc>>,
        #[crud(default = 1, default(database))]
        pub count: i32,
    }

    #[derive(Schema)]
    pub struct Finish {
        #[crud(default(database))]
        pub at: DateTime<Utc>,
    }
}
