//! Shared code of the drivers over sqlx: statements as streams of steps, and transactions through sqlx's transaction
//! manager.

use std::future::ready;

use futures_util::TryStreamExt;
use futures_util::stream::{self, BoxStream};
use sqlx::database::HasStatementCache;
use sqlx::{Connection as _, Database, Either, Executor, IntoArguments, SqlSafeStr, SqlStr};
use sqlx_core::transaction::TransactionManager;

use super::TARGET;
use super::dialect::Dialect;
use super::statement::{Statement, Text};
use crate::model::adapter_error::AdapterError;
use crate::storage::adapter::BoxFuture;
use crate::storage::trace;

/// The sqlx database of a connection.
#[cfg(any(feature = "mysql", feature = "postgres"))]
pub(super) type DatabaseOf<C> = <C as sqlx::Connection>::Database;

/// Stream of a statement's results while it runs.
pub(super) type Steps<'a, DB> =
    BoxStream<'a, sqlx::Result<Either<<DB as Database>::QueryResult, <DB as Database>::Row>>>;

/// Function with which a database begins a statement.
pub(super) type Begin<D, DB> =
    for<'c> fn(&'c mut <DB as Database>::Connection, Text, Vec<<D as Dialect>::Argument>) -> Steps<'c, DB>;

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

/// A check that is due after a statement.
struct Due<DB: Database> {
    after: After,
    check: Option<&'static Check<DB>>,
}

impl<DB: Database> Due<DB> {
    fn of(connection: &DB::Connection, text: &Text, check: Option<&'static Check<DB>>) -> Self {
        let after = check.map_or(After::Nothing, |check| (check.after)(connection, text));
        Self { after, check }
    }

    async fn run(self, connection: &mut DB::Connection, has_rows: bool) -> sqlx::Result<()> {
        let due = match self.after {
            After::Nothing => false,
            After::NoRows => !has_rows,
            After::Anything => true,
        };
        match self.check {
            Some(check) if due => (check.run)(connection).await,
            _ => Ok(()),
        }
    }
}

/// Whether a statement failed because the connection had prepared it for a table that has changed since.
pub(super) type IsOutdated = fn(&sqlx::Error) -> bool;

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

/// See [`Driver::all`](super::driver::Driver::all).
pub(super) async fn all<D: Dialect, DB: Database + HasStatementCache>(
    connection: &mut DB::Connection,
    statement: Statement<D>,
    begin: Begin<D, DB>,
    check: Option<&'static Check<DB>>,
    is_outdated: IsOutdated,
) -> sqlx::Result<Vec<DB::Row>> {
    let read: sqlx::Result<Vec<DB::Row>> = async {
        let mut rows = Vec::new();
        let mut next = Some(statement);
        while let Some(Statement { text, arguments, then }) = next.filter(|_| rows.is_empty()) {
            let due = Due::of(connection, &text, check);
            let mut steps = begin(connection, text, arguments);
            while let Some(step) = steps.try_next().await? {
                rows.extend(step.right());
            }
            drop(steps);
            due.run(connection, !rows.is_empty()).await?;
            next = then.map(|then| *then);
        }
        Ok(rows)
    }
    .await;
    forget_outdated::<DB>(connection, read.as_ref().is_err_and(is_outdated)).await;
    read
}

/// See [`Driver::each`](super::driver::Driver::each).
pub(super) async fn each<D: Dialect, DB: Database + HasStatementCache>(
    connection: &mut DB::Connection,
    statement: Statement<D>,
    begin: Begin<D, DB>,
    check: Option<&'static Check<DB>>,
    (general, is_outdated): (fn(sqlx::Error) -> AdapterError, IsOutdated),
    each: &mut (dyn FnMut(&DB::Row) -> Result<(), AdapterError> + Send),
) -> Result<(), AdapterError> {
    let mut outdated = false;
    let mut translate = |error: sqlx::Error| {
        outdated |= is_outdated(&error);
        general(error)
    };
    let passed: Result<(), AdapterError> = async {
        let due = Due::of(connection, &statement.text, check);
        let mut has_rows = false;
        let mut steps = begin(connection, statement.text, statement.arguments);
        while let Some(step) = steps.try_next().await.map_err(&mut translate)? {
            if let Either::Right(row) = step {
                has_rows = true;
                each(&row)?;
            }
        }
        drop(steps);
        due.run(connection, has_rows).await.map_err(&mut translate)
    }
    .await;
    forget_outdated::<DB>(connection, outdated).await;
    passed
}

/// See [`Driver::change`](super::driver::Driver::change).
pub(super) async fn change<D: Dialect, DB: Database + HasStatementCache>(
    connection: &mut DB::Connection,
    statement: Statement<D>,
    begin: Begin<D, DB>,
    check: Option<&'static Check<DB>>,
    affected: fn(&DB::QueryResult) -> u64,
    is_outdated: IsOutdated,
) -> sqlx::Result<u64> {
    let changed: sqlx::Result<u64> = async {
        let due = Due::of(connection, &statement.text, check);
        let mut has_rows = false;
        let mut steps = begin(connection, statement.text, statement.arguments);
        let mut count = 0;
        while let Some(step) = steps.try_next().await? {
            has_rows |= step.is_right();
            count += step.left().as_ref().map_or(0, affected);
        }
        drop(steps);
        due.run(connection, has_rows).await?;
        Ok(count)
    }
    .await;
    forget_outdated::<DB>(connection, changed.as_ref().is_err_and(is_outdated)).await;
    changed
}

