//! [`SessionReads`]: the transaction that the reads of one request share.
//!
//! The first read begins the transaction and sets the variables; later reads of the request continue in it. The
//! transaction ends with the request, before a change, and after an idle time: the client of a long answer may be slow,
//! while other requests need the connection. An error ends it as well, as PostgreSQL then aborts it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::sleep;

use super::session::PostgresSession;
use crate::storage::transaction::Transaction;
use crate::transaction::SqlTransaction;

/// Idle time after which the transaction ends: many times the time between two reads of one answer.
const IDLE: Duration = Duration::from_millis(50);

/// The transaction between the reads of a request.
#[derive(Debug, Default)]
pub(super) struct SessionReads(Mutex<Slot>);

#[derive(Default)]
struct Slot {
    /// `None` while a read uses the transaction, and before the first read.
    transaction: Option<SqlTransaction<PostgresSession>>,
    /// Number of reads that have left the transaction open.
    reads: u64,
    /// Whether a task waits to end the idle transaction.
    is_watched: bool,
}

impl std::fmt::Debug for Slot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { transaction, reads, is_watched } = self;
        let is_open = transaction.is_some();
        f.debug_struct("Slot").field("is_open", &is_open).field("reads", reads).field("is_watched", is_watched).finish()
    }
}

impl SessionReads {
    /// Takes the open transaction for a read. A concurrent read has to begin its own.
    pub(super) fn take(&self) -> Option<SqlTransaction<PostgresSession>> {
        self.slot().transaction.take()
    }

    /// Leaves a transaction open for the next read. It is returned where another one is already open.
    pub(super) fn put(
        self: &Arc<Self>,
        transaction: SqlTransaction<PostgresSession>,
    ) -> Option<SqlTransaction<PostgresSession>> {
        let mut slot = self.slot();
        if slot.transaction.is_some() {
            return Some(transaction);
        }
        let Ok(runtime) = Handle::try_current() else { return Some(transaction) };
        slot.transaction = Some(transaction);
        slot.reads += 1;
        if !std::mem::replace(&mut slot.is_watched, true) {
            runtime.spawn(watch(Arc::downgrade(self), slot.reads));
        }
        None
    }

    /// Takes the transaction if the number of reads is still `reads`; returns the new number otherwise.
    fn idle_since(&self, reads: u64) -> Result<Option<SqlTransaction<PostgresSession>>, u64> {
        let mut slot = self.slot();
        if slot.reads != reads {
            return Err(slot.reads);
        }
        slot.is_watched = false;
        Ok(slot.transaction.take())
    }

    fn slot(&self) -> MutexGuard<'_, Slot> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the transaction with the request. The commit is not waited for: nothing was changed.
impl Drop for SessionReads {
    fn drop(&mut self) {
        let slot = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let (Some(transaction), Ok(runtime)) = (slot.transaction.take(), Handle::try_current()) {
            runtime.spawn(end(transaction));
        }
    }
}

/// Ends a transaction of reads. If the commit fails, the transaction is rolled back, which is the same for reads.
pub(super) async fn end(mut transaction: SqlTransaction<PostgresSession>) {
    transaction.commit().await.ok();
}

/// Ends the transaction when no read has come for a while.
async fn watch(session: Weak<SessionReads>, mut reads: u64) {
    loop {
        sleep(IDLE).await;
        let Some(session) = session.upgrade() else { return };
        match session.idle_since(reads) {
            Err(later) => reads = later,
            Ok(None) => return,
            Ok(Some(transaction)) => {
                drop(session);
                return end(transaction).await;
            }
        }
    }
}
