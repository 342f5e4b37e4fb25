//! References to what is not there or has another key, and filters of other records.

mod filter_of_another_record {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(filter)]
    pub struct Category {
        pub id: i64,
        pub name: String,
        pub texts: Vec<String>,
    }

    #[derive(Resource)]
    #[crud(filter(categry::name, category::nam, category::texts, category::name, category::name))]
    pub struct Product {
        pub id: i64,
        #[crud(references(Category))]
        pub category_id: i64,
    }

    #[derive(Resource)]
    #[crud(filter(category_name, category::name))]
    pub struct Offer {
        pub id: i64,
        #[crud(references(Category))]
        pub category_id: i64,
        pub category_name: String,
    }
}

mod to_another_key {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Team {
        pub id: String,
    }

    #[derive(Resource)]
    pub struct Badge {
        pub id: i64,
        #[crud(references(Team))]
        pub team_id: i64,
        #[crud(references(Team))]
        pub other_id: Option<Uuid>,
    }
}

mod to_composite_key {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Line {
        #[crud(id)]
        pub order_id: i64,
        #[crud(id)]
        pub code: String,
    }

    #[derive(Resource)]
    pub struct Remark {
        pub id: i64,
        #[crud(references(Line))]
        pub order_id: i64,
    }
}

mod to_nothing {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Part {
        pub id: i64,
        #[crud(references(Nothing))]
        pub nothing_id: i64,
    }
}

mod to_users {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Note {
        pub id: i64,
        #[crud(references(users))]
        pub author: String,
    }
}
