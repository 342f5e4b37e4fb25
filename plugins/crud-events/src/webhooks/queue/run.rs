//! The background task that creates and sends deliveries.

use std::time::Duration;

use crud_runtime::Result;
use crud_runtime::ServiceState;
use crud_runtime::prelude::*;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use super::attempt::attempt;
use super::claim::claim;
use super::fan_out::fan_out;
use super::sweep::sweep;
use crate::webhooks::sender::Sender;
use crate::webhooks::table::lease::Lease;

/// Longest time between two checks of the queue: a server that stopped may have left work.
const POLL: Duration = Duration::from_secs(1);

/// The time between two sweeps.
const SWEEP: Duration = Duration::from_hours(1);

/// Creates and sends deliveries, until the service stops.
pub(crate) async fn run(sender: Sender, state: ServiceState) {
    let app = state.app().unscoped();
    // The log is read more often while it has followers.
    let _follower = sender.core().log.follow();
    let mut changed = sender.core().log.changed();
    let mut swept: Option<Instant> = None;
    loop {
        let is_due = swept.is_none_or(|swept| swept.elapsed() >= SWEEP);
        match round(&sender, &app, is_due).await {
            Ok(Round { has_more: true, .. }) => continue,
            Ok(Round { has_swept, .. }) => swept = if has_swept { Some(Instant::now()) } else { swept },
            Err(error) => tracing::error!(%error, "webhooks cannot read their queue"),
        }
        tokio::select! {
            Ok(()) = changed.changed() => {}
            () = sender.wake().notified() => {}
            () = sleep(POLL) => {}
        }
    }
}

/// The outcome of one check of the queue.
struct Round {
    /// Whether the log has more events.
    has_more: bool,
    has_swept: bool,
}

/// Creates deliveries if this server has the lease for that, and starts the attempts that are due.
async fn round(sender: &Sender, app: &App, is_sweep_due: bool) -> Result<Round> {
    let (mut round, mut fanned) = (Round { has_more: false, has_swept: false }, Ok(false));
    if Lease::take(app, sender.holder()).await? {
        fanned = fan_out(sender, app).await;
        if is_sweep_due && fanned.is_ok() {
            sweep(sender, app).await?;
            round.has_swept = true;
        }
    } else {
        sender.forget_scanned();
    }
    for claim in claim(sender, app).await? {
        let (sender, app) = (sender.clone(), app.clone());
        // Spawned apart, so that attempts do not end with this task: an attempt that is cut off would be repeated.
        tokio::spawn(async move {
            if let Err(error) = attempt(&sender, &app, claim).await {
                tracing::error!(%error, "the outcome of a delivery cannot be stored: it is sent again");
            }
        });
    }
    // Existing deliveries are sent, even if new ones cannot be created.
    round.has_more = fanned?;
    Ok(round)
}

/// Creates deliveries, attempts those that are due until none is, and returns the number of attempts.
///
/// # Errors
/// When the database fails.
pub(crate) async fn deliver(sender: &Sender, app: &App) -> Result<usize> {
    sender.core().log.refresh().await?;
    while fan_out(sender, app).await? {}
    let mut count = 0;
    loop {
        let claims = claim(sender, app).await?;
        if claims.is_empty() {
            return Ok(count);
        }
        count += claims.len();
        let mut attempts = JoinSet::new();
        for claim in claims {
            let (sender, app) = (sender.clone(), app.clone());
            attempts.spawn(async move { attempt(&sender, &app, claim).await });
        }
        for outcome in attempts.join_all().await {
            outcome?;
        }
    }
}
