//! Lists without pagination, and with a clamped limit.

use crud_runtime::prelude::*;

/// No query feature at all: the list is a plain array.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/bare")]
pub struct Bare {
    /// The key.
    pub id: i64,
    /// The name.
    pub name: String,
}

/// Filters and sorts, but no pages: a long list is streamed.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/entries", table = "entries", filter, sort, default_sort(id))]
pub struct Entry {
    /// The key.
    pub id: i64,
    /// The text.
    pub text: String,
    /// To sort by.
    pub flag: Option<bool>,
    /// To sort by.
    pub number: Option<i32>,
    /// To sort by.
    pub score: Option<f64>,
    /// To sort by.
    pub amount: Option<Decimal>,
    /// To sort by.
    pub moment: Option<DateTime<Utc>>,
    /// To sort by.
    pub uuid: Option<Uuid>,
}

/// A limit above the largest is the largest.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/v1/clamped", pagination(default_limit = 2, max_limit = 3, over_limit(clamp)))]
pub struct Clamped {
    /// The key.
    pub id: i64,
    /// The name.
    pub name: String,
}

/// Pages that follow one another by cursors, in orders with nulls and ties.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(
    prefix = "/steps",
    filter(title, rank),
    sort(title, rank, weight),
    default_sort(rank, desc(title)),
    pagination(default_limit = 3, max_limit = 100, cursor),
    soft_delete
)]
pub struct Step {
    /// The key.
    pub id: i64,
    /// Some have the same.
    pub title: String,
    /// Some have none, and some the same.
    pub rank: Option<i32>,
    /// Some have none.
    pub weight: Option<f64>,
    /// Whether it is gone.
    pub deleted_at: Option<DateTime<Utc>>,
}
