//! PostgreSQL through tokio-postgres: statements, tables and values are `crud-runtime`'s, connections this crate's.

mod failure;
mod value;

use std::pin::pin;

use crud_runtime::adapter::BoxFuture;
use crud_runtime::postgres_driver::{Answer, Cell, DriverError, Parameter, PostgresDriver};
use futures_util::TryStreamExt;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Config, NoTls, Row};

use crate::failure::failed;
use crate::value::{Bound, Raw};

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
    type Connection = Client;
    type Row = Row;

    fn connect(&self) -> BoxFuture<'_, Result<Client, DriverError>> {
        Box::pin(async move {
            let (client, connection) = self.config.connect(NoTls).await.map_err(failed)?;
            // It ends with the client; its error is that of the client's next statement too.
            tokio::spawn(connection);
            Ok(client)
        })
    }

    fn is_open(client: &Client) -> bool {
        !client.is_closed()
    }

    fn query<'a>(
        client: &'a mut Client,
        statement: &'a str,
        parameters: &'a [Parameter],
    ) -> BoxFuture<'a, Result<Answer<Row>, DriverError>> {
        Box::pin(async move {
            let typed = parameters.iter().map(|parameter| {
                // Every parameter has a type that each database has.
                (Bound(parameter), Type::from_oid(parameter.type_oid()).unwrap_or(Type::UNKNOWN))
            });
            let mut stream = pin!(client.query_typed_raw(statement, typed).await.map_err(failed)?);
            let mut rows = Vec::new();
            while let Some(row) = stream.try_next().await.map_err(failed)? {
                rows.push(row);
            }
            Ok(Answer { rows, changed: stream.rows_affected().unwrap_or_default() })
        })
    }

    fn batch<'a>(client: &'a mut Client, statements: &'a str) -> BoxFuture<'a, Result<(), DriverError>> {
        Box::pin(async move { client.batch_execute(statements).await.map_err(failed) })
    }

    fn columns(row: &Row) -> usize {
        row.len()
    }

    fn cell(row: &Row, index: usize) -> Result<Cell<'_>, DriverError> {
        let bytes: Option<Raw<'_>> = row.try_get(index).map_err(failed)?;
        Ok(Cell { type_oid: row.columns()[index].type_().oid(), bytes: bytes.map(|raw| raw.0) })
    }
}
