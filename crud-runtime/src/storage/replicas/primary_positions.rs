//! [`PrimaryPositions`]: the primary's recent positions.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::storage::position::Position;

/// The primary's positions within the allowed lag, the oldest first.
#[derive(Debug)]
pub(super) struct PrimaryPositions {
    max_lag: Duration,
    samples: Mutex<VecDeque<(Instant, Position)>>,
}

impl PrimaryPositions {
    pub(super) fn new(max_lag: Duration) -> Self {
        Self { max_lag, samples: Mutex::default() }
    }

    /// Adds the primary's answer to a query that was sent at `asked`: the position then was at most this.
    pub(super) fn add(&self, asked: Instant, position: Position) {
        let mut samples = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        samples.push_back((asked, position));
        while samples.front().is_some_and(|(then, _)| asked.duration_since(*then) > self.max_lag) {
            samples.pop_front();
        }
    }

    /// A replica that has replayed this position is within the allowed lag until this instant: the time of the newest
    /// sample that it has replayed, plus the lag.
    pub(super) fn fresh_until(&self, replayed: Position) -> Option<Instant> {
        let samples = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        let newest = samples.iter().rev().find(|(_, position)| *position <= replayed);
        newest.map(|(then, _)| *then + self.max_lag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replica_is_fresh_while_it_lacks_nothing_older_than_the_lag() {
        let primary = PrimaryPositions::new(Duration::from_secs(10));
        let begin = Instant::now();
        assert_eq!(primary.fresh_until(Position::new(5)), None, "no sample of the primary yet");
        primary.add(begin, Position::new(5));
        let later = begin + Duration::from_secs(4);
        primary.add(later, Position::new(7));
        assert_eq!(primary.fresh_until(Position::new(4)), None);
        assert_eq!(primary.fresh_until(Position::new(6)), Some(begin + Duration::from_secs(10)));
        assert_eq!(primary.fresh_until(Position::new(9)), Some(later + Duration::from_secs(10)));
        primary.add(begin + Duration::from_secs(11), Position::new(7));
        assert_eq!(primary.fresh_until(Position::new(6)), None, "samples beyond the lag are dropped");
    }
}
