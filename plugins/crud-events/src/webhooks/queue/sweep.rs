//! Removal of old deliveries.

use crud_runtime::Result;
use crud_runtime::prelude::*;
use crud_runtime::query::Condition;

use super::add::{Added, create, lock};
use super::content::RESET;
use super::fan_out::store_positions;
use super::finish::send_next;
use crate::webhooks::sender::Sender;
use crate::webhooks::table::delivery::{Delivery, DeliveryStatus};
use crate::webhooks::table::progress::{Progress, ProgressPatch};
use crate::webhooks::table::webhook::Webhook;

/// The time for which a finished delivery is kept.
const KEEP: TimeDelta = TimeDelta::days(7);

/// The time for which a failed delivery, or an unsent one of an inactive webhook, is kept.
const KEEP_FAILED: TimeDelta = TimeDelta::days(30);

/// Number of rows that are removed at once.
const STEP: u64 = 500;

/// Removes deliveries that are older than they are kept, in steps, and returns their number. Stores the positions of
/// webhooks in the log.
///
/// # Errors
/// When the database fails.
pub(crate) async fn sweep(sender: &Sender, app: &App) -> Result<u64> {
    store_positions(sender, app).await?;
    let (fields, now) = (Delivery::FIELDS, app.now());
    let mut removed = 0;
    loop {
        let done = fields.status.is_in([DeliveryStatus::Delivered, DeliveryStatus::Skipped]);
        let done = done.and(fields.finished_at.lt(now - KEEP));
        let failed = fields.status.eq(DeliveryStatus::Failed).and(fields.finished_at.lt(now - KEEP_FAILED));
        let (done, failed) = (step(app, done).await?, step(app, failed).await?);
        removed += done + failed;
        if done < STEP && failed < STEP {
            break;
        }
    }
    Ok(removed + sweep_unsent(app).await?)
}

async fn step(app: &App, over: Condition<Delivery>) -> Result<u64> {
    let store = app.store::<Delivery>();
    let ids = store.pluck(Delivery::FIELDS.id, over.clone().limit(STEP)).await?;
    // The condition is repeated, as a retry may have made one of them unfinished again.
    if ids.is_empty() { Ok(0) } else { store.delete_where(Delivery::FIELDS.id.is_in(ids).and(over)).await }
}

/// Removes old deliveries that inactive webhooks have not sent, under the locks of their queues. The next delivery of each
/// record becomes the first, and the receiver is sent a `reset`, as it misses events.
async fn sweep_unsent(app: &App) -> Result<u64> {
    let now = app.now();
    let mut removed = 0;
    while let Some(first) = app.store::<Delivery>().first(unsent(now)).await? {
        match app.transaction(async |tx| sweep_queue(tx, first.webhook_id, now).await).await? {
            // The webhook was deleted meanwhile.
            0 => break,
            count => removed += count,
        }
    }
    Ok(removed)
}

/// The condition on unfinished deliveries that are too old now.
fn unsent(now: DateTime<Utc>) -> Condition<Delivery> {
    let fields = Delivery::FIELDS;
    let unfinished = fields.status.is_in([DeliveryStatus::Waiting, DeliveryStatus::Pending]);
    unfinished.and(fields.created_at.lt(now - KEEP_FAILED))
}

/// Removes old unsent deliveries of a webhook, at most `STEP`, and returns their number.
async fn sweep_queue(tx: &Tx<'_>, webhook: i64, now: DateTime<Utc>) -> Result<u64> {
    let (progresses, deliveries, fields) = (tx.store::<Progress>(), tx.store::<Delivery>(), Delivery::FIELDS);
    let Some(progress) = lock(&progresses, webhook).await? else { return Ok(0) };
    let of_webhook = unsent(now).and(fields.webhook_id.eq(webhook));
    let lost = deliveries.list(of_webhook.order_by(fields.id.asc()).limit(STEP)).await?;
    let count = deliveries.delete_where(fields.id.is_in(lost.iter().map(|it| it.id))).await?;
    for first in lost.iter().filter(|it| it.status == DeliveryStatus::Pending) {
        send_next(&deliveries, first, now).await?;
    }
    let is_missed = lost.iter().any(|it| it.seq > 0 || it.kind == RESET);
    let is_told = !is_missed || deliveries.count_up_to(Delivery::unfinished_of(webhook, RESET), 1).await? > 0;
    let mut unfinished = progress.unfinished - i64::try_from(count).unwrap_or_default();
    if !is_told {
        let webhook = tx.store::<Webhook>().get(webhook).await?;
        let added = Added {
            event_id: format!("reset-{}", Uuid::new_v4()),
            kind: RESET.to_owned(),
            seq: 0,
            first_seq: None,
            subject: RESET.to_owned(),
        };
        create(&deliveries, &webhook, vec![added], now).await?;
        unfinished += 1;
    }
    progresses.update(webhook, ProgressPatch::default().unfinished(unfinished.max(0))).await?;
    Ok(count)
}
