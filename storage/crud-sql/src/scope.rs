//! [`Scope`]: a transaction on a borrowed connection.

use std::ops::{Deref, DerefMut};

use super::driver::{Connection, Driver};

/// A transaction, or a savepoint within one, that is rolled back when it is dropped.
pub(crate) struct Scope<'c, D: Driver> {
    connection: &'c mut Connection<D>,
    open: bool,
}

impl<'c, D: Driver> Scope<'c, D> {
    /// Begins a transaction with this statement, or a savepoint within a transaction.
    pub(crate) async fn begin(connection: &'c mut Connection<D>, statement: &'static str) -> Result<Self, D::Error> {
        let scope = Self { connection, open: true };
        D::begin(scope.connection, statement).await?;
        Ok(scope)
    }

    /// Commits the transaction, or releases the savepoint.
    pub(crate) async fn commit(mut self) -> Result<(), D::Error> {
        D::commit(self.connection).await?;
        self.open = false;
        Ok(())
    }

    /// Rolls the transaction back, or to the savepoint.
    pub(crate) async fn rollback(mut self) -> Result<(), D::Error> {
        D::rollback(self.connection).await?;
        self.open = false;
        Ok(())
    }
}

impl<D: Driver> Deref for Scope<'_, D> {
    type Target = Connection<D>;

    fn deref(&self) -> &Connection<D> {
        self.connection
    }
}

impl<D: Driver> DerefMut for Scope<'_, D> {
    fn deref_mut(&mut self) -> &mut Connection<D> {
        self.connection
    }
}

impl<D: Driver> Drop for Scope<'_, D> {
    fn drop(&mut self) {
        if self.open {
            D::start_rollback(self.connection);
        }
    }
}
