use crud_runtime::prelude::*;

use crate::{Issue, Team};

/// A label of a team.
#[derive(Debug, Clone, Resource)]
#[crud(filter(name), sort(name), pagination)]
pub struct Label {
    pub id: i64,
    #[crud(tenant, references(Team, on_delete(cascade)))]
    pub team_id: i64,
    #[crud(unique, length(min = 1, max = 40))]
    pub name: String,
}

/// A label of an issue.
#[derive(Debug, Clone, Resource)]
#[crud(internal, scope(role("guest"), issue::assignee::user_id(me)))]
pub struct IssueLabel {
    #[crud(tenant)]
    pub team_id: i64,
    #[crud(id, references(Issue, on_delete(cascade)))]
    pub issue_id: i64,
    #[crud(id, references(Label, on_delete(cascade)))]
    pub label_id: i64,
}
