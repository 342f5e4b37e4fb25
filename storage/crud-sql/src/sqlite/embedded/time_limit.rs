//! [`TimeLimit`]: how long a statement may take.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Time limit of a statement.
#[derive(Debug, Clone)]
pub(super) struct TimeLimit(Arc<AtomicU64>);

impl TimeLimit {
    /// The default time limit of a request.
    pub(super) fn new() -> Self {
        Self(Arc::new(AtomicU64::new(30_000)))
    }

    pub(super) fn set(&self, limit: Duration) {
        self.0.store(u64::try_from(limit.as_millis()).unwrap_or(u64::MAX).max(1), Ordering::Relaxed);
    }

    pub(super) fn get(&self) -> Duration {
        Duration::from_millis(self.0.load(Ordering::Relaxed))
    }
}
