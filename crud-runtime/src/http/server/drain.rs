//! [`Drain`]: the time between the stop signal and the end of accepting, and the signal to handlers after it.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::watch;

use crate::storage::adapter::BoxFuture;

/// The drain of a service: while it lasts, `/ready` is 503, and everything else is served, so that load balancers and
/// proxies send their requests elsewhere before connections are refused.
#[derive(Debug, Clone, Default)]
pub(crate) struct Drain {
    pub(crate) time: Duration,
    draining: Arc<AtomicBool>,
    /// Whether the drain is over.
    over: Arc<watch::Sender<bool>>,
    /// Whether every handler has been notified that the drain is over.
    notified: Arc<watch::Sender<bool>>,
}

impl Drain {
    /// Begins the drain, and resolves when its time is over; handlers are notified before connections are refused.
    pub(crate) fn run(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.draining.store(true, Ordering::Relaxed);
            if !self.time.is_zero() {
                tracing::info!(seconds = self.time.as_secs(), "stopping: not ready, still accepting connections");
                tokio::time::sleep(self.time).await;
            }
            self.end();
        })
    }

    /// Ends the drain at once, and notifies handlers and servers.
    pub(crate) fn end(&self) {
        self.draining.store(true, Ordering::Relaxed);
        self.over.send_replace(true);
        self.notified.send_replace(true);
    }

    /// Resolves when the drain is over.
    pub(crate) fn over(&self) -> impl Future<Output = ()> + Send + use<> {
        set(&self.over)
    }

    /// Resolves when the drain is over and each future of [`over`](Self::over) is ready: one notification comes after
    /// another.
    pub(crate) fn notified(&self) -> impl Future<Output = ()> + Send + use<> {
        set(&self.notified)
    }

    /// Whether the drain has begun.
    pub(crate) fn has_begun(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }
}

/// Resolves when the value is set.
fn set(value: &watch::Sender<bool>) -> impl Future<Output = ()> + Send + use<> {
    let mut value = value.subscribe();
    // The receiver alone does not keep the channel open: if the sender is gone, the server is too.
    async move {
        if value.wait_for(|is_set| *is_set).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
