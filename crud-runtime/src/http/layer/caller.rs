//! The subject of a request's sender, for its line in the log.

use std::future::Future;
use std::sync::{Arc, OnceLock};

tokio::task_local! {
    static SUBJECT: Arc<OnceLock<Box<str>>>;
}

/// Place for the subject of a request's sender.
pub(super) type Subject = Arc<OnceLock<Box<str>>>;

/// Runs the work of a request, during which its sender may be noted.
pub(super) fn scope<F: Future>(subject: Subject, work: F) -> impl Future<Output = F::Output> {
    SUBJECT.scope(subject, work)
}

/// Notes the subject of the sender of the request that the current task handles.
pub(crate) fn note(subject: &str) {
    // Work outside of a request has no line in the log.
    let _ = SUBJECT.try_with(|place| place.set(subject.into()));
}
