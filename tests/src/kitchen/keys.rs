//! Every type of key except `i64`.

use crud_runtime::prelude::*;

/// Keyed by text that the client gives.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/tags", filter, sort, pagination)]
pub struct Tag {
    /// The key.
    #[crud(id)]
    pub slug: String,
    /// Label for people to read.
    pub label: Option<String>,
}

/// Keyed by a UUID that the service gives.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/devices", filter, sort, pagination)]
pub struct Device {
    /// The key.
    pub id: Uuid,
    /// The name.
    pub name: String,
}

/// Keyed by an `i32`; its table has a CHECK that only the database knows, where a test adds one.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/counters", sort, pagination)]
pub struct Counter {
    /// The key.
    pub id: i32,
    /// The count.
    #[crud(default = 0)]
    pub amount: i32,
}
