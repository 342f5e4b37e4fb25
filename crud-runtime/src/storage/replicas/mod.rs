//! Replicas of the database, and which of them a request reads from.
//!
//! `check` looks again and again how far each one is, `token` is how a client says what it has to see, and
//! `reader` is what a request reads from: one replica, or the primary in its place.

mod check;
mod reader;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use self::check::Replica;
use self::reader::Reader;
use super::adapter::Adapter;
use super::position::Position;

/// How far a replica may be behind unless the service says otherwise.
pub(crate) const LAG: Duration = Duration::from_secs(10);

/// How long a read waits for a replica to get as far as its client has seen: as long as nobody notices. A replica
/// that streams is there within milliseconds, and one that is not leaves the read to the primary.
const WAIT: Duration = Duration::from_millis(100);

/// How long the primary may take to say how far it is. The answer waits for that.
const POSITION: Duration = Duration::from_secs(1);

/// The replicas of a service's database. They are looked after for as long as this lives.
pub(crate) struct Replicas {
    primary: Arc<dyn Adapter>,
    all: Vec<Arc<Replica>>,
    /// Whose turn it is.
    turn: AtomicUsize,
    /// Told when a replica has been looked at; who waits for one listens.
    looked: Arc<watch::Sender<()>>,
    _checks: JoinSet<()>,
}

impl Replicas {
    /// Begins to look after these replicas, which may be behind by this much.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub(crate) fn start(primary: Arc<dyn Adapter>, replicas: &[Arc<dyn Adapter>], lag: Duration) -> Self {
        let looked = Arc::new(watch::Sender::new(()));
        let numbered = (1..).zip(replicas);
        let all: Vec<_> = numbered.map(|(number, adapter)| Arc::new(Replica::new(adapter.clone(), number))).collect();
        let checks = check::start(&primary, &all, &looked, lag);
        Self { primary, all, turn: AtomicUsize::new(0), looked, _checks: checks }
    }

    /// What a client that has seen this position reads from: a replica that is fresh enough and has got as far, else
    /// the primary.
    pub(crate) async fn reader(&self, seen: Position) -> Arc<dyn Adapter> {
        let replica = match self.having(seen) {
            None if seen > Position::START && seen < Position::NEVER => self.wait_for(seen).await,
            replica => replica,
        };
        match replica {
            Some(replica) => Arc::new(Reader::new(replica.clone(), self.primary.clone())),
            None => self.primary.clone(),
        }
    }

    /// The position that reads have to reach to see a change that was just made.
    pub(crate) async fn position(&self) -> Position {
        match timeout(POSITION, self.primary.position()).await {
            Ok(Ok(Some(position))) => position,
            // No replica is known to have the change.
            _ => Position::NEVER,
        }
    }

    /// A replica that is fresh and has got this far, each in its turn.
    fn having(&self, seen: Position) -> Option<&Arc<Replica>> {
        let now = Instant::now();
        let turn = self.turn.fetch_add(1, Ordering::Relaxed) % self.all.len();
        let (before, from) = self.all.split_at(turn);
        from.iter().chain(before).find(|replica| replica.has(seen, now))
    }

    /// The first fresh replica that gets this far, if one does soon.
    async fn wait_for(&self, seen: Position) -> Option<&Arc<Replica>> {
        let mut looked = self.looked.subscribe();
        for replica in &self.all {
            replica.look_now();
        }
        let found = async {
            loop {
                if let Some(replica) = self.having(seen) {
                    return Some(replica);
                }
                if !self.all.iter().any(|replica| replica.has(Position::START, Instant::now())) {
                    return None;
                }
                looked.changed().await.ok()?;
            }
        };
        timeout(WAIT, found).await.ok().flatten()
    }
}

impl fmt::Debug for Replicas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replicas").field("all", &self.all).finish_non_exhaustive()
    }
}
