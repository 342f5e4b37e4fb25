//! [`Execution`] of the databases over sqlx: statements as streams of steps, and transactions through sqlx's transaction
//! manager.

use std::future::ready;

use futures_util::TryStreamExt;
use futures_util::stream::{self, BoxStream};
use sqlx::database::HasStatementCache;
use sqlx::{
    ColumnIndex, Connection as _, Database, Decode, Either, Executor, IntoArguments, Row as _, SqlSafeStr, SqlStr, Type,
};
use sqlx_core::transaction::TransactionManager;

use super::TARGET;
use super::dialect::Dialect;
use super::driver::Execution;
use super::statement::{Statement, Text};
use crate::model::adapter_error::AdapterError;
use crate::storage::adapter::{AdapterFuture, BoxFuture};
use crate::storage::trace;

/// The sqlx database of a connection.
#[cfg(any(feature = "mysql", feature = "postgres"))]
pub(super) type DatabaseOf<C> = <C as sqlx::Connection>::Database;

/// Stream of a statement's results while it runs.
pub(super) type Steps<'a, DB> =
    BoxStream<'a, sqlx::Result<Either<<DB as Database>::QueryResult, <DB as Database>::Row>>>;

/// A connection of the database.
type ConnectionOf<D> = <<D as SqlxDatabase>::Database as Database>::Connection;

/// A row of the database.
type RowOf<D> = <<D as SqlxDatabase>::Database as Database>::Row;

type TransactionManagerOf<D> = <<D as SqlxDatabase>::Database as Database>::TransactionManager;

/// A database over sqlx: what the [`Execution`] of its statements differs in.
pub(super) trait SqlxDatabase: Dialect<Argument: Send + Sync> + 'static {
    /// The database.
    type Database: Database + HasStatementCache;

    /// The check after statements, where one is due.
    const CHECK: Option<&'static Check<Self::Database>> = None;

    /// Begins a statement.
    fn steps(
        connection: &mut ConnectionOf<Self>,
        text: Text,
        arguments: Vec<Self::Argument>,
    ) -> Steps<'_, Self::Database>;

    /// The number of rows that a statement changed.
    fn affected(result: &<Self::Database as Database>::QueryResult) -> u64;

    /// Whether a statement failed because the connection had prepared it for a table that has changed since.
    fn is_stale(_: &sqlx::Error) -> bool {
        false
    }

    /// See [`Execution::general`].
    fn general(error: sqlx::Error) -> AdapterError;
}

/// A driver's check after a statement, for results that do not prove that the connection's transaction still exists.
pub(super) struct Check<DB: Database> {
    /// Chooses, before a statement runs, whether the check runs after it.
    pub(super) after: fn(&DB::Connection, &Text) -> After,
    /// Fails where the transaction is gone.
    pub(super) run: for<'c> fn(&'c mut DB::Connection) -> BoxFuture<'c, sqlx::Result<()>>,
}

/// The statements after which a [`Check`] runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
    /// No check.
    Nothing,
    /// Check after a statement that returned no row.
    NoRows,
    /// Check after any statement.
    Anything,
}

/// The check that is due after a statement.
fn due<D: SqlxDatabase>(connection: &ConnectionOf<D>, text: &Text) -> After {
    D::CHECK.map_or(After::Nothing, |check| (check.after)(connection, text))
}

/// Runs the check that is due after a statement.
async fn check<D: SqlxDatabase>(connection: &mut ConnectionOf<D>, due: After, has_rows: bool) -> sqlx::Result<()> {
    let is_due = match due {
        After::Nothing => false,
        After::NoRows => !has_rows,
        After::Anything => true,
    };
    match D::CHECK {
        Some(check) if is_due => (check.run)(connection).await,
        _ => Ok(()),
    }
}

/// Forgets the prepared statements of a connection, where one of them is outdated.
async fn forget_outdated<DB: Database + HasStatementCache>(connection: &mut DB::Connection, is_outdated: bool) {
    if is_outdated && let Err(error) = connection.clear_cached_statements().await {
        tracing::debug!(target: TARGET, %error, "the prepared statements of a connection could not be closed");
    }
}

/// Begins a statement. If its arguments cannot be bound, the first step is that error.
pub(super) fn steps<'c, DB: Database>(
    connection: &'c mut DB::Connection,
    text: Text,
    arguments: sqlx::Result<DB::Arguments>,
) -> Steps<'c, DB>
where
    &'c mut DB::Connection: Executor<'c, Database = DB>,
    DB::Arguments: IntoArguments<DB>,
{
    let text = text.into_sql_str();
    trace::statement(text.as_str());
    run::<DB>(connection, text, arguments)
}

/// Runs a statement whose trace event is already emitted.
pub(super) fn run<'c, DB: Database>(
    connection: &'c mut DB::Connection,
    text: SqlStr,
    arguments: sqlx::Result<DB::Arguments>,
) -> Steps<'c, DB>
where
    &'c mut DB::Connection: Executor<'c, Database = DB>,
    DB::Arguments: IntoArguments<DB>,
{
    match arguments {
        Ok(arguments) => connection.fetch_many(sqlx::query_with(text, arguments)),
        Err(error) => Box::pin(stream::once(ready(Err(error)))),
    }
}

