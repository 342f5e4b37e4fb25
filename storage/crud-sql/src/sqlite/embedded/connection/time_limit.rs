//! [`TimeLimit`]: how long a statement may take.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Time limit of a statement.
#[derive(Debug, Clone)]
pub(in crate::sqlite::embedded) struct TimeLimit(Arc<AtomicU64>);

impl TimeLimit {
    /// The default time limit of a request.
    pub(in crate::sqlite::embedded) fn new() -> Self {
        Self(Arc::new(AtomicU64::new(30_000)))
    }

    pub(in crate::sqlite::embedded) fn set(&self, limit: Duration) {
        self.0.store(u64::try_from(limit.as_millis()).unwrap_or(u64::MAX).max(1), Ordering::Relaxed);
    }

    pub(in crate::sqlite::embedded) fn get(&self) -> Duration {
        Duration::from_millis(self.0.load(Ordering::Relaxed))
    }
}
