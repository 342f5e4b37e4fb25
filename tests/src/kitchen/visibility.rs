//! Visibility of fields, and the operations that HTTP offers.

use crud_runtime::prelude::*;

/// A field for every kind of visibility.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/accounts", filter(name), sort(name), pagination)]
pub struct Account {
    /// The key.
    pub id: i64,
    /// Seen and set by all.
    pub name: String,
    /// Seen, not set.
    #[crud(read_only, default = 0)]
    pub balance: i64,
    /// Set, not seen.
    #[crud(write_only, length(min = 8))]
    pub password: String,
    /// Neither seen nor set.
    #[crud(hidden)]
    pub note: Option<String>,
    /// Set once.
    #[crud(immutable)]
    pub country: String,
    /// Set once, or never.
    #[crud(immutable)]
    pub referrer: Option<String>,
    /// Set at creation.
    #[crud(created_at)]
    pub created_at: DateTime<Utc>,
}

/// Can be read and created over HTTP, not changed or removed.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/fixed", operations(except(update, delete)))]
pub struct Fixed {
    /// The key.
    pub id: i64,
    /// The name.
    pub name: String,
}
