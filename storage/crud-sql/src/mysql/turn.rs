//! Marks a task that already has its turn to change tables, so that it takes no lock for that by itself.

use tokio::task_local;

task_local! {
    /// Set while this task has the turn.
    static TAKEN: ();
}

/// Runs work in the turn that the caller has taken.
pub(super) fn taken<T>(work: impl Future<Output = T>) -> impl Future<Output = T> {
    TAKEN.scope((), work)
}

/// Whether this task has the turn.
pub(super) fn is_taken() -> bool {
    TAKEN.try_with(|()| ()).is_ok()
}
