//! Statements that are sent as text, with their values in it. vtgate prepares a statement on any shard, which need not
//! be the tenant's and then becomes a part of the transaction.

use tokio::task_local;

use crate::storage::adapter::AdapterFuture;

task_local! {
    /// Set while a call runs whose statements are sent as text.
    static TEXT: ();
}

/// Runs a call whose statements are sent as text.
pub(super) fn around<'a, T: Send + 'a>(call: AdapterFuture<'a, T>) -> AdapterFuture<'a, T> {
    Box::pin(TEXT.scope((), call))
}

/// Whether the statement that is about to be sent must be sent as text.
pub(super) fn is_wanted() -> bool {
    TEXT.try_with(|()| ()).is_ok()
}