/// Begins a transaction with this statement, or a savepoint within a transaction.
pub(super) async fn begin<DB: Database>(connection: &mut DB::Connection, statement: &'static str) -> sqlx::Result<()> {
    let statement = (!is_in_transaction::<DB>(connection)).then(|| statement.into_sql_str());
    DB::TransactionManager::begin(connection, statement).await
}

/// Whether the connection is in a transaction.
pub(super) fn is_in_transaction<DB: Database>(connection: &DB::Connection) -> bool {
    DB::TransactionManager::get_transaction_depth(connection) > 0
}

/// The items of [`Driver`](super::driver::Driver) that every sqlx database shares. Errors are translated by the module
/// `error` in scope.
macro_rules! driver_items {
    ($database:ty, $steps:path, $check:expr, $affected:path, $outdated:expr) => {
        type Connection = <$database as ::sqlx::Database>::Connection;
        type Row = <$database as ::sqlx::Database>::Row;
        type Error = ::sqlx::Error;

        fn begin<'a>(connection: &'a mut Self::Connection, statement: &'static str) -> BoxFuture<'a, sqlx::Result<()>> {
            Box::pin($crate::over_sqlx::begin::<$database>(connection, statement))
        }

        fn commit(connection: &mut Self::Connection) -> BoxFuture<'_, sqlx::Result<()>> {
            use ::sqlx_core::transaction::TransactionManager;
            Box::pin(<$database as ::sqlx::Database>::TransactionManager::commit(connection))
        }

        fn rollback(connection: &mut Self::Connection) -> BoxFuture<'_, sqlx::Result<()>> {
            use ::sqlx_core::transaction::TransactionManager;
            Box::pin(<$database as ::sqlx::Database>::TransactionManager::rollback(connection))
        }

        fn start_rollback(connection: &mut Self::Connection) {
            use ::sqlx_core::transaction::TransactionManager;
            <$database as ::sqlx::Database>::TransactionManager::start_rollback(connection);
        }

        fn is_in_transaction(connection: &Self::Connection) -> bool {
            $crate::over_sqlx::is_in_transaction::<$database>(connection)
        }

        fn all(
            connection: &mut Self::Connection,
            statement: $crate::statement::Statement<Self>,
        ) -> BoxFuture<'_, sqlx::Result<Vec<Self::Row>>> {
            Box::pin($crate::over_sqlx::all::<Self, $database>(connection, statement, $steps, $check, $outdated))
        }

        fn each<'a>(
            connection: &'a mut Self::Connection,
            statement: $crate::statement::Statement<Self>,
            each: &'a mut (dyn FnMut(&Self::Row) -> Result<(), AdapterError> + Send),
        ) -> AdapterFuture<'a, ()> {
            let general = Self::general;
            Box::pin($crate::over_sqlx::each::<Self, $database>(
                connection,
                statement,
                $steps,
                $check,
                (general, $outdated),
                each,
            ))
        }

        fn change(
            connection: &mut Self::Connection,
            statement: $crate::statement::Statement<Self>,
        ) -> BoxFuture<'_, sqlx::Result<u64>> {
            Box::pin($crate::over_sqlx::change::<Self, $database>(
                connection, statement, $steps, $check, $affected, $outdated,
            ))
        }

        fn number_in(row: &Self::Row, column: usize) -> sqlx::Result<i64> {
            ::sqlx::Row::try_get(row, column)
        }

        fn execute<'a>(connection: &'a mut Self::Connection, text: &'static str) -> BoxFuture<'a, sqlx::Result<()>> {
            Box::pin(async move { ::sqlx::Executor::execute(connection, text).await.map(drop) })
        }

        fn translate(resource: &'static $crate::model::descriptor::Descriptor, error: sqlx::Error) -> AdapterError {
            error::translate(resource, error)
        }

        fn translate_delete(error: sqlx::Error) -> AdapterError {
            error::translate_delete(error)
        }

        fn translate_commit(error: sqlx::Error) -> AdapterError {
            error::translate_commit(error)
        }

        fn general(error: sqlx::Error) -> AdapterError {
            error::general(error)
        }

        #[cfg(feature = "migrations")]
        fn script(connection: &mut Self::Connection, text: String) -> BoxFuture<'_, sqlx::Result<()>> {
            let text = $crate::statement::Text::Assembled(text);
            Box::pin(async move { ::sqlx::Executor::execute(connection, text).await.map(drop) })
        }

        #[cfg(feature = "migrations")]
        fn message(error: &sqlx::Error) -> String {
            error.as_database_error().map_or_else(|| error.to_string(), |error| error.message().to_owned())
        }
    };
}
pub(super) use driver_items;
