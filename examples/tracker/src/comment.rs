use crud_runtime::prelude::*;

use crate::Issue;

/// A comment on an issue. Its author, who is the sender of the request, can change it for a quarter of an hour.
#[derive(Debug, Clone, Resource)]
#[crud(
    filter(issue_id, author_id),
    sort(created_at),
    default_sort(created_at),
    pagination,
    audit,
    access(write(any(role("member"), role("guest")))),
    scope(role("guest"), issue::assignee::user_id(me)),
    scope(write, author_id(me), within(created_at, "15m"))
)]
pub struct Comment {
    pub id: i64,
    #[crud(tenant(except(role("support"))))]
    pub team_id: i64,
    #[crud(references(Issue))]
    pub issue_id: i64,
    pub author_id: i64,
    #[crud(length(min = 1, max = 4_000))]
    pub text: String,
    #[crud(created_at)]
    pub created_at: DateTime<Utc>,
}
