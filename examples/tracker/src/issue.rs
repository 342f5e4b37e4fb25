use crud_runtime::prelude::*;

use crate::{ChecklistItem, Comment, IssueLabel, Member, Team};

/// Status of the work on an issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
#[crud(ordered, rename_all = "snake_case")]
pub enum Status {
    Open,
    #[crud(label = "In progress")]
    Doing,
    Done,
}

/// Urgency of an issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
#[crud(ordered, stored(integer), rename_all = "snake_case")]
pub enum Priority {
    Low = 1,
    Normal = 2,
    High = 3,
    #[crud(label = "As soon as possible")]
    Urgent = 4,
}

/// A piece of work. Guests see those that are assigned to them.
#[derive(Debug, Clone, Resource)]
#[crud(
    filter(title, status, priority, due, assignee_id, created_at, assignee::user_id),
    sort(title, priority, due, created_at),
    default_sort(desc(priority), created_at),
    pagination,
    search(title, text),
    soft_delete,
    audit,
    aggregate(group_by(status, priority, assignee_id, created_at), over(estimate)),
    has_many(
        comments(Comment::issue_id, sort(created_at)),
        checklist(ChecklistItem::issue_id, nested, sort(position))
    ),
    many_to_many(labels(IssueLabel)),
    scope(role("guest"), assignee::user_id(me))
)]
pub struct Issue {
    pub id: i64,
    #[crud(tenant(except(role("support"))), references(Team))]
    pub team_id: i64,
    #[crud(length(min = 1, max = 200))]
    pub title: String,
    #[crud(length(max = 4_000), default = "")]
    pub text: String,
    #[crud(
        default(Status::Open),
        transitions(
            start(Open, Doing, any(role("member"), role("guest"))),
            finish(any(Open, Doing), Done, any(role("member"), role("guest"))),
            reopen(Done, Open, role("member"))
        )
    )]
    pub status: Status,
    #[crud(default(Priority::Normal))]
    pub priority: Priority,
    #[crud(references(Member, expand))]
    pub assignee_id: Option<i64>,
    /// The hours that it takes.
    #[crud(range(min = 0, max = 1000))]
    pub estimate: Option<i32>,
    pub due: Option<NaiveDate>,
    #[crud(computed(Issue::url))]
    pub url: String,
    #[crud(created_at)]
    pub created_at: DateTime<Utc>,
    #[crud(updated_at)]
    pub updated_at: DateTime<Utc>,
    pub deleted_at: Option<DateTime<Utc>>,
}

impl Issue {
    fn url(&self, request: &RequestContext<'_>) -> String {
        request.url(&format!("/issues/{}", self.id))
    }
}
