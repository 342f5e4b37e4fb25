//! Transactions of several short calls that share one commit.
//!
//! Each transaction is a savepoint of an outer one, which stays open between them:
//!
//! ```sql
//! BEGIN IMMEDIATE;
//! SAVEPOINT level_1; …; RELEASE level_1;
//! SAVEPOINT level_1; …; ROLLBACK TO level_1; RELEASE level_1;
//! COMMIT;
//! ```
//!
//! The first one that ends starts a task that commits. The task queues for the connection like a request: transactions
//! that queued before it are part of the same commit, later ones of the next. A transaction ends, even by a rollback,
//! only when everything that it may have read is on disk. If the commit fails, each of the transactions is a conflict
//! and starts over.

use std::sync::Arc;

use super::connection::Connection;
use super::connection::slots::Slots;
use super::error::{Error, general};
use crate::model::adapter_error::AdapterError;

/// Begins a transaction whose commit others may share.
///
/// # Errors
/// When no connection is free in time, or the database fails.
pub(super) async fn begin(slots: &Arc<Slots>, statement: &'static str) -> Result<Connection, AdapterError> {
    let mut connection = Connection::sharing(slots.acquire_open().await?);
    if !connection.is_in_transaction() {
        connection.begin(statement).await.map_err(general)?;
    }
    connection.begin(statement).await.map_err(general)?;
    Ok(connection)
}

/// Ends a transaction that shares its commit: keeps or undoes its changes, and waits until everything before it is on
/// disk.
///
/// # Errors
/// [`Error::Lost`] when it has to start over; the error of the commit, when no other transaction shared it.
pub(super) async fn end(mut connection: Connection, keep: bool) -> Result<(), AdapterError> {
    let slots = connection.slots().map_err(general)?;
    let commit = connection.open().and_then(|open| open.join_commit(keep)).map_err(general)?;
    // The connection passes to the next transaction.
    drop(connection);
    let Some(commit) = commit else { return Ok(()) };
    if commit.is_first {
        tokio::spawn(async move {
            if let Some(leased) = slots.acquire_patiently().await {
                drop(leased.settled().await);
            }
        });
    }
    commit.done.await.unwrap_or_else(|_| Err(general(Error::Lost)))
}
