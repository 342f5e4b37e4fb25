//! Looking how far the primary and its replicas are, aside from the requests.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use crate::storage::adapter::Adapter;
use crate::storage::position::Position;

/// How often a server is looked at, unless the lag that is allowed asks for more.
const EVERY: Duration = Duration::from_millis(500);

/// How often a replica is looked at while somebody waits for it.
const WAITED_FOR: Duration = Duration::from_millis(5);

/// How long a server may take to say how far it is: one that takes longer is away.
const PATIENCE: Duration = Duration::from_secs(1);

/// A replica, and how it was found the last time.
pub(super) struct Replica {
    pub(super) adapter: Arc<dyn Adapter>,
    number: usize,
    standing: watch::Sender<Standing>,
    look: Notify,
}

/// How a replica was found.
#[derive(Debug, Clone, Copy)]
struct Standing {
    /// How far it was; none when it did not answer.
    position: Option<Position>,
    /// Until when it is known not to lack anything that is older than the lag that is allowed.
    fresh_until: Option<Instant>,
    state: State,
}

/// What a replica is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Unknown,
    Read,
    Behind,
    Away,
}

impl Replica {
    /// The replica with this number, of which nothing is known yet.
    pub(super) fn new(adapter: Arc<dyn Adapter>, number: usize) -> Self {
        let standing = watch::Sender::new(Standing { position: None, fresh_until: None, state: State::Unknown });
        Self { adapter, number, standing, look: Notify::new() }
    }

    /// Whether it answers, is fresh, and has got this far.
    pub(super) fn has(&self, seen: Position, now: Instant) -> bool {
        let Standing { position, fresh_until, .. } = *self.standing.borrow();
        position.is_some_and(|position| position >= seen) && fresh_until.is_some_and(|until| now < until)
    }

    /// Has it looked at without waiting for the next time.
    pub(super) fn look_now(&self) {
        self.look.notify_one();
    }

    /// Resolves when it is found not to answer.
    pub(super) async fn gone(&self) {
        let mut standing = self.standing.subscribe();
        if standing.wait_for(|standing| standing.position.is_none()).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    async fn look(&self, past: &Past) {
        let position = match timeout(PATIENCE, self.adapter.position()).await {
            Ok(Ok(position)) => position,
            _ => None,
        };
        let fresh_until = position.and_then(|position| past.fresh_until(position));
        let state = match position {
            Some(_) if fresh_until.is_some_and(|until| until > Instant::now()) => State::Read,
            Some(_) => State::Behind,
            None => State::Away,
        };
        let known = self.standing.send_replace(Standing { position, fresh_until, state }).state;
        let replica = self.number;
        match state {
            _ if state == known => {}
            State::Read => tracing::info!(replica, "reads go to a replica"),
            State::Away => tracing::warn!(replica, "a replica does not answer, or is none: it gets no reads"),
            _ if known == State::Read => tracing::warn!(replica, "a replica is too far behind: it gets no reads"),
            // At first, nobody knows how far the primary is.
            _ => {}
        }
    }
}

impl fmt::Debug for Replica {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let standing = *self.standing.borrow();
        f.debug_struct("Replica").field("number", &self.number).field("standing", &standing).finish_non_exhaustive()
    }
}

/// How far the primary was, and when: as far back as a replica may be behind.
#[derive(Debug)]
struct Past {
    lag: Duration,
    positions: Mutex<VecDeque<(Instant, Position)>>,
}

impl Past {
    /// Adds how far the primary was found. What it had written before it was asked, at this time, is not beyond
    /// that.
    fn add(&self, asked: Instant, position: Position) {
        let mut positions = self.positions.lock().unwrap_or_else(PoisonError::into_inner);
        positions.push_back((asked, position));
        while positions.front().is_some_and(|(then, _)| asked.duration_since(*then) > self.lag) {
            positions.pop_front();
        }
    }

    /// Until when a replica that has got this far is fresh: it has all that the primary had at some time, and may
    /// do without anything newer for as long as the lag.
    fn fresh_until(&self, replayed: Position) -> Option<Instant> {
        let positions = self.positions.lock().unwrap_or_else(PoisonError::into_inner);
        let had = positions.iter().rev().find(|(_, position)| *position <= replayed);
        had.map(|(then, _)| *then + self.lag)
    }
}

/// Looks at the primary and the replicas for as long as the result lives.
pub(super) fn start(
    primary: &Arc<dyn Adapter>,
    replicas: &[Arc<Replica>],
    looked: &Arc<watch::Sender<()>>,
    lag: Duration,
) -> JoinSet<()> {
    let every = EVERY.min(lag / 4).max(WAITED_FOR);
    let past = Arc::new(Past { lag, positions: Mutex::default() });
    let mut checks = JoinSet::new();
    checks.spawn(look_at_primary(primary.clone(), past.clone(), every));
    for replica in replicas {
        checks.spawn(look_at_replica(replica.clone(), past.clone(), looked.clone(), every));
    }
    checks
}

async fn look_at_primary(primary: Arc<dyn Adapter>, past: Arc<Past>, every: Duration) {
    loop {
        let asked = Instant::now();
        if let Ok(Ok(Some(position))) = timeout(PATIENCE, primary.position()).await {
            past.add(asked, position);
        }
        sleep(every).await;
    }
}

async fn look_at_replica(replica: Arc<Replica>, past: Arc<Past>, looked: Arc<watch::Sender<()>>, every: Duration) {
    loop {
        replica.look(&past).await;
        looked.send_replace(());
        let answers = replica.standing.borrow().position.is_some();
        let pause = if answers && looked.receiver_count() > 0 { WAITED_FOR } else { every };
        tokio::select! {
            () = sleep(pause) => {}
            // Where it is away, whoever asks for it does not make it come back.
            () = replica.look.notified(), if answers => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replica_is_fresh_for_as_long_as_it_lacks_nothing_older_than_the_lag() {
        let past = Past { lag: Duration::from_secs(10), positions: Mutex::default() };
        let begin = Instant::now();
        assert_eq!(past.fresh_until(Position::new(5)), None, "nothing is known of the primary");
        past.add(begin, Position::new(5));
        let later = begin + Duration::from_secs(4);
        past.add(later, Position::new(7));
        assert_eq!(past.fresh_until(Position::new(4)), None);
        assert_eq!(past.fresh_until(Position::new(6)), Some(begin + Duration::from_secs(10)));
        assert_eq!(past.fresh_until(Position::new(9)), Some(later + Duration::from_secs(10)));
        past.add(begin + Duration::from_secs(11), Position::new(7));
        assert_eq!(past.fresh_until(Position::new(6)), None, "what is too old is forgotten");
    }
}
