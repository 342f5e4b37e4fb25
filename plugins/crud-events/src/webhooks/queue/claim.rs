//! Claims: due deliveries, each leased by one server for one attempt.

use std::collections::HashMap;

use crud_runtime::Result;
use crud_runtime::prelude::*;
use crud_runtime::query::Condition;

use super::in_flight::AttemptSlot;
use crate::lease::latest_end;
use crate::webhooks::sender::Sender;
use crate::webhooks::table::delivery::{Delivery, DeliveryPatch, DeliveryStatus};
use crate::webhooks::table::progress::Progress;
use crate::webhooks::table::webhook::Webhook;

/// Time after which another server may repeat an attempt that has not ended. The time limit of an attempt is a quarter
/// of it.
const LEASE: TimeDelta = TimeDelta::seconds(60);

/// Longest delay of an attempt. A later one was set by a server whose clock was ahead.
const LONGEST_DELAY: TimeDelta = TimeDelta::days(2);

/// Number of due deliveries that are read at once.
const PAGE: u64 = 64;

/// A delivery that this process attempts, with its webhook.
#[derive(Debug)]
pub(crate) struct Claim {
    pub(crate) delivery: Delivery,
    pub(crate) webhook: Webhook,
    /// The slot among the attempts of the process.
    pub(crate) place: AttemptSlot,
}

/// Claims due deliveries of active webhooks, as many as this process has free slots.
///
/// # Errors
/// When the database fails.
pub(crate) async fn claim(sender: &Sender, app: &App) -> Result<Vec<Claim>> {
    let (mut claims, mut full) = (Vec::new(), Vec::new());
    while sender.in_flight().left() > 0 {
        let due = due(sender, app, &full).await?;
        let count = due.len() as u64;
        let before = (claims.len(), full.len());
        let webhooks = webhooks_of(app, &due).await?;
        for delivery in due {
            let Some((webhook, is_failing)) = webhooks.get(&delivery.webhook_id) else { continue };
            match sender.in_flight().take(webhook.id, *is_failing) {
                None if full.contains(&webhook.id) => {}
                None => full.push(webhook.id),
                Some(place) => {
                    if let Some(delivery) = lease(app, &delivery).await? {
                        claims.push(Claim { delivery, webhook: webhook.clone(), place });
                    }
                }
            }
        }
        if count < PAGE || before == (claims.len(), full.len()) {
            break;
        }
    }
    Ok(claims)
}

/// The due deliveries, without those of webhooks in `full`, which have no free slot, and of failing ones if these have
/// none.
async fn due(sender: &Sender, app: &App, full: &[i64]) -> Result<Vec<Delivery>> {
    let (fields, now) = (Delivery::FIELDS, app.now());
    let is_time = fields.next_attempt_at.lte(now).or(fields.next_attempt_at.gt(now + LONGEST_DELAY));
    let due = fields.status.eq(DeliveryStatus::Pending).and(is_time).and(free(now));
    let active = fields.webhook_id.in_subquery(Webhook::FIELDS.id, Webhook::FIELDS.active.eq(true));
    let mut due = due.and(active).and(fields.webhook_id.not_in(full.iter().copied()));
    if !sender.in_flight().has_left_for_failing() {
        let own = Progress::FIELDS;
        due = due.and(fields.webhook_id.in_subquery(own.id, own.failing_since.is_null()));
    }
    let due = due.order_by(fields.next_attempt_at.asc()).order_by(fields.id.asc()).limit(PAGE);
    app.store::<Delivery>().list(due).await
}

/// The condition on deliveries that no server has.
fn free(now: DateTime<Utc>) -> Condition<Delivery> {
    let until = Delivery::FIELDS.leased_until;
    until.is_null().or(until.lte(now)).or(until.gt(latest_end(now, LEASE)))
}

/// The webhooks of deliveries, and whether each is failing.
async fn webhooks_of(app: &App, due: &[Delivery]) -> Result<HashMap<i64, (Webhook, bool)>> {
    let ids = || due.iter().map(|delivery| delivery.webhook_id);
    let webhooks = app.store::<Webhook>().list(Webhook::FIELDS.id.is_in(ids())).await?;
    let fields = Progress::FIELDS;
    let failing = fields.id.is_in(ids()).and(fields.failing_since.is_not_null());
    let failing = app.store::<Progress>().pluck(fields.id, failing).await?;
    let of = |webhook: Webhook| (webhook.id, (webhook.clone(), failing.contains(&webhook.id)));
    Ok(webhooks.into_iter().map(of).collect())
}

/// Takes the lease of a delivery for an attempt; `None` if another server has it.
async fn lease(app: &App, delivery: &Delivery) -> Result<Option<Delivery>> {
    let (fields, now) = (Delivery::FIELDS, app.now());
    let same = fields.status.eq(DeliveryStatus::Pending).and(fields.attempts.eq(delivery.attempts)).and(free(now));
    let patch = DeliveryPatch::default().leased_until(now + LEASE).lease(Uuid::new_v4().to_string());
    match app.store::<Delivery>().update_if(delivery.id, same, patch).await {
        Err(crud_runtime::Error::Problem(problem)) if problem.code() == crud_runtime::error::Code::NotFound => Ok(None),
        leased => leased,
    }
}
