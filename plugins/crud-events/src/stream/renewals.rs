//! [`Renewals`]: recent changes of memberships, which change the rights of subscribers.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crud_runtime::prelude::*;

use crate::view::{Concerned, Since};

/// Limit of changes that are kept. A subscriber that is further behind is treated as if its rights had changed.
const MOST: usize = 1_000;

/// Time after which every server knows a changed membership: servers cache memberships for a second.
const SETTLED: TimeDelta = TimeDelta::milliseconds(1_500);

/// The users of recent changes of memberships, with the numbers of the changes.
#[derive(Debug, Default)]
pub(super) struct Renewals(Mutex<Recent>);

#[derive(Debug, Default)]
struct Recent {
    changes: VecDeque<(i64, Concerned)>,
    /// The number of the last change that was dropped.
    floor: i64,
}

impl Renewals {
    /// Adds users whose memberships were changed by the entries up to a number.
    pub(super) fn push(&self, upto: i64, concerned: Concerned) {
        if concerned.is_empty() {
            return;
        }
        let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        recent.changes.push_back((upto, concerned));
        if recent.changes.len() > MOST {
            recent.floor = recent.changes.pop_front().map_or(0, |(dropped, _)| dropped);
        }
    }

    /// Forgets the changes: their numbers are of another log.
    pub(super) fn clear(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Recent::default();
    }

    /// The time of a change of the user's membership after a number; `None` if it was not changed.
    pub(super) fn since(&self, after: i64, subject: &str) -> Option<Since> {
        let recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if after < recent.floor {
            return Some(Since(None));
        }
        let mut newer = recent.changes.iter().rev().take_while(|(upto, _)| *upto > after);
        newer.find_map(|(_, concerned)| concerned.since(subject))
    }
}

/// Waits until every server knows a membership that was changed at a time. Returns whether a wait was needed: if so,
/// rights that were checked before may be outdated.
pub(super) async fn settle(Since(at): Since, now: DateTime<Utc>) -> bool {
    let left = at.map_or(SETTLED, |at| at + SETTLED - now).min(SETTLED);
    let Some(left) = left.to_std().ok().filter(|left| *left > Duration::ZERO) else { return false };
    tokio::time::sleep(left).await;
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subscriber_that_is_behind_what_is_known_counts_as_changed() {
        let renewals = Renewals::default();
        renewals.push(7, Concerned::default());
        assert_eq!(renewals.since(0, "ann"), None, "nobody's membership was changed");
        for upto in 1..=1_001 {
            renewals.push(upto, Concerned::of_subject("bob"));
        }
        assert_eq!(renewals.since(0, "ann"), Some(Since(None)));
        assert_eq!(renewals.since(1, "ann"), None);
        assert_eq!((renewals.since(1_000, "bob"), renewals.since(1_001, "bob")), (Some(Since(None)), None));
    }
}
