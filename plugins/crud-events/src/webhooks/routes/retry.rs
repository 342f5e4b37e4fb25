//! `POST /webhook-deliveries/{id}/retry`.

use crud_runtime::error::{Code, Problem};
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, Record};

use crate::webhooks::queue::add::lock;
use crate::webhooks::sender::Sender;
use crate::webhooks::table::delivery::{Delivery, DeliveryPatch, DeliveryStatus};
use crate::webhooks::table::progress::{Progress, ProgressPatch};

/// Sends a finished delivery again, after the record's unfinished deliveries.
pub(super) async fn retry(ctx: Context, delivery: Record<Delivery>) -> Result<Record<Delivery>, Problem> {
    let (app, id) = (ctx.app().unscoped(), delivery.id);
    let retried = app.transaction(async |tx| -> crud_runtime::Result<Delivery> {
        let progresses = tx.store::<Progress>();
        let missing = || Problem::of(Code::NotFound);
        let progress = lock(&progresses, delivery.webhook_id).await?.ok_or_else(missing)?;
        let deliveries = tx.store::<Delivery>();
        let is_first =
            deliveries.count_up_to(Delivery::unfinished_of(delivery.webhook_id, &delivery.subject), 1).await? == 0;
        let fields = Delivery::FIELDS;
        let finished = fields.status.not_in([DeliveryStatus::Waiting, DeliveryStatus::Pending]);
        let status = if is_first { DeliveryStatus::Pending } else { DeliveryStatus::Waiting };
        let patch = DeliveryPatch::default()
            .status(status)
            .attempts(0)
            .next_attempt_at(is_first.then(|| app.now()))
            .finished_at(None::<DateTime<Utc>>);
        let refuse = || Problem::new(Code::Conflict, "the delivery is not finished");
        let retried = deliveries.update_if(id, finished, patch).await?.ok_or_else(refuse)?;
        let unfinished = progress.unfinished + 1;
        progresses.update(progress.id, ProgressPatch::default().unfinished(unfinished)).await?;
        Ok(retried)
    });
    let retried = retried.await?;
    ctx.extension::<Sender>()?.wake().notify_one();
    Ok(Record(retried))
}
