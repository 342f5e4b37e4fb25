//! [`Connection`]: a client, and the statements that it has prepared.

use std::collections::HashMap;
use std::fmt;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crud_runtime::postgres_driver::{Parameter, QueryResult};
use futures_util::TryStreamExt;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Error, Row, Statement};

use crate::value::Bound;

/// Number of statements that a connection keeps prepared.
const MOST: usize = 200;

/// A handle of a connection to a server.
#[derive(Clone)]
pub struct Connection {
    client: Arc<Client>,
    prepared: Arc<Mutex<HashMap<String, Statement>>>,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("prepared", &self.statements().len()).finish_non_exhaustive()
    }
}

impl Connection {
    pub(crate) fn new(client: Client) -> Self {
        Self { client: Arc::new(client), prepared: Arc::default() }
    }

    pub(crate) fn is_open(&self) -> bool {
        !self.client.is_closed()
    }

    /// Runs a statement to its end. A statement that was prepared for a table that has changed since is refused once.
    pub(crate) async fn query(&self, text: &str, parameters: &[Parameter]) -> Result<QueryResult<Row>, Error> {
        let statement = self.prepared(text, parameters).await?;
        let answer = run(&self.client, &statement, parameters).await;
        if answer.as_ref().is_err_and(|error| error.code() == Some(&SqlState::FEATURE_NOT_SUPPORTED)) {
            self.statements().clear();
        }
        answer
    }

    pub(crate) async fn batch(&self, statements: &str) -> Result<(), Error> {
        self.client.batch_execute(statements).await
    }

    fn statements(&self) -> MutexGuard<'_, HashMap<String, Statement>> {
        self.prepared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn prepared(&self, text: &str, parameters: &[Parameter]) -> Result<Statement, Error> {
        let prepared = self.statements().get(text).cloned();
        if let Some(statement) = prepared {
            return Ok(statement);
        }
        // Every parameter has a type that each database has.
        let of = |parameter: &Parameter| Type::from_oid(parameter.type_oid()).unwrap_or(Type::UNKNOWN);
        let types: Vec<Type> = parameters.iter().map(of).collect();
        let statement = self.client.prepare_typed(text, &types).await?;
        let mut statements = self.statements();
        if statements.len() >= MOST {
            statements.clear();
        }
        statements.insert(text.to_owned(), statement.clone());
        Ok(statement)
    }
}

async fn run(client: &Client, statement: &Statement, parameters: &[Parameter]) -> Result<QueryResult<Row>, Error> {
    let mut stream = pin!(client.query_raw(statement, parameters.iter().map(Bound)).await?);
    let mut rows = Vec::new();
    while let Some(row) = stream.try_next().await? {
        rows.push(row);
    }
    Ok(QueryResult { rows, changed: stream.rows_affected().unwrap_or_default() })
}
