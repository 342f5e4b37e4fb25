//! The end of an attempt: its outcome is stored, and the next event of the record becomes due.

use crud_runtime::Result;
use crud_runtime::error::Code;
use crud_runtime::prelude::*;

use super::add::lock;
use super::attempt::{Attempted, Outcome};
use crate::webhooks::backoff::next_attempt;
use crate::webhooks::table::delivery::{Delivery, DeliveryPatch, DeliveryStatus};
use crate::webhooks::table::progress::{Progress, ProgressPatch};
use crate::webhooks::table::webhook::{Webhook, WebhookPatch};

/// Time without a success after which a failed delivery deactivates the webhook.
const DEAD: TimeDelta = TimeDelta::days(3);

/// Stores the outcome of an attempt, unless another server has taken the delivery since.
///
/// # Errors
/// When the database fails.
pub(crate) async fn finish(app: &App, delivery: &Delivery, outcome: Outcome) -> Result<()> {
    app.transaction(async |tx| {
        let (progresses, now) = (tx.store::<Progress>(), app.now());
        let Some(progress) = lock(&progresses, delivery.webhook_id).await? else { return Ok(()) };
        let deliveries = tx.store::<Delivery>();
        let patch = patch(delivery, &outcome, now);
        let is_finished = !matches!(&patch, Next::Again(_));
        let own = Delivery::FIELDS.lease.eq(delivery.lease.clone());
        let stored = match deliveries.update_if(delivery.id, own, patch.into_patch()).await {
            Err(crud_runtime::Error::Problem(problem)) if problem.code() == Code::NotFound => None,
            stored => stored?,
        };
        if stored.is_none() {
            return Ok(());
        }
        if is_finished {
            send_next(&deliveries, delivery, now).await?;
        }
        let changed = progressed(&progress, &outcome, is_finished, now);
        progresses.update(progress.id, changed).await?;
        if let Some(reason) = reason_to_end(&progress, &outcome, is_finished, now) {
            let ended = WebhookPatch::default().active(false).disabled_because(reason.to_owned());
            tx.store::<Webhook>().update(delivery.webhook_id, ended).await?;
            tracing::warn!(webhook = delivery.webhook_id, reason, "a webhook is no longer active");
        }
        Ok(())
    })
    .await
}

/// The delivery after an attempt.
enum Next {
    Again(DeliveryPatch),
    Finished(DeliveryPatch),
}

impl Next {
    fn into_patch(self) -> DeliveryPatch {
        match self {
            Self::Again(patch) | Self::Finished(patch) => patch,
        }
    }
}

fn patch(delivery: &Delivery, outcome: &Outcome, now: DateTime<Utc>) -> Next {
    let attempts = delivery.attempts + i32::from(outcome.result != Attempted::Skipped);
    let answer = outcome.answer.as_ref();
    let patch = DeliveryPatch::default()
        .attempts(attempts)
        .last_attempt_at(now)
        .response_status(answer.map(|answer| i32::from(answer.status)))
        .response_body(answer.map(|answer| answer.body.clone()))
        .error(outcome.error.clone())
        .leased_until(None::<DateTime<Utc>>)
        .lease(None::<String>);
    let finished = |status: DeliveryStatus, patch: DeliveryPatch| {
        Next::Finished(patch.status(status).next_attempt_at(None::<DateTime<Utc>>).finished_at(now))
    };
    match outcome.result {
        Attempted::Delivered => finished(DeliveryStatus::Delivered, patch),
        Attempted::Skipped => finished(DeliveryStatus::Skipped, patch),
        Attempted::Unwanted => finished(DeliveryStatus::Failed, patch),
        Attempted::Failed { wish } => match next_attempt(attempts, now, wish, jitter()) {
            Some(time) => Next::Again(patch.next_attempt_at(time)),
            None => finished(DeliveryStatus::Failed, patch),
        },
    }
}

/// A random number from 0 to 1, which spreads the attempts of many deliveries.
fn jitter() -> f64 {
    f64::from(Uuid::new_v4().as_fields().0) / f64::from(u32::MAX)
}

/// Makes the next event of the record due.
///
/// # Errors
/// When the database fails.
pub(super) async fn send_next(deliveries: &Store<Delivery>, done: &Delivery, now: DateTime<Utc>) -> Result<()> {
    let fields = Delivery::FIELDS;
    let of_record = fields.webhook_id.eq(done.webhook_id).and(fields.subject.eq(&*done.subject));
    let waiting = of_record.and(fields.status.eq(DeliveryStatus::Waiting));
    let Some(next) = deliveries.first(waiting.order_by(fields.seq.asc()).order_by(fields.id.asc())).await? else {
        return Ok(());
    };
    let due = DeliveryPatch::default().status(DeliveryStatus::Pending).next_attempt_at(now);
    deliveries.update(next.id, due).await.map(drop)
}

fn progressed(progress: &Progress, outcome: &Outcome, is_finished: bool, now: DateTime<Utc>) -> ProgressPatch {
    let patch = ProgressPatch::default().unfinished(progress.unfinished - i64::from(is_finished));
    match outcome.result {
        Attempted::Delivered => patch.failing_since(None::<DateTime<Utc>>),
        Attempted::Failed { .. } | Attempted::Unwanted => patch.failing_since(progress.failing_since.unwrap_or(now)),
        Attempted::Skipped => patch,
    }
}

/// The reason to deactivate a webhook after an attempt; `None` if it stays active.
fn reason_to_end(
    progress: &Progress,
    outcome: &Outcome,
    is_finished: bool,
    now: DateTime<Utc>,
) -> Option<&'static str> {
    match outcome.result {
        Attempted::Unwanted => Some("the receiver has answered with 410"),
        Attempted::Failed { .. }
            if is_finished && progress.failing_since.is_some_and(|since| now - since >= DEAD - TimeDelta::hours(1)) =>
        {
            Some("no delivery has succeeded for three days")
        }
        _ => None,
    }
}
