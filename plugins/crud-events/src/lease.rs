//! Leases: the times until which a server has a task.

use crud_runtime::prelude::*;

/// Difference of two servers' clocks from which one of them is wrong.
const SKEW: TimeDelta = TimeDelta::minutes(5);

/// The latest end of a lease of this length. A lease that ends later was taken by a server whose clock was ahead, and is
/// free.
pub(crate) fn latest_end(now: DateTime<Utc>, length: TimeDelta) -> DateTime<Utc> {
    now + length + SKEW
}
