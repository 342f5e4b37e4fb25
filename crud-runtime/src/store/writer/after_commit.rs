//! [`AfterCommit`]: futures that run when a transaction is committed.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;

use crate::storage::future::BoxFuture;

/// Futures that run when a transaction is committed, without those of changes that a savepoint undoes.
#[derive(Default)]
pub(crate) struct AfterCommit {
    calls: Vec<BoxFuture<'static, ()>>,
    /// The number of calls at each open savepoint.
    savepoints: Vec<usize>,
}

impl AfterCommit {
    pub(crate) fn push(&mut self, call: BoxFuture<'static, ()>) {
        self.calls.push(call);
    }

    pub(crate) fn savepoint(&mut self) {
        self.savepoints.push(self.calls.len());
    }

    pub(crate) fn release(&mut self) {
        self.savepoints.pop();
    }

    pub(crate) fn rollback_to(&mut self) {
        if let Some(calls) = self.savepoints.pop() {
            self.calls.truncate(calls);
        }
    }

    /// Starts all of the futures.
    pub(crate) fn start(&mut self) {
        self.calls.drain(..).for_each(start);
    }
}

/// Starts a call for a change that is durable. A panic in it is logged: nothing depends on its end.
pub(crate) fn start(call: BoxFuture<'static, ()>) {
    tokio::spawn(async move {
        if AssertUnwindSafe(call).catch_unwind().await.is_err() {
            tracing::error!("a `committed` hook panicked; the change that it was called for stands");
        }
    });
}
