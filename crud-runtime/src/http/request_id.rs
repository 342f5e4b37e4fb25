//! The id of the request in hand, for log lines and answers.

use std::future::Future;
use std::sync::Arc;

tokio::task_local! {
    static REQUEST_ID: Arc<str>;
}

/// The id of the request that the current task works on.
pub(crate) fn current() -> Option<Arc<str>> {
    REQUEST_ID.try_with(Arc::clone).ok()
}

/// Runs the work of a request under its id.
pub(crate) fn scope<F: Future>(id: Arc<str>, work: F) -> impl Future<Output = F::Output> {
    REQUEST_ID.scope(id, work)
}
