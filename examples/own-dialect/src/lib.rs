//! PostgreSQL through tokio-postgres: statements, tables and values are `crud-runtime`'s, connections this crate's.

mod connection;
mod failure;
mod value;

use crud_runtime::adapter::BoxFuture;
use crud_runtime::postgres_driver::{Cell, DriverError, Parameter, PostgresDriver, QueryResult};
use tokio_postgres::{Config, NoTls, Row};

pub use crate::connection::Connection;
use crate::failure::failed;
use crate::value::Raw;

/// tokio-postgres, as a driver of `crud-runtime`.
#[derive(Debug)]
pub struct TokioPostgres {
    config: Config,
}

impl TokioPostgres {
    /// The driver of a database, by its URL.
    ///
    /// # Errors
    /// When the URL is not one of PostgreSQL's.
    pub fn new(url: &str) -> Result<Self, tokio_postgres::Error> {
        Ok(Self { config: url.parse()? })
    }
}

impl PostgresDriver for TokioPostgres {
    type Connection = Connection;
    type Row = Row;

    fn connect(&self) -> BoxFuture<'_, Result<Connection, DriverError>> {
        Box::pin(async move {
            let (client, connection) = self.config.connect(NoTls).await.map_err(failed)?;
            // It ends with the client; its error is that of the client's next statement too.
            tokio::spawn(connection);
            Ok(Connection::new(client))
        })
    }

    fn share(connection: &Connection) -> Option<Connection> {
        Some(connection.clone())
    }

    fn is_open(connection: &Connection) -> bool {
        connection.is_open()
    }

    fn query<'a>(
        connection: &'a mut Connection,
        statement: &'a str,
        parameters: &'a [Parameter],
    ) -> BoxFuture<'a, Result<QueryResult<Row>, DriverError>> {
        Box::pin(async move { connection.query(statement, parameters).await.map_err(failed) })
    }

    fn batch<'a>(connection: &'a mut Connection, statements: &'a str) -> BoxFuture<'a, Result<(), DriverError>> {
        Box::pin(async move { connection.batch(statements).await.map_err(failed) })
    }

    fn columns(row: &Row) -> usize {
        row.len()
    }

    fn cell(row: &Row, index: usize) -> Result<Cell<'_>, DriverError> {
        let bytes: Option<Raw<'_>> = row.try_get(index).map_err(failed)?;
        Ok(Cell { type_oid: row.columns()[index].type_().oid(), bytes: bytes.map(|raw| raw.0) })
    }
}
