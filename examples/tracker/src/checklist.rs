use crud_runtime::prelude::*;

use crate::Issue;

/// An item of an issue's checklist, which is written with the issue.
#[derive(Debug, Clone, Resource)]
#[crud(
    admin(hide),
    prefix = "/checklist",
    filter(issue_id, done),
    sort(position),
    pagination,
    operations(list, get),
    scope(role("guest"), issue::assignee::user_id(me))
)]
pub struct ChecklistItem {
    pub id: i64,
    #[crud(tenant)]
    pub team_id: i64,
    #[crud(references(Issue, on_delete(cascade)))]
    pub issue_id: i64,
    #[crud(length(min = 1, max = 200))]
    pub text: String,
    #[crud(default = false)]
    pub done: bool,
    #[crud(default = 0)]
    pub position: i32,
}
