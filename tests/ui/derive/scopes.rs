//! Scopes: paths over references, rules of writing and times, malformed or of what the struct does not have.

mod forms {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(
        scope(write),
        scope(write, author_id),
        scope(write, author_id(you)),
        scope(write, author_id(me), within),
        scope(write, author_id(me), within(created_at)),
        scope(write, author_id(me), within(created_at, "soon")),
        scope(write, author_id(me), within(created_at, "15m"), more),
        scope(write, except(everyone), author_id(me)),
        scope(role("guest"), author_id(me), within(created_at, "15m")),
        scope(role("guest"), author::name = claim("name")),
        scope(role("guest"), any(author_id(me))),
        scope(role("guest"), any(authors::name(me), more))
    )]
    pub struct Remark {
        pub id: i64,
        pub author_id: i64,
        #[crud(created_at)]
        pub created_at: DateTime<Utc>,
    }
}

mod paths {
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    pub struct Issue {
        pub id: i64,
        pub assignee_id: i64,
    }

    #[derive(Resource)]
    #[crud(
        has_many(replies(Comment::parent_id)),
        scope(role("a"), isue::assignee_id(me)),
        scope(role("b"), replies::author_id(me)),
        scope(role("c"), any(issue::assignee_id(me))),
        scope(write, author_id(me), within(author_id, "15m")),
        scope(write, author_id(me), within(created, "15m"))
    )]
    pub struct Comment {
        pub id: i64,
        #[crud(references(Issue))]
        pub issue_id: i64,
        #[crud(references(Comment))]
        pub parent_id: Option<i64>,
        pub author_id: i64,
    }
}