impl<D: SqlxDatabase> Execution for D
where
    for<'c> &'c mut ConnectionOf<D>: Executor<'c, Database = D::Database>,
    for<'r> i64: Decode<'r, D::Database> + Type<D::Database>,
    usize: ColumnIndex<RowOf<D>>,
{
    type Connection = ConnectionOf<D>;
    type Row = RowOf<D>;
    type Error = sqlx::Error;

    fn begin<'a>(connection: &'a mut ConnectionOf<D>, statement: &'static str) -> BoxFuture<'a, sqlx::Result<()>> {
        Box::pin(async move {
            let statement = (!Self::is_in_transaction(connection)).then(|| statement.into_sql_str());
            TransactionManagerOf::<D>::begin(connection, statement).await
        })
    }

    fn commit(connection: &mut ConnectionOf<D>) -> BoxFuture<'_, sqlx::Result<()>> {
        Box::pin(TransactionManagerOf::<D>::commit(connection))
    }

    fn rollback(connection: &mut ConnectionOf<D>) -> BoxFuture<'_, sqlx::Result<()>> {
        Box::pin(TransactionManagerOf::<D>::rollback(connection))
    }

    fn start_rollback(connection: &mut ConnectionOf<D>) {
        TransactionManagerOf::<D>::start_rollback(connection);
    }

    fn is_in_transaction(connection: &ConnectionOf<D>) -> bool {
        TransactionManagerOf::<D>::get_transaction_depth(connection) > 0
    }

    fn all(connection: &mut ConnectionOf<D>, statement: Statement<D>) -> BoxFuture<'_, sqlx::Result<Vec<RowOf<D>>>> {
        Box::pin(async move {
            let read = all::<D>(connection, statement).await;
            forget_outdated::<D::Database>(connection, read.as_ref().is_err_and(D::is_stale)).await;
            read
        })
    }

    fn each<'a>(
        connection: &'a mut ConnectionOf<D>,
        statement: Statement<D>,
        each: &'a mut (dyn FnMut(&RowOf<D>) -> Result<(), AdapterError> + Send),
    ) -> AdapterFuture<'a, ()> {
        Box::pin(async move {
            let mut outdated = false;
            let passed = pass_each::<D>(connection, statement, each, |error| {
                outdated |= D::is_stale(&error);
                <D as SqlxDatabase>::general(error)
            });
            let passed = passed.await;
            forget_outdated::<D::Database>(connection, outdated).await;
            passed
        })
    }

    fn change(connection: &mut ConnectionOf<D>, statement: Statement<D>) -> BoxFuture<'_, sqlx::Result<u64>> {
        Box::pin(async move {
            let changed = change::<D>(connection, statement).await;
            forget_outdated::<D::Database>(connection, changed.as_ref().is_err_and(D::is_stale)).await;
            changed
        })
    }

    fn number_in(row: &RowOf<D>, column: usize) -> sqlx::Result<i64> {
        row.try_get(column)
    }

    fn execute<'a>(connection: &'a mut ConnectionOf<D>, text: &'static str) -> BoxFuture<'a, sqlx::Result<()>> {
        Box::pin(async move { connection.execute(text).await.map(drop) })
    }

    fn general(error: sqlx::Error) -> AdapterError {
        <D as SqlxDatabase>::general(error)
    }

    #[cfg(feature = "migrations")]
    fn script(connection: &mut ConnectionOf<D>, text: String) -> BoxFuture<'_, sqlx::Result<()>> {
        Box::pin(async move { connection.execute(Text::Assembled(text)).await.map(drop) })
    }

    #[cfg(feature = "migrations")]
    fn message(error: &sqlx::Error) -> String {
        error.as_database_error().map_or_else(|| error.to_string(), |error| error.message().to_owned())
    }
}

async fn all<D: SqlxDatabase>(
    connection: &mut ConnectionOf<D>,
    statement: Statement<D>,
) -> sqlx::Result<Vec<RowOf<D>>> {
    let mut rows = Vec::new();
    let mut next = Some(statement);
    while let Some(Statement { text, arguments, then }) = next.filter(|_| rows.is_empty()) {
        let due = due::<D>(connection, &text);
        let mut steps = D::steps(connection, text, arguments);
        while let Some(step) = steps.try_next().await? {
            rows.extend(step.right());
        }
        drop(steps);
        check::<D>(connection, due, !rows.is_empty()).await?;
        next = then.map(|then| *then);
    }
    Ok(rows)
}

async fn pass_each<D: SqlxDatabase>(
    connection: &mut ConnectionOf<D>,
    statement: Statement<D>,
    each: &mut (dyn FnMut(&RowOf<D>) -> Result<(), AdapterError> + Send),
    mut translate: impl FnMut(sqlx::Error) -> AdapterError + Send,
) -> Result<(), AdapterError> {
    let due = due::<D>(connection, &statement.text);
    let mut has_rows = false;
    let mut steps = D::steps(connection, statement.text, statement.arguments);
    while let Some(step) = steps.try_next().await.map_err(&mut translate)? {
        if let Either::Right(row) = step {
            has_rows = true;
            each(&row)?;
        }
    }
    drop(steps);
    check::<D>(connection, due, has_rows).await.map_err(&mut translate)
}

async fn change<D: SqlxDatabase>(connection: &mut ConnectionOf<D>, statement: Statement<D>) -> sqlx::Result<u64> {
    let due = due::<D>(connection, &statement.text);
    let mut has_rows = false;
    let mut steps = D::steps(connection, statement.text, statement.arguments);
    let mut count = 0;
    while let Some(step) = steps.try_next().await? {
        has_rows |= step.is_right();
        count += step.left().as_ref().map_or(0, D::affected);
    }
    drop(steps);
    check::<D>(connection, due, has_rows).await?;
    Ok(count)
}
