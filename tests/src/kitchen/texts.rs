//! Full-text search.

use crud_runtime::prelude::*;

/// A search beside filters, orders, cursors and soft delete.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(
    prefix = "/essays",
    search(title, body),
    export,
    import(max_rows = 1500),
    filter(title, grade),
    sort(title, grade),
    pagination(default_limit = 20, max_limit = 100, cursor),
    soft_delete,
    audit
)]
pub struct Essay {
    /// The key.
    pub id: i64,
    /// The first of the searched fields.
    pub title: String,
    /// The second one.
    pub body: Option<String>,
    /// To filter by.
    pub grade: Option<i32>,
    /// Whether it is gone.
    pub deleted_at: Option<DateTime<Utc>>,
}

/// A search in a language, of records whose keys are no numbers.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/poems", search(text, language = "english"))]
pub struct Poem {
    /// The key.
    pub id: Uuid,
    /// The searched field.
    #[crud(rename = "verses")]
    pub text: String,
}

/// A text of any length.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/scrolls", filter(text), pagination)]
pub struct Scroll {
    /// The key.
    pub id: i64,
    /// The text.
    #[crud(length(unbounded))]
    pub text: String,
}
