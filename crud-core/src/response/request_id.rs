//! The request id, a task-local value for log lines and responses.

use std::future::Future;
use std::sync::Arc;

tokio::task_local! {
    static REQUEST_ID: Arc<str>;
}

/// The id of the request that the current task handles, if it handles one.
pub fn current() -> Option<Arc<str>> {
    REQUEST_ID.try_with(Arc::clone).ok()
}

/// Runs `work` with this request id.
pub fn scope<F: Future>(id: Arc<str>, work: F) -> impl Future<Output = F::Output> {
    REQUEST_ID.scope(id, work)
}
