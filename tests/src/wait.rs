//! Waiting for events instead of times.

use std::time::{Duration, Instant};

use tokio::time::sleep;

/// Longer than any event takes on a busy machine: the test fails then.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Waits until a condition holds.
///
/// # Panics
/// When it does not hold within 30 seconds.
pub async fn wait_until(what: &str, condition: impl AsyncFn() -> bool) {
    let begin = Instant::now();
    while !condition().await {
        assert!(begin.elapsed() < TIMEOUT, "timeout: {what}");
        sleep(Duration::from_millis(20)).await;
    }
}
