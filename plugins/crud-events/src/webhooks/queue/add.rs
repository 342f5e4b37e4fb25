//! [`Added`]: a delivery to be created, and `add`, which creates several.

use std::collections::HashSet;

use crud_runtime::Result;
use crud_runtime::error::Code;
use crud_runtime::prelude::*;

use crate::webhooks::table::delivery::{Delivery, DeliveryStatus, NewDelivery};
use crate::webhooks::table::progress::{Progress, ProgressPatch};
use crate::webhooks::table::webhook::Webhook;

/// Limit of unfinished deliveries of a webhook. Beyond it, events stay in the log until the receiver has taken some.
pub(crate) const UNFINISHED: i64 = 10_000;

/// A delivery to be created.
#[derive(Debug, Clone)]
pub(crate) struct Added {
    pub(crate) event_id: String,
    pub(crate) kind: String,
    /// The number of the event; 0 for a message of the service itself.
    pub(crate) seq: i64,
    /// The number of the first change that the event tells, where it tells several.
    pub(crate) first_seq: Option<i64>,
    /// The record, by its resource and its key.
    pub(crate) subject: String,
}

/// The change of a webhook's position in the log when deliveries are created.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Moved {
    /// The position stays.
    No,
    /// The position moves forward to this number, and never back.
    On(i64),
    /// The position is set to this number, even back, as the log may be another one.
    To(i64),
}

/// Creates deliveries for a webhook in the order of their events, moves the webhook's position in the log, and returns
/// the number of deliveries. Events up to the position have theirs already, and are skipped.
///
/// # Errors
/// When the database fails.
pub(crate) async fn add(app: &App, webhook: &Webhook, added: &[Added], moved: Moved) -> Result<usize> {
    app.transaction(async |tx| {
        let progresses = tx.store::<Progress>();
        let Some(progress) = lock(&progresses, webhook.id).await? else { return Ok(0) };
        let new = added.iter().filter(|it| it.seq == 0 || it.seq > progress.position);
        let new: Vec<_> = new.cloned().collect();
        let made = create(&tx.store(), webhook, new, app.now()).await?;
        let position = match moved {
            Moved::No => progress.position,
            Moved::On(position) => position.max(progress.position),
            Moved::To(position) => position,
        };
        let patch = ProgressPatch::default().position(position);
        let unfinished = progress.unfinished + i64::try_from(made).unwrap_or(i64::MAX);
        progresses.update(webhook.id, patch.unfinished(unfinished)).await?;
        Ok(made)
    })
    .await
}

/// Locks the queue of a webhook; `None` if the webhook was deleted.
///
/// # Errors
/// When the database fails.
pub(crate) async fn lock(progresses: &Store<Progress>, webhook: i64) -> Result<Option<Progress>> {
    match progresses.lock(webhook).await {
        Err(crud_runtime::Error::Problem(problem)) if problem.code() == Code::NotFound => Ok(None),
        locked => locked.map(Some),
    }
}

/// Creates deliveries in the order of their events. Only the first one of a record is due.
///
/// # Errors
/// When the database fails.
pub(super) async fn create(
    store: &Store<Delivery>,
    webhook: &Webhook,
    added: Vec<Added>,
    now: DateTime<Utc>,
) -> Result<usize> {
    let mut busy = HashSet::new();
    for subjects in added.chunks(200) {
        let fields = Delivery::FIELDS;
        let of_records =
            fields.webhook_id.eq(webhook.id).and(fields.subject.is_in(subjects.iter().map(|it| &*it.subject)));
        let unfinished = of_records.and(fields.status.is_in([DeliveryStatus::Waiting, DeliveryStatus::Pending]));
        busy.extend(store.pluck(fields.subject, unfinished).await?);
    }
    let count = added.len();
    let new = added.into_iter().map(|it| {
        let is_first = busy.insert(it.subject.clone());
        NewDelivery {
            webhook_id: webhook.id,
            event_id: it.event_id,
            kind: it.kind,
            status: if is_first { DeliveryStatus::Pending } else { DeliveryStatus::Waiting },
            attempts: 0,
            next_attempt_at: is_first.then_some(now),
            last_attempt_at: None,
            finished_at: None,
            response_status: None,
            response_body: None,
            error: None,
            tenant: Some(webhook.tenant.clone()),
            seq: it.seq,
            first_seq: it.first_seq,
            subject: it.subject,
            leased_until: None,
            lease: None,
        }
    });
    let new: Vec<_> = new.collect();
    for new in new.chunks(200) {
        store.create_batch(new.iter().cloned()).await?;
    }
    Ok(count)
}
