//! The back-off between the attempts of a write that another one was in the way of.

use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant};

use tokio::time::sleep;

/// Time for which a write is retried, so that the last of many writers of one record gets its turn.
const LIMIT: Duration = Duration::from_secs(2);

/// Number of retries of a write in any case: one attempt can take longer than that.
const MIN_RETRIES: u32 = 6;

/// The mean back-off of the first retry; it doubles with each further one.
const FIRST: Duration = Duration::from_millis(4);

/// After so many retries the back-off does not grow: a record that is free again is not left alone for long.
const MAX_DOUBLINGS: u32 = 5;

/// The retries of a write.
#[derive(Debug)]
pub struct Retries {
    end: Instant,
    count: u32,
}

impl Retries {
    /// Retries of a write that begins now.
    #[allow(clippy::new_without_default, reason = "no value is the default: their time begins")]
    pub fn new() -> Self {
        Self { end: Instant::now() + LIMIT, count: 0 }
    }

    /// Whether the write is retried if it fails.
    pub fn is_left(&self) -> bool {
        self.count < MIN_RETRIES || Instant::now() < self.end
    }

    /// Waits for the next attempt.
    pub async fn wait(&mut self) {
        sleep(back_off(self.count.min(MAX_DOUBLINGS))).await;
        self.count += 1;
    }
}

/// The back-off with a jitter of half of it, so that writers that met do not meet again.
pub fn back_off(retry: u32) -> Duration {
    let random = RandomState::new().hash_one(retry) % 1_000;
    FIRST * 2_u32.pow(retry) * (500 + u32::try_from(random).unwrap_or_default()) / 1_000
}
