//! [`Delivery`]: the resource of messages to receivers.

use crud_runtime::Result;
use crud_runtime::prelude::*;

use super::webhook::Webhook;

/// The state of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
#[crud(rename_all = "snake_case")]
pub(crate) enum DeliveryStatus {
    /// An earlier event of the same record is delivered first.
    Waiting,
    /// It is sent at its time.
    Pending,
    /// The receiver has answered with a status of 200 to 299.
    Delivered,
    /// The last attempt has failed.
    Failed,
    /// The webhook no longer sees the record, or is no longer sent events of the type.
    Skipped,
}

/// A message to a receiver: an event for a webhook, with the outcome of the last attempt to send it.
#[derive(Debug, Clone, Resource)]
#[crud(
    table = "events_delivery",
    prefix = "/webhook-deliveries",
    api_name = "WebhookDelivery",
    tags("Webhooks"),
    admin(title(kind), list(kind, status, attempts, response_status, event_id, next_attempt_at, finished_at), hide),
    access(all(role("admin"))),
    scope(public, tenant(tenant)),
    operations(list, get),
    filter(webhook_id, event_id, kind, status, created_at),
    sort(id, created_at, next_attempt_at),
    default_sort(desc(id)),
    pagination,
    unique(webhook_id, event_id),
    index(status, next_attempt_at),
    index(webhook_id, subject)
)]
pub(crate) struct Delivery {
    pub(crate) id: i64,
    #[crud(references(Webhook, expand, on_delete(cascade)))]
    pub(crate) webhook_id: i64,
    /// The id of the event, which each attempt sends as `webhook-id`.
    #[crud(length(max = 60))]
    pub(crate) event_id: String,
    /// The type of the event, such as `product.updated`.
    #[crud(rename = "type", column = "kind", length(max = 200))]
    pub(crate) kind: String,
    pub(crate) status: DeliveryStatus,
    /// The number of attempts, of at most 10.
    pub(crate) attempts: i32,
    /// The time of the next attempt; none while it waits, and while the webhook is not active.
    pub(crate) next_attempt_at: Option<DateTime<Utc>>,
    pub(crate) last_attempt_at: Option<DateTime<Utc>>,
    #[crud(index)]
    pub(crate) finished_at: Option<DateTime<Utc>>,
    /// The status of the last answer; none where there was no answer.
    pub(crate) response_status: Option<i32>,
    /// The beginning of the last answer's body.
    #[crud(length(max = 600))]
    pub(crate) response_body: Option<String>,
    /// The reason for which the last attempt has failed.
    #[crud(length(max = 300))]
    pub(crate) error: Option<String>,
    /// The tenant of the webhook, as text.
    #[crud(hidden, default = "", length(max = 255))]
    pub(crate) tenant: String,
    /// The number of the event in the log; 0 for a message of the service itself.
    #[crud(hidden)]
    pub(crate) seq: i64,
    /// The number of the first change that the event tells, where it tells several.
    #[crud(hidden)]
    pub(crate) first_seq: Option<i64>,
    /// The record, by its resource and its key: events of one are delivered one after the other.
    #[crud(hidden, length(max = 400))]
    pub(crate) subject: String,
    /// The time until which an attempt has the delivery.
    #[crud(hidden)]
    pub(crate) leased_until: Option<DateTime<Utc>>,
    /// The random text of that attempt.
    #[crud(hidden, length(max = 36))]
    pub(crate) lease: Option<String>,
    #[crud(created_at)]
    pub(crate) created_at: DateTime<Utc>,
}

impl Delivery {
    /// The condition on a webhook's unfinished deliveries of one record.
    pub(crate) fn unfinished_of(webhook: i64, subject: &str) -> impl Into<Select<Self>> + use<> {
        let fields = Self::FIELDS;
        let of_record = fields.webhook_id.eq(webhook).and(fields.subject.eq(subject));
        of_record.and(fields.status.is_in([DeliveryStatus::Waiting, DeliveryStatus::Pending]))
    }

    /// Makes the deliveries of a webhook due that is active again.
    pub(crate) async fn resume(store: &Store<Self>, webhook: i64, now: DateTime<Utc>) -> Result<()> {
        let fields = Self::FIELDS;
        let parked = fields.webhook_id.eq(webhook).and(fields.status.eq(DeliveryStatus::Pending));
        let parked = parked.and(fields.next_attempt_at.is_null());
        store.update_where(parked, DeliveryPatch::default().next_attempt_at(now)).await.map(drop)
    }
}
