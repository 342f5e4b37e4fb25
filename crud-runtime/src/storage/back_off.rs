//! The back-off between the attempts of a write that another one was in the way of.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// How often a write is retried.
pub(crate) const MAX_RETRIES: u32 = 6;

/// The mean back-off of the first retry; it doubles with each further one.
const FIRST: Duration = Duration::from_millis(4);

/// The back-off with a jitter of half of it, so that writers that met do not meet again.
pub(crate) fn back_off(retry: u32) -> Duration {
    let random = RandomState::new().hash_one(retry) % 1_000;
    FIRST * 2_u32.pow(retry) * (500 + u32::try_from(random).unwrap_or_default()) / 1_000
}
