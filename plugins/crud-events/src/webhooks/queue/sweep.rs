//! Removal of old deliveries.

use crud_runtime::Result;
use crud_runtime::prelude::*;

use super::add::lock;
use crate::webhooks::table::delivery::{Delivery, DeliveryStatus};
use crate::webhooks::table::progress::{Progress, ProgressPatch};

/// The time for which a finished delivery is kept.
const KEEP: TimeDelta = TimeDelta::days(7);

/// The time for which a failed delivery, or an unsent one of an inactive webhook, is kept.
const KEEP_FAILED: TimeDelta = TimeDelta::days(30);

/// Number of rows that are removed at once.
const STEP: u64 = 500;

/// Removes deliveries that are older than they are kept, in steps, and returns their number.
///
/// # Errors
/// When the database fails.
pub(crate) async fn sweep(app: &App) -> Result<u64> {
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

async fn step(app: &App, over: crud_runtime::query::Condition<Delivery>) -> Result<u64> {
    let store = app.store::<Delivery>();
    let ids = store.pluck(Delivery::FIELDS.id, over.clone().limit(STEP)).await?;
    // The condition is repeated, as a retry may have made one of them unfinished again.
    if ids.is_empty() { Ok(0) } else { store.delete_where(Delivery::FIELDS.id.is_in(ids).and(over)).await }
}

/// Removes old deliveries that inactive webhooks have not sent, under the locks of their queues.
async fn sweep_unsent(app: &App) -> Result<u64> {
    let (fields, old) = (Delivery::FIELDS, app.now() - KEEP_FAILED);
    let unsent = || {
        let unfinished = fields.status.is_in([DeliveryStatus::Waiting, DeliveryStatus::Pending]);
        unfinished.and(fields.created_at.lt(old))
    };
    let mut removed = 0;
    while let Some(first) = app.store::<Delivery>().first(unsent()).await? {
        let webhook = first.webhook_id;
        removed += app
            .transaction(async |tx| -> Result<u64> {
                let progresses = tx.store::<Progress>();
                let Some(progress) = lock(&progresses, webhook).await? else { return Ok(0) };
                let of_webhook = unsent().and(fields.webhook_id.eq(webhook));
                let ids = tx.store::<Delivery>().pluck(fields.id, of_webhook.limit(STEP)).await?;
                let count = tx.store::<Delivery>().delete_where(fields.id.is_in(ids)).await?;
                let left = progress.unfinished - i64::try_from(count).unwrap_or_default();
                progresses.update(webhook, ProgressPatch::default().unfinished(left.max(0))).await?;
                Ok(count)
            })
            .await?;
    }
    Ok(removed)
}
