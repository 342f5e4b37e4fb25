use crud_runtime::prelude::*;

use crate::{ChecklistItem, Issue, Member, Priority, Status};

/// An issue that is not done, with what the board shows beside it.
#[derive(Debug, Clone, Resource)]
#[crud(view(include_str!("board.sql"), reads(Issue, Member, ChecklistItem)))]
#[crud(
    table = "board",
    prefix = "/board",
    filter(status, priority, assignee),
    sort(priority, due, assignee),
    default_sort(desc(priority), due),
    pagination,
    scope(role("guest"), user_id(me))
)]
pub struct Card {
    pub id: i64,
    #[crud(tenant)]
    pub team_id: i64,
    pub title: String,
    pub status: Status,
    pub priority: Priority,
    pub due: Option<NaiveDate>,
    pub assignee: Option<String>,
    pub user_id: Option<i64>,
    pub open_items: i64,
    #[crud(computed(Card::url))]
    pub url: String,
}

impl Card {
    fn url(&self, request: &RequestContext<'_>) -> String {
        request.url(&format!("/issues/{}", self.id))
    }
}
