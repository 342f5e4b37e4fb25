//! [`Replica`]: a replica and the result of its last check.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::time::{Instant, timeout};

use super::primary_positions::PrimaryPositions;
use crate::storage::adapter::Adapter;
use crate::storage::position::Position;

/// The timeout of a check: a server that takes longer counts as unreachable.
pub(super) const CHECK_TIMEOUT: Duration = Duration::from_secs(1);

/// A replica and the result of its last check.
pub(super) struct Replica {
    pub(super) adapter: Arc<dyn Adapter>,
    /// The replica's number in log lines, from 1.
    number: usize,
    status: watch::Sender<Status>,
    check_requested: Notify,
}

/// The result of a check.
#[derive(Debug, Clone, Copy)]
struct Status {
    /// The replayed position; none if the replica did not answer.
    position: Option<Position>,
    /// The replica is within the allowed lag until this instant.
    fresh_until: Option<Instant>,
    health: Health,
}

/// Health of a replica, which decides whether it gets reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Health {
    /// Not checked yet.
    Unknown,
    /// Within the allowed lag.
    Fresh,
    /// Beyond the allowed lag.
    Lagging,
    /// Did not answer in time.
    Unreachable,
}

impl Replica {
    /// A replica that has not been checked yet.
    pub(super) fn new(adapter: Arc<dyn Adapter>, number: usize) -> Self {
        let status = watch::Sender::new(Status { position: None, fresh_until: None, health: Health::Unknown });
        Self { adapter, number, status, check_requested: Notify::new() }
    }

    /// Whether the replica is fresh and has replayed this position.
    pub(super) fn has_replayed(&self, position: Position, now: Instant) -> bool {
        let Status { position: replayed, fresh_until, .. } = *self.status.borrow();
        replayed.is_some_and(|replayed| replayed >= position) && fresh_until.is_some_and(|until| now < until)
    }

    /// Whether the replica answered the last check.
    pub(super) fn is_reachable(&self) -> bool {
        self.status.borrow().position.is_some()
    }

    /// Requests a check before the next interval ends.
    pub(super) fn request_check(&self) {
        self.check_requested.notify_one();
    }

    /// Resolves when a check is requested.
    pub(super) async fn check_requested(&self) {
        self.check_requested.notified().await;
    }

    /// Resolves when a check finds the replica unreachable.
    pub(super) async fn unreachable(&self) {
        let mut status = self.status.subscribe();
        if status.wait_for(|status| status.position.is_none()).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Reads the replica's position; logs a change of its health.
    pub(super) async fn check(&self, primary: &PrimaryPositions) {
        let position = match timeout(CHECK_TIMEOUT, self.adapter.position()).await {
            Ok(Ok(position)) => position,
            _ => None,
        };
        let fresh_until = position.and_then(|position| primary.fresh_until(position));
        let health = match position {
            Some(_) if fresh_until.is_some_and(|until| until > Instant::now()) => Health::Fresh,
            Some(_) => Health::Lagging,
            None => Health::Unreachable,
        };
        let previous = self.status.send_replace(Status { position, fresh_until, health }).health;
        let replica = self.number;
        match health {
            _ if health == previous => {}
            Health::Fresh => tracing::info!(replica, "reads go to a replica"),
            Health::Unreachable => {
                tracing::warn!(replica, "a replica does not answer or is not a replica: it gets no reads");
            }
            _ if previous == Health::Fresh => {
                tracing::warn!(replica, "a replica lags too far: it gets no reads");
            }
            // A replica checked before the primary's first check is lagging for want of a comparison.
            _ => {}
        }
    }
}

impl fmt::Debug for Replica {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let status = *self.status.borrow();
        f.debug_struct("Replica").field("number", &self.number).field("status", &status).finish_non_exhaustive()
    }
}
