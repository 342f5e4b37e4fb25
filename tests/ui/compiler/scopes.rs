//! Scopes over a field that the other resource does not have, or that cannot be compared.

mod fields {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Issue {
        pub id: i64,
        pub assignee_id: i64,
        pub details: serde_json::Value,
    }

    #[derive(Resource)]
    #[crud(scope(role("guest"), issue::asignee_id(me)), scope(role("b"), issue::details(claim("details"))))]
    pub struct Comment {
        pub id: i64,
        #[crud(references(Issue))]
        pub issue_id: i64,
    }
}
