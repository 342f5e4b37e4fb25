//! [`SessionReads`]: the transaction that the reads of one request share.
//!
//! The first read begins it and sets the variables; the next one of the request goes on in it. It ends with the request, before
//! a change, which is a transaction for itself, and when no read has come for a while: the client of a long answer may be
//! slow, and a connection that is held is missing to others. An error ends it as well, as PostgreSQL aborts it then.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::sleep;

use super::session::PostgresSession;
use crate::storage::transaction::Transaction;
use crate::transaction::SqlTransaction;

/// Time without a read after which the transaction ends: many times that between two reads of one answer.
const IDLE: Duration = Duration::from_millis(50);

/// The transaction between the reads of a request.
#[derive(Debug, Default)]
pub(super) struct SessionReads(Mutex<Slot>);

#[derive(Default)]
struct Slot {
    /// None while a read is in it, and before the first one.
    transaction: Option<SqlTransaction<PostgresSession>>,
    /// Number of reads that have left it open.
    reads: u64,
    /// Whether a task ends it when it is idle.
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
    /// The open transaction, for one read; a read beside it has one for itself.
    pub(super) fn take(&self) -> Option<SqlTransaction<PostgresSession>> {
        self.slot().transaction.take()
    }

    /// Leaves a transaction open for the next read; returned where there is another one.
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

    /// The transaction, if no read has come since there were so many; the number of reads otherwise.
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

/// The request has ended. The commit is not waited for: nothing was changed.
impl Drop for SessionReads {
    fn drop(&mut self) {
        let slot = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let (Some(transaction), Ok(runtime)) = (slot.transaction.take(), Handle::try_current()) {
            runtime.spawn(end(transaction));
        }
    }
}

/// Ends a transaction of reads. One that cannot be committed is rolled back, which is the same.
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
