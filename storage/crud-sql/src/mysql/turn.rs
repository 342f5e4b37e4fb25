//! The turn of a task among those that change tables: it takes no lock in a database by itself.

use tokio::task_local;

task_local! {
    /// Set while the turn is this task's.
    static TAKEN: ();
}

/// Does work in the turn that its caller has.
pub(super) fn taken<T>(work: impl Future<Output = T>) -> impl Future<Output = T> {
    TAKEN.scope((), work)
}

/// Whether this task has the turn.
pub(super) fn is_taken() -> bool {
    TAKEN.try_with(|()| ()).is_ok()
}
