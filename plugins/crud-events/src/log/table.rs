//! The tables of the numbering.

use crud_runtime::prelude::*;

/// The key of the one row of [`HeadRecord`].
pub(crate) const HEAD: &str = "events";

/// The state of the numbering, in the table `events_head`, which has one row: who numbers locks it.
#[derive(Debug, Clone, Resource)]
#[crud(table = "events_head", internal)]
pub(crate) struct HeadRecord {
    #[crud(length(max = 10))]
    pub(crate) id: String,
    pub(crate) last: i64,
    pub(crate) high: i64,
    /// The watched intervals: `[[102,103]]`.
    pub(crate) open: serde_json::Value,
}

/// Entries that were numbered at once, in the table `events_batch`.
#[derive(Debug, Clone, Resource)]
#[crud(table = "events_batch", internal)]
pub(crate) struct BatchRecord {
    pub(crate) id: i64,
    /// The number of its last entry.
    #[crud(unique)]
    pub(crate) last: i64,
    /// Number of its entries.
    pub(crate) entries: i64,
    /// The greatest id of the log among them.
    #[crud(index)]
    pub(crate) high: i64,
    /// The least one.
    pub(crate) low: i64,
    /// Ids of the log, in the order of their numbers: `[[101,101],[104,110]]`.
    pub(crate) ids: serde_json::Value,
    #[crud(index)]
    pub(crate) at: DateTime<Utc>,
}
