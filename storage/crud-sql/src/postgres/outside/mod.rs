//! PostgreSQL's dialect over a driver from outside: [`PostgresDriver`], and the adapter [`PostgresOver`].
//!
//! Statements are those of [`PostgresAdapter`](crate::PostgresAdapter), and values have the binary forms of PostgreSQL's
//! protocol in both directions: a driver sends and receives bytes, with the numbers of their types.

mod adapter;
mod connection;
mod engine;
mod failure;
mod pipeline;
#[cfg(test)]
mod wire;

use std::fmt;

pub use self::adapter::PostgresOver;
pub use self::failure::{DriverError, ServerReport};
use super::value::argument::Argument;
use crate::storage::adapter::BoxFuture;

/// A driver of PostgreSQL's protocol, beside the one that this crate has: connections, statements, and rows as bytes.
///
/// ```no_run
/// use crud_runtime::adapter::BoxFuture;
/// use crud_runtime::postgres_driver::{Cell, DriverError, Parameter, PostgresDriver, PostgresOver, QueryResult};
/// use crud_runtime::Service;
/// # #[derive(Debug)]
/// # struct Wire(String);
/// # struct WireConnection;
/// # impl PostgresDriver for Wire {
/// #     type Connection = WireConnection;
/// #     type Row = Vec<(u32, Option<Vec<u8>>)>;
/// #     fn connect(&self) -> BoxFuture<'_, Result<WireConnection, DriverError>> {
/// #         Box::pin(async { Err(DriverError::of_connection("there is no server")) })
/// #     }
/// #     fn is_open(_: &WireConnection) -> bool { true }
/// #     fn query<'a>(_: &'a mut WireConnection, _: &'a str, _: &'a [Parameter])
/// #     -> BoxFuture<'a, Result<QueryResult<Self::Row>, DriverError>> {
/// #         Box::pin(async { Err(DriverError::of_connection("there is no server")) })
/// #     }
/// #     fn batch<'a>(_: &'a mut WireConnection, _: &'a str) -> BoxFuture<'a, Result<(), DriverError>> {
/// #         Box::pin(async { Err(DriverError::of_connection("there is no server")) })
/// #     }
/// #     fn columns(row: &Self::Row) -> usize { row.len() }
/// #     fn cell(row: &Self::Row, index: usize) -> Result<Cell<'_>, DriverError> {
/// #         Ok(Cell { type_oid: row[index].0, bytes: row[index].1.as_deref() })
/// #     }
/// # }
///
/// let driver = Wire("host=localhost dbname=shop".to_owned());
/// let service = Service::from_adapter(PostgresOver::new(driver, 10));
/// ```
pub trait PostgresDriver: fmt::Debug + Send + Sync + 'static {
    /// A connection.
    type Connection: Send + 'static;

    /// A row of a statement.
    type Row: Send + Sync + 'static;

    /// Opens a connection.
    ///
    /// # Errors
    /// Errors of the driver.
    fn connect(&self) -> BoxFuture<'_, Result<Self::Connection, DriverError>>;

    /// Another handle of a connection, where the driver pipelines: a statement is sent before the answers to those of other
    /// handles have come, and the server runs one after the other. `None`, where it does not.
    fn share(_: &Self::Connection) -> Option<Self::Connection> {
        None
    }

    /// Whether a connection can be used again.
    fn is_open(connection: &Self::Connection) -> bool;

    /// Runs a statement to its end. Parameters have types, and every column of the rows is in the binary form.
    ///
    /// # Errors
    /// Errors of the driver; the server's with its [report](ServerReport).
    fn query<'a>(
        connection: &'a mut Self::Connection,
        statement: &'a str,
        parameters: &'a [Parameter],
    ) -> BoxFuture<'a, Result<QueryResult<Self::Row>, DriverError>>;

    /// Runs statements that have no parameters and whose rows are not read, in one message: begins and ends of transactions,
    /// and changes of tables.
    ///
    /// # Errors
    /// As [`query`](Self::query).
    fn batch<'a>(connection: &'a mut Self::Connection, statements: &'a str) -> BoxFuture<'a, Result<(), DriverError>>;

    /// Number of a row's columns.
    fn columns(row: &Self::Row) -> usize;

    /// The value of a column of a row.
    ///
    /// # Errors
    /// Where the row has no such column.
    fn cell(row: &Self::Row, index: usize) -> Result<Cell<'_>, DriverError>;
}

/// A value that a statement binds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    type_oid: u32,
    bytes: Option<Vec<u8>>,
}

impl Parameter {
    pub(super) fn of(argument: &Argument) -> Self {
        let (type_oid, bytes) = argument.encoded();
        Self { type_oid, bytes }
    }

    /// Number of its type, one of those that every database has (`pg_type.dat`).
    pub const fn type_oid(&self) -> u32 {
        self.type_oid
    }

    /// Its binary form; `None` for null.
    pub fn bytes(&self) -> Option<&[u8]> {
        self.bytes.as_deref()
    }
}

/// A value in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell<'r> {
    /// Number of its type.
    pub type_oid: u32,
    /// Its binary form; `None` for null.
    pub bytes: Option<&'r [u8]>,
}

/// Result of a statement.
#[derive(Debug, Clone)]
pub struct QueryResult<R> {
    /// The rows.
    pub rows: Vec<R>,
    /// Number of rows that the statement has changed; of a `SELECT`, those that it returned.
    pub changed: u64,
}
