//! Replicas of the database, and the choice of one for a request.
//!
//! `monitor` checks their positions, and `reader` reads from one of them with the primary as its fallback.

mod monitor;
mod primary_positions;
mod reader;
mod replica;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use self::reader::ReplicaReader;
use self::replica::Replica;
use super::adapter::Adapter;
use super::position::Position;

/// The lag at which a replica is still read, by default.
pub(crate) const DEFAULT_MAX_LAG: Duration = Duration::from_secs(10);

/// Time that a read waits for a replica to replay what its client has seen; then the primary is read. A streaming
/// replica catches up within milliseconds.
const CATCH_UP_TIMEOUT: Duration = Duration::from_millis(100);

/// Time that the response to a change waits for the primary's position.
const POSITION_TIMEOUT: Duration = Duration::from_secs(1);

/// The replicas of a service's database; the monitor stops when this is dropped.
pub(crate) struct Replicas {
    primary: Arc<dyn Adapter>,
    all: Vec<Arc<Replica>>,
    /// The round-robin counter.
    next: AtomicUsize,
    /// Notified after each check of a replica, for reads that wait.
    checked: Arc<watch::Sender<()>>,
    _monitor: JoinSet<()>,
}

impl Replicas {
    /// Starts to monitor these replicas.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub(crate) fn start(primary: Arc<dyn Adapter>, replicas: &[Arc<dyn Adapter>], max_lag: Duration) -> Self {
        let checked = Arc::new(watch::Sender::new(()));
        let numbered = (1..).zip(replicas);
        let all: Vec<_> = numbered.map(|(number, adapter)| Arc::new(Replica::new(adapter.clone(), number))).collect();
        let monitor = monitor::start(&primary, &all, &checked, max_lag);
        Self { primary, all, next: AtomicUsize::new(0), checked, _monitor: monitor }
    }

    /// The storage for the reads of a client that has seen this position: a fresh replica that has replayed it, else
    /// the primary.
    pub(crate) async fn reader(&self, seen: Position) -> Arc<dyn Adapter> {
        let replica = match self.next_with(seen) {
            None if seen > Position::START && seen < Position::NEVER => self.wait_for(seen).await,
            replica => replica,
        };
        match replica {
            Some(replica) => Arc::new(ReplicaReader::new(replica.clone(), self.primary.clone())),
            None => self.primary.clone(),
        }
    }

    /// The position that a replica must have replayed to show the changes made so far.
    pub(crate) async fn position(&self) -> Position {
        match timeout(POSITION_TIMEOUT, self.primary.position()).await {
            Ok(Ok(Some(position))) => position,
            // Without a position, only the primary is certain to show the change.
            _ => Position::NEVER,
        }
    }

    /// The next fresh replica, round robin, that has replayed this position.
    fn next_with(&self, position: Position) -> Option<&Arc<Replica>> {
        let now = Instant::now();
        let first = self.next.fetch_add(1, Ordering::Relaxed) % self.all.len();
        let (before, from) = self.all.split_at(first);
        from.iter().chain(before).find(|replica| replica.has_replayed(position, now))
    }

    /// The first fresh replica to replay this position, within [`CATCH_UP_TIMEOUT`].
    async fn wait_for(&self, position: Position) -> Option<&Arc<Replica>> {
        let mut checked = self.checked.subscribe();
        for replica in &self.all {
            replica.request_check();
        }
        let caught_up = async {
            loop {
                if let Some(replica) = self.next_with(position) {
                    return Some(replica);
                }
                if !self.all.iter().any(|replica| replica.has_replayed(Position::START, Instant::now())) {
                    return None;
                }
                checked.changed().await.ok()?;
            }
        };
        timeout(CATCH_UP_TIMEOUT, caught_up).await.ok().flatten()
    }
}

impl fmt::Debug for Replicas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replicas").field("all", &self.all).finish_non_exhaustive()
    }
}
