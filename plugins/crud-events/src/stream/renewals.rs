//! [`Renewals`]: recent changes of memberships, by which subscribers have other rights.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crud_runtime::prelude::*;

use crate::view::{Concerned, Since};

/// Number of changes that are known. A subscriber that is further behind counts as one whose rights were changed.
const MOST: usize = 1_000;

/// The time after which every server of a service knows a changed membership: each reads it again after a second.
const SETTLED: TimeDelta = TimeDelta::milliseconds(1_500);

/// The users of recent changes of memberships, with the numbers of these.
#[derive(Debug, Default)]
pub(super) struct Renewals(Mutex<Recent>);

#[derive(Debug, Default)]
struct Recent {
    changes: VecDeque<(i64, Concerned)>,
    /// The number of the last change that was dropped.
    floor: i64,
}

impl Renewals {
    /// Adds the users whose memberships are changed up to a number.
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

    /// Whether a user's membership was changed after a number; with the time of the change.
    pub(super) fn since(&self, after: i64, subject: &str) -> Option<Since> {
        let recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if after < recent.floor {
            return Some(Since(None));
        }
        let mut newer = recent.changes.iter().rev().take_while(|(upto, _)| *upto > after);
        newer.find_map(|(_, concerned)| concerned.since(subject))
    }
}

/// Waits until every server knows a membership that was changed at a time. Whether that was needed: what was asked before may be
/// the answer of a server that did not.
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
