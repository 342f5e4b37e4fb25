//! Soft delete: with the defaults, and with every option.

use crud_runtime::prelude::*;

/// Soft delete with nothing else said. The state is declared, the deletion timestamp is no filter.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/notes", filter(title, rank), sort(title, rank), pagination, soft_delete)]
pub struct Note {
    /// The key.
    pub id: i64,
    /// The title.
    #[crud(length(min = 1))]
    pub title: String,
    /// Rank among the notes.
    pub rank: Option<i32>,
    /// Set at creation.
    #[crud(created_at)]
    pub created_at: DateTime<Utc>,
    /// Set at every change.
    #[crud(updated_at)]
    pub updated_at: DateTime<Utc>,
    /// Whether it is deleted.
    pub is_deleted: bool,
    /// Time of deletion.
    pub deleted_at: Option<DateTime<Utc>>,
}

/// Soft delete with every option, under other names, keyed by text, without pages. The state is not declared.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(
    prefix = "/drafts",
    rename_all = "camelCase",
    filter(word_count, removed_at),
    sort(word_count, removed_at),
    soft_delete(include_deleted_by_default, auto_restore_on_update),
    audit
)]
pub struct Draft {
    /// The key.
    #[crud(id, filter(off), sort(off))]
    pub slug: String,
    /// Length in words.
    #[crud(range(min = 0))]
    pub word_count: i32,
    /// Set at every change.
    #[crud(updated_at)]
    pub touched_at: DateTime<Utc>,
    /// Time of removal.
    #[crud(deleted_at)]
    pub removed_at: Option<DateTime<Utc>>,
}

/// Is deleted and changed, but neither restored nor purged, over HTTP.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/kept", operations(except(restore, purge)), pagination, soft_delete)]
pub struct Kept {
    /// The key.
    pub id: i64,
    /// The name.
    pub name: String,
    /// Time of deletion.
    pub deleted_at: Option<DateTime<Utc>>,
}
