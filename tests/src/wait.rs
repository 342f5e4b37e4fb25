//! Waiting: for events, and for time where there is none. No other file of the suite sleeps or judges a measured time.

use std::fmt::Display;
use std::thread;
use std::time::{Duration, Instant};

use tokio::time::{sleep, timeout};

/// Longer than any event takes on a busy machine: the test fails then.
const TIMEOUT: Duration = Duration::from_mins(1);

/// The time between two looks at a condition.
const INTERVAL: Duration = Duration::from_millis(20);

/// Time for which a condition that must keep holding is watched: a violation shows within milliseconds.
const WATCH: Duration = Duration::from_millis(100);

/// A stated limit, as a busy machine keeps it: processes that share its cores delay every step, and the timer that
/// judges the limit does not wait for them.
fn with_slack(limit: Duration) -> Duration {
    5 * limit + Duration::from_secs(5)
}

/// Waits until a condition holds.
///
/// # Panics
/// When it does not hold within a minute.
pub async fn wait_until(what: &str, condition: impl AsyncFn() -> bool) {
    let begin = Instant::now();
    while !condition().await {
        assert!(begin.elapsed() < TIMEOUT, "timeout: {what}");
        sleep(INTERVAL).await;
    }
}

/// Waits, on this thread, until an attempt succeeds. When it does not, `log` says more.
///
/// # Panics
/// When it does not succeed within a minute.
pub(crate) fn wait_on_thread<E: Display>(
    what: &str,
    log: impl FnOnce() -> String,
    mut attempt: impl FnMut() -> Result<(), E>,
) {
    let begin = Instant::now();
    while let Err(error) = attempt() {
        assert!(begin.elapsed() < TIMEOUT, "timeout: {what}: {error}: {}", log());
        thread::sleep(INTERVAL);
    }
}

/// The output of a future that ends with an event: an answer, the end of a process.
///
/// # Panics
/// When it does not come within a minute.
pub(crate) async fn event<T>(what: &str, future: impl Future<Output = T>) -> T {
    timeout(TIMEOUT, future).await.unwrap_or_else(|_| panic!("timeout: {what}"))
}

/// The output of a future that a time limit promises: the service's own one, or one that a test gives it. Slack for a
/// busy machine comes on top.
///
/// # Panics
/// When the future does not complete in that time.
pub async fn within<T>(limit: Duration, what: &str, future: impl Future<Output = T>) -> T {
    let allowed = with_slack(limit);
    timeout(allowed, future).await.unwrap_or_else(|_| panic!("{what}: not within {limit:?}, nor within {allowed:?}"))
}

/// The output of a future that a time limit holds back. A busy machine only adds to its time.
///
/// # Panics
/// When the future completes before that time is over.
pub async fn not_before<T>(limit: Duration, what: &str, future: impl Future<Output = T>) -> T {
    let begin = Instant::now();
    let output = future.await;
    assert!(begin.elapsed() >= limit, "{what}: before {limit:?} were over");
    output
}

/// Checks for a moment that a condition keeps holding, for what must not happen has no event. A machine that is too busy
/// for it to happen hides a fault and reports none.
///
/// # Panics
/// When the condition does not hold.
pub async fn holds_for_a_moment(what: &str, condition: impl AsyncFn() -> bool) {
    let begin = Instant::now();
    while begin.elapsed() < WATCH {
        assert!(condition().await, "it does not last: {what}");
        sleep(INTERVAL).await;
    }
}

/// Waits as a client, or another program, that takes its time. The reason is for readers: what a test waits for has an
/// event, and is waited for by [`wait_until`].
pub async fn pause(_reason: &str, time: Duration) {
    sleep(time).await;
}
