//! [`Progress`]: the place of a webhook in the log.

use crud_runtime::prelude::*;

use super::webhook::Webhook;

/// The place of a webhook in the log, in the table `events_progress`. Its row is the lock of the webhook's queue: a transaction
/// that adds deliveries or ends one locks it first.
#[derive(Debug, Clone, Resource)]
#[crud(table = "events_progress", internal)]
pub(crate) struct Progress {
    /// The webhook.
    #[crud(id(client), references(Webhook, on_delete(cascade)))]
    pub(crate) id: i64,
    /// The number of the last event for which there is a delivery, if the webhook is sent it.
    pub(crate) position: i64,
    /// The number of deliveries that are not finished.
    pub(crate) unfinished: i64,
    /// The time of the first attempt that failed since the last one that succeeded.
    pub(crate) failing_since: Option<DateTime<Utc>>,
}

impl NewProgress {
    /// The progress of a new webhook, which is sent the events after `position`.
    pub(crate) const fn of(webhook: i64, position: i64) -> Self {
        Self { id: webhook, position, unfinished: 0, failing_since: None }
    }
}
