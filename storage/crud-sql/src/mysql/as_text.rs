//! Statements that are sent as text, with their values in it: vtgate asks a shard about each statement that it prepares, any shard,
//! which need not be the tenant's, and which becomes a part of the transaction.

use tokio::task_local;

use crate::storage::adapter::AdapterFuture;

task_local! {
    /// Set while a call of sharded storage runs.
    static TEXT: ();
}

/// Runs a call whose statements are sent as text.
pub(super) fn around<'a, T: Send + 'a>(call: AdapterFuture<'a, T>) -> AdapterFuture<'a, T> {
    Box::pin(TEXT.scope((), call))
}

/// Whether the statement that is about to be sent is of such a call.
pub(super) fn is_wanted() -> bool {
    TEXT.try_with(|()| ()).is_ok()
}
