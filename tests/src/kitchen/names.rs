//! Names that differ between the struct, JSON and storage; enums.

use crud_runtime::prelude::*;

/// Every way to rename, and every kind of enum.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/tickets", rename_all = "camelCase", filter, sort, pagination, unique(assigned_to, queue_position))]
pub struct Ticket {
    /// The key.
    #[crud(id)]
    pub ticket_id: i64,
    /// Renamed by the struct.
    pub short_title: String,
    /// Renamed by itself, to what a pointer must escape.
    #[crud(rename = "a/b~c")]
    pub odd: Option<String>,
    /// Named otherwise in storage.
    #[crud(column = "priority_text", default(Priority::Normal))]
    pub ticket_priority: Priority,
    /// Variants renamed.
    #[crud(default(State::InProgress))]
    pub state: State,
    /// Unique together with the position.
    pub assigned_to: Option<String>,
    /// Unique together with the assignee.
    pub queue_position: Option<i32>,
    /// A keyword.
    pub r#type: Option<String>,
    /// Set at creation.
    #[crud(created_at)]
    pub opened_at: DateTime<Utc>,
    /// Set at every change.
    #[crud(updated_at)]
    pub touched_at: DateTime<Utc>,
}

/// Variants as they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
pub enum Priority {
    /// Whenever.
    Low,
    /// Soon.
    Normal,
    /// Now.
    High,
}

/// Variants renamed: by rule, and one by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
#[crud(rename_all = "snake_case")]
pub enum State {
    /// `in_progress`
    InProgress,
    /// `done!`
    #[crud(rename = "done!")]
    Done,
}
