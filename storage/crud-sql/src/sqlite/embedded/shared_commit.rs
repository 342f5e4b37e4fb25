//! Transactions of several short calls that share one commit.
//!
//! Each is a savepoint of a transaction that stays open between them:
//!
//! ```sql
//! BEGIN IMMEDIATE;
//! SAVEPOINT level_1; …; RELEASE level_1;
//! SAVEPOINT level_1; …; ROLLBACK TO level_1; RELEASE level_1;
//! COMMIT;
//! ```
//!
//! The first one that ends starts a task that commits, which waits for the connection like any other: the transactions
//! that waited before it are part of the same commit, and later ones of the next. A transaction ends, even one that is
//! rolled back, when what it may have read is on disk. Where that fails, each is a conflict and starts over.

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

/// Ends such a transaction: keeps or undoes what it did, and waits until everything before it is on disk.
///
/// # Errors
/// [`Error::Lost`] when it has to start over; why the commit failed, when it was alone.
pub(super) async fn end(mut connection: Connection, keep: bool) -> Result<(), AdapterError> {
    let slots = connection.slots().map_err(general)?;
    let commit = connection.open().and_then(|open| open.join_commit(keep)).map_err(general)?;
    // The connection passes to the next one.
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
