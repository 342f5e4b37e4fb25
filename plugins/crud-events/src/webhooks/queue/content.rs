//! The content of messages.

use bytes::Bytes;
use crud_runtime::error::Problem;
use serde_json::json;

use crate::entry::Entry;
use crate::view::Told;
use crate::webhooks::pattern::matches;
use crate::webhooks::sender::Sender;
use crate::webhooks::table::delivery::Delivery;
use crate::webhooks::table::webhook::Webhook;

/// The type of the message that tests a webhook.
pub(crate) const TEST: &str = "webhook.test";

/// The type of the message after which the receiver reads its records again, as events are missing.
pub(crate) const RESET: &str = "reset";

/// The content of a delivery, with the record as the webhook sees it now.
#[derive(Debug)]
pub(crate) enum Content {
    Body(Bytes),
    /// There is nothing to send, for this reason.
    Nothing(&'static str),
}

/// The content of a delivery. Messages of the service itself have no record.
///
/// # Errors
/// When the database fails.
pub(crate) async fn content(sender: &Sender, webhook: &Webhook, delivery: &Delivery) -> Result<Content, Problem> {
    if delivery.seq == 0 || delivery.kind == RESET {
        return Ok(Content::Body(own(delivery, &delivery.kind)));
    }
    let core = sender.core();
    let Some(entries) = entries(sender, delivery).await? else { return Ok(Content::Body(own(delivery, RESET))) };
    if entries.is_empty() {
        return Ok(Content::Nothing("the event is no longer kept"));
    }
    let told = core.views.render(webhook.principal().as_ref(), &entries).await?;
    // Events of the program between the changes have deliveries of their own.
    let event = match told.last().map(|of| &of.told) {
        None => return Ok(Content::Nothing("the webhook does not see the record")),
        // Whether the webhook saw the record before is no longer known, so the receiver may have it.
        Some(Told::Reset(_)) => return Ok(Content::Body(own(delivery, RESET))),
        Some(Told::Event(_, event)) => event,
    };
    if !matches(&webhook.types, &event.kind) {
        return Ok(Content::Nothing("the webhook is not sent events of the type"));
    }
    serde_json::to_vec(event).map(|bytes| Content::Body(bytes.into())).map_err(Problem::internal)
}

/// The entries of the log that the event of a delivery tells; empty if they are no longer kept, and `None` if they are
/// more than are read.
///
/// # Errors
/// When the database fails.
async fn entries(sender: &Sender, delivery: &Delivery) -> Result<Option<Vec<Entry>>, Problem> {
    let log = &sender.core().log;
    let at = async |seq: i64| {
        let found = log.after(seq - 1, 1).await?;
        Ok::<_, Problem>(found.into_iter().find(|entry| entry.seq == seq))
    };
    let Some(last) = at(delivery.seq).await? else { return Ok(Some(Vec::new())) };
    let mut entries = Vec::new();
    if let Some(first) = delivery.first_seq
        && let Some(first) = at(first).await?
    {
        let ids = (first.log_id, last.log_id);
        let Some(between) = log.between(last.resource, std::slice::from_ref(&last.key), ids).await? else {
            return Ok(None);
        };
        entries.push(first);
        // The event has the number of its last change.
        entries.extend(between.into_iter().map(|entry| Entry { seq: last.seq, ..entry }));
    }
    entries.push(last);
    Ok(Some(entries))
}

/// The body of a message without a record.
fn own(delivery: &Delivery, kind: &str) -> Bytes {
    let timestamp = delivery.created_at;
    let body = json!({ "id": delivery.event_id, "type": kind, "timestamp": timestamp, "data": null });
    body.to_string().into()
}
