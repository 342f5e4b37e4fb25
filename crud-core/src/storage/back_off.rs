//! Back-off between the attempts of a write that conflicts with another write.

use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant};

use tokio::task::futures::TaskLocalFuture;
use tokio::time::sleep;

tokio::task_local! {
    /// Deadline of the request that a task answers.
    static DEADLINE: Instant;
}

/// Time for which a write without a deadline is retried, so that the last of many writers of one record gets its turn.
const LIMIT: Duration = Duration::from_secs(10);

/// Time before a deadline that is left to the last attempt and its answer.
const RESERVE: Duration = Duration::from_millis(500);

/// Minimum number of retries of a write: one attempt can take longer than the time limit.
const MIN_RETRIES: u32 = 6;

/// The mean back-off of the first retry; it doubles with each further one.
const FIRST: Duration = Duration::from_millis(4);

/// Number of retries after which the back-off stops growing, so that a record that is free again is soon written.
const MAX_DOUBLINGS: u32 = 5;

/// Runs the work of a request with this deadline, until which its writes are retried.
pub fn until<F: Future>(deadline: Instant, work: F) -> TaskLocalFuture<Instant, F> {
    // Not an `async fn`, whose future would contain the work twice.
    DEADLINE.scope(deadline, work)
}

/// Repeats an attempt at a write while another write is in its way: `retry!(async { … }, is_in_the_way)` evaluates the future
/// for each attempt, and returns the result of the last one. A macro, because a future that an `AsyncFnMut` returns is not
/// known to be `Send`.
#[doc(hidden)]
#[macro_export]
macro_rules! retry {
    ($attempt:expr, $is_in_the_way:expr) => {{
        let is_in_the_way = $is_in_the_way;
        let mut retries = $crate::storage::back_off::Retries::new();
        loop {
            {
                let result = $attempt.await;
                if !(is_in_the_way(&result) && retries.is_left()) {
                    break result;
                }
            }
            retries.wait().await;
        }
    }};
}

/// The retries of a write.
#[derive(Debug)]
pub struct Retries {
    end: Instant,
    count: u32,
}

impl Retries {
    /// Retries of a write that begins now: until the deadline of its request, or for ten seconds where there is none.
    #[allow(clippy::new_without_default, reason = "no value is the default: their time begins")]
    pub fn new() -> Self {
        let deadline = DEADLINE.try_with(|deadline| *deadline).ok();
        let end = deadline.and_then(|deadline| deadline.checked_sub(RESERVE));
        Self { end: end.unwrap_or_else(|| Instant::now() + LIMIT), count: 0 }
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

/// The back-off with a jitter of half of it, so that writers that conflicted do not conflict again.
pub fn back_off(retry: u32) -> Duration {
    let random = RandomState::new().hash_one(retry) % 1_000;
    FIRST * 2_u32.pow(retry) * (500 + u32::try_from(random).unwrap_or_default()) / 1_000
}

#[cfg(test)]
mod tests {
    use std::future::ready;

    use super::*;

    #[tokio::test]
    async fn writes_of_a_request_are_retried_until_shortly_before_its_deadline() {
        let deadline = Instant::now() + Duration::from_secs(30);
        let ends = until(deadline, async { Retries::new().end }).await;
        assert_eq!(ends, deadline.checked_sub(RESERVE).unwrap());
        assert!(Retries::new().end < Instant::now() + LIMIT + RESERVE, "without a request");
    }

    #[tokio::test]
    async fn attempt_is_repeated_while_another_write_is_in_its_way() {
        let mut attempts = 0;
        let mut attempt = || {
            attempts += 1;
            ready(attempts)
        };
        assert_eq!(retry!(attempt(), |attempts: &u32| *attempts < 4), 4);
    }

    #[tokio::test]
    async fn last_attempt_answers_after_the_deadline() {
        let mut attempts = 0;
        let mut attempt = || {
            attempts += 1;
            ready(Err::<(), _>("in the way"))
        };
        let result = until(Instant::now(), async { retry!(attempt(), Result::is_err) }).await;
        assert_eq!((result, attempts), (Err("in the way"), MIN_RETRIES + 1));
    }
}
