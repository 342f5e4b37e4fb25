//! [`Drain`]: the time between the stop signal and the end of accepting.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The drain of a service: while it lasts, `/ready` is 503, and everything else is served, so that load balancers and
/// proxies send their requests elsewhere before connections are refused.
#[derive(Debug, Clone, Default)]
pub(crate) struct Drain {
    pub(crate) time: Duration,
    draining: Arc<AtomicBool>,
}

impl Drain {
    /// Begins, and resolves when the time is over.
    pub(crate) async fn run(&self) {
        self.draining.store(true, Ordering::Relaxed);
        if !self.time.is_zero() {
            tracing::info!(seconds = self.time.as_secs(), "stopping: not ready, still accepting connections");
            tokio::time::sleep(self.time).await;
        }
    }

    /// Whether it has begun.
    pub(crate) fn has_begun(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }
}
