//! `unique(case_insensitive)` on what has no letter case, or misspelt.

mod of_what_is_not_text {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, PartialEq, Eq, ResourceEnum)]
    pub enum State {
        Open,
        Done,
    }

    #[derive(Resource)]
    #[crud(unique(number, state, case_insensitive(number, state)))]
    pub struct Ticket {
        #[crud(unique(case_insensitive))]
        pub id: String,
        #[crud(unique(case_insensitive))]
        pub number: i64,
        #[crud(unique(case_insensitive))]
        pub token: Option<Uuid>,
        pub state: State,
        #[crud(unique(case_insensitive))]
        pub tags: Vec<String>,
        #[crud(unique(case_insensitive), references(Ticket))]
        pub follows: Option<String>,
    }
}

mod misspelt {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(
        soft_delete,
        unique(shop, email, case_insensitive(mail)),
        unique(shop, email, case_insensitive(phone)),
        unique(shop, email, case_insensitive(email, email)),
        unique(shop, phone, case_insensitive),
        unique(phone, email, case_insensitive())
    )]
    pub struct Customer {
        pub id: i64,
        pub shop: i64,
        pub email: String,
        #[crud(unique(case_insensitive, active, global))]
        pub phone: String,
        #[crud(unique(case_insensitive, case_insensitive))]
        pub name: String,
        #[crud(unique(ignore_case))]
        pub handle: String,
        #[crud(unique(case_insensitive, global))]
        pub passport: String,
        pub deleted_at: Option<DateTime<Utc>>,
    }
}

mod with_an_upsert {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(unique(shop, handle, case_insensitive(handle)), upsert(email), upsert(shop, handle))]
    pub struct Customer {
        pub id: i64,
        #[crud(unique(case_insensitive))]
        pub email: String,
        pub shop: i64,
        pub handle: String,
    }
}
