//! [`Mode`]: how changes are made durable, found when the database is opened.

use mongodb::bson::doc;
use uuid::Uuid;

use super::database::Database;
use super::error::{Failure, failed};
use super::field::KEY;
use super::record::raw;
use crate::model::adapter_error::AdapterError;
use crate::storage::capabilities::Capabilities;

/// The collection in which a transaction is tried.
const TRIAL: &str = "_trial";

/// The way in which changes become durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Each change is a write of one document.
    Single,
    /// Changes are in the server's transactions.
    Transactions,
}

impl Mode {
    /// The mode of a server, found by trying: a transaction writes and is aborted, and what it wrote must be gone. What
    /// a server says of itself is not enough: some answer the commands of transactions and do nothing.
    ///
    /// # Errors
    /// When the server cannot be reached.
    pub(super) async fn find(database: &Database) -> Result<Self, AdapterError> {
        let hello = database.command(doc! { "hello": 1 }).await?;
        // Transactions need a replica set or a sharded cluster.
        if hello.get("setName").is_none() && !hello.get_str("msg").is_ok_and(|message| message == "isdbgrid") {
            return Ok(Self::Single);
        }
        database.create(TRIAL).await?;
        let key = Uuid::now_v7().to_string();
        let trial = raw(&doc! { KEY: key.as_str() })?;
        let mut transaction = database.transaction().await?;
        let written = transaction.insert(TRIAL, &trial).await;
        transaction.abort().await;
        let mut session = database.session();
        let is_stored = session.delete(TRIAL, doc! { KEY: key.as_str() }).await.map_err(Failure::into_adapter)?;
        match (written, is_stored) {
            (Ok(()), false) => Ok(Self::Transactions),
            (Err(Failure::Adapter(error @ AdapterError::Unavailable(_))), _) => Err(error),
            (Err(Failure::Transient(error)), _) => Err(failed(error)),
            // The write failed, or stayed in spite of the abort.
            _ => Ok(Self::Single),
        }
    }

    /// Capabilities of storage in this mode.
    pub(super) const fn capabilities(self) -> Capabilities {
        match self {
            Self::Single => Capabilities::new().with_full_text(),
            Self::Transactions => Capabilities::new().with_full_text().with_transactions(),
        }
    }
}
