//! The tables of the numbering, and of the places of subscribers in the process.

use crud_runtime::Result;
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

/// The place up to which a subscriber was called, in the table `events_subscriber`.
#[derive(Debug, Clone, Resource)]
#[crud(table = "events_subscriber", internal)]
pub(crate) struct SubscriberRecord {
    /// The subscriber's name.
    #[crud(length(max = 100))]
    pub(crate) id: String,
    /// The number of the last event that it has taken.
    pub(crate) position: i64,
    /// The server that calls it.
    #[crud(length(max = 36))]
    pub(crate) holder: String,
    pub(crate) held_until: DateTime<Utc>,
}

impl SubscriberRecord {
    /// The least number that a subscriber has taken, of those that were called within `time`.
    pub(crate) async fn least_position(app: &App, time: TimeDelta) -> Result<Option<i64>> {
        let fields = Self::FIELDS;
        let called = Select::from(fields.held_until.gt(app.now() - time));
        let least = called.order_by(fields.position.asc()).limit(1);
        Ok(app.store::<Self>().pluck(fields.position, least).await?.first().copied())
    }
}
