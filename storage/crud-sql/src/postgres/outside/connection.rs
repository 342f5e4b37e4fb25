//! [`Session`]: a connection of a driver from outside, with its transaction.

use std::time::Duration;

use super::{DriverError, Parameter, PostgresDriver, QueryResult};
use crate::storage::trace;

/// A connection, and where it is in its transaction.
pub(crate) struct Session<W: PostgresDriver> {
    connection: W::Connection,
    /// Number of transactions that are open: the first one, and the savepoints within it.
    depth: usize,
    /// Statements that run before its next use.
    pending: String,
    /// Whether a call has begun and not ended: what the connection is in then is not known.
    is_busy: bool,
}

impl<W: PostgresDriver> Session<W> {
    pub(super) const fn new(connection: W::Connection) -> Self {
        Self { connection, depth: 0, pending: String::new(), is_busy: false }
    }

    /// Opens a connection with these limits of a statement and, in milliseconds, of the wait for a lock.
    pub(super) async fn connect(driver: &W, statement: Duration, lock: u64) -> Result<Self, DriverError> {
        let mut session = Self::new(driver.connect().await?);
        let statement = statement.as_millis();
        session.batch(&format!("SET statement_timeout = {statement}; SET lock_timeout = {lock}")).await?;
        Ok(session)
    }

    /// Another handle of the connection, where the driver pipelines.
    pub(super) fn share(&self) -> Option<W::Connection> {
        W::share(&self.connection)
    }

    pub(super) const fn is_in_transaction(&self) -> bool {
        self.depth > 0
    }

    /// Rolls all transactions back before the next use; whether there will be one.
    pub(super) fn abandon(&mut self) -> bool {
        if self.depth > 0 {
            "ROLLBACK;".clone_into(&mut self.pending);
            self.depth = 0;
        }
        !self.is_busy && self.is_open()
    }

    /// Whether it can be used again.
    pub(super) fn is_open(&self) -> bool {
        W::is_open(&self.connection)
    }

    /// Whether no statement has to run before its next use.
    pub(super) const fn is_settled(&self) -> bool {
        self.pending.is_empty()
    }

    pub(super) async fn query(
        &mut self,
        statement: &str,
        parameters: &[Parameter],
    ) -> Result<QueryResult<W::Row>, DriverError> {
        self.settle().await?;
        trace::statement(statement);
        self.is_busy = true;
        let answer = W::query(&mut self.connection, statement, parameters).await;
        self.is_busy = false;
        answer
    }

    pub(super) async fn batch(&mut self, statements: &str) -> Result<(), DriverError> {
        self.settle().await?;
        self.send(statements).await
    }

    /// Begins a transaction by this statement; within one, a savepoint.
    pub(super) async fn begin(&mut self, statement: &str) -> Result<(), DriverError> {
        if self.depth == 0 {
            self.batch(statement).await?;
        } else {
            self.batch(&format!("SAVEPOINT crud_{}", self.depth)).await?;
        }
        self.depth += 1;
        Ok(())
    }

    pub(super) async fn commit(&mut self) -> Result<(), DriverError> {
        let end = self.end("COMMIT", "RELEASE SAVEPOINT");
        self.batch(&end).await?;
        self.depth = self.depth.saturating_sub(1);
        Ok(())
    }

    pub(super) async fn rollback(&mut self) -> Result<(), DriverError> {
        let end = self.end("ROLLBACK", "ROLLBACK TO SAVEPOINT");
        self.batch(&end).await?;
        self.depth = self.depth.saturating_sub(1);
        Ok(())
    }

    /// Rolls the transaction back, or to its latest savepoint, before the next use.
    pub(super) fn start_rollback(&mut self) {
        if self.depth > 0 {
            let end = self.end("ROLLBACK", "ROLLBACK TO SAVEPOINT");
            self.pending.push_str(&end);
            self.pending.push(';');
            self.depth -= 1;
        }
    }

    /// The statement that ends the innermost transaction.
    fn end(&self, whole: &str, savepoint: &str) -> String {
        if self.depth > 1 { format!("{savepoint} crud_{}", self.depth - 1) } else { whole.to_owned() }
    }

    /// Runs the statements that are due before the next use.
    pub(super) async fn settle(&mut self) -> Result<(), DriverError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let pending = std::mem::take(&mut self.pending);
        self.send(&pending).await
    }

    async fn send(&mut self, statements: &str) -> Result<(), DriverError> {
        trace::statement(statements);
        self.is_busy = true;
        let sent = W::batch(&mut self.connection, statements).await;
        self.is_busy = false;
        sent
    }
}
