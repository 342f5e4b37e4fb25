//! `tenant(members(…))`: malformed, or of fields that are no user and no role.

mod malformed {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Member {
        pub id: i64,
        #[crud(tenant(members))]
        pub team_id: i64,
        #[crud(unique)]
        pub user_id: i64,
    }

    #[derive(Resource)]
    pub struct Seat {
        pub id: i64,
        #[crud(tenant(members(user_id, role, since)))]
        pub team_id: i64,
        #[crud(unique)]
        pub user_id: i64,
        pub role: String,
        pub since: NaiveDate,
    }

    #[derive(Resource)]
    pub struct Place {
        pub id: i64,
        #[crud(tenant(members(user, rol)))]
        pub team_id: i64,
        #[crud(unique)]
        pub user_id: i64,
        pub role: String,
    }
}

mod wrong_fields {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Member {
        pub id: i64,
        #[crud(tenant(members(user_id)))]
        pub team_id: i64,
        pub user_id: i64,
    }

    #[derive(Resource)]
    #[crud(unique(user_id, role))]
    pub struct Several {
        pub id: i64,
        #[crud(tenant(members(user_id, role)))]
        pub team_id: i64,
        pub user_id: i64,
        #[crud(length(max = 40))]
        pub role: String,
    }

    #[derive(Resource)]
    pub struct Optional {
        pub id: i64,
        #[crud(tenant(members(user_id, since)))]
        pub team_id: i64,
        #[crud(unique)]
        pub user_id: Option<i64>,
        pub since: NaiveDate,
    }

    #[derive(Resource)]
    pub struct Itself {
        pub id: i64,
        #[crud(tenant(members(team_id, team_id)))]
        pub team_id: i64,
    }
}

mod keep {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Without {
        pub id: i64,
        #[crud(tenant(members(user_id, keep = "owner")))]
        pub team_id: i64,
        #[crud(unique)]
        pub user_id: i64,
        pub role: String,
    }

    #[derive(Resource)]
    pub struct Misspelt {
        pub id: i64,
        #[crud(tenant(members(user_id, role, kep = "owner")))]
        pub team_id: i64,
        #[crud(unique)]
        pub user_id: i64,
        pub role: String,
    }

    #[derive(Resource)]
    pub struct Several {
        pub id: i64,
        #[crud(tenant(members(user_id, roles, keep = "owner")))]
        pub team_id: i64,
        #[crud(unique)]
        pub user_id: i64,
        pub roles: Vec<String>,
    }

    #[derive(Resource)]
    pub struct Gone {
        pub id: i64,
        #[crud(tenant(members(user_id, role, keep = "owner")))]
        pub team_id: i64,
        #[crud(unique, references(users, on_delete(cascade)))]
        pub user_id: i64,
        pub role: String,
    }
}

fn main() {}
