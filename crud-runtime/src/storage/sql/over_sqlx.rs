//! What the drivers over sqlx share: statements as streams of steps, and transactions by its manager.

use std::future::ready;

use futures_util::TryStreamExt;
use futures_util::stream::{self, BoxStream};
use sqlx::{Database, Either, Executor, IntoArguments, SqlSafeStr};
use sqlx_core::transaction::TransactionManager;

use super::dialect::Dialect;
use super::statement::{Statement, Text};
use crate::model::adapter_error::AdapterError;

/// The database of a connection of sqlx's.
#[cfg(any(feature = "mysql", feature = "postgres"))]
pub(super) type DatabaseOf<C> = <C as sqlx::Connection>::Database;

/// What comes of a statement while it runs.
pub(super) type Steps<'a, DB> =
    BoxStream<'a, sqlx::Result<Either<<DB as Database>::QueryResult, <DB as Database>::Row>>>;

/// How a database begins a statement.
pub(super) type Begin<D, DB> =
    for<'c> fn(&'c mut <DB as Database>::Connection, Text, Vec<<D as Dialect>::Argument>) -> Steps<'c, DB>;

/// Begins a statement; that it cannot be bound is its first step.
pub(super) fn steps<'c, DB: Database>(
    connection: &'c mut DB::Connection,
    text: Text,
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
pub(super) async fn all<D: Dialect, DB: Database>(
    connection: &mut DB::Connection,
    statement: Statement<D>,
    begin: Begin<D, DB>,
) -> sqlx::Result<Vec<DB::Row>> {
    let mut rows = Vec::new();
    let mut next = Some(statement);
    while let Some(Statement { text, arguments, then }) = next.filter(|_| rows.is_empty()) {
        let mut steps = begin(connection, text, arguments);
        while let Some(step) = steps.try_next().await? {
            rows.extend(step.right());
        }
        next = then.map(|then| *then);
    }
    Ok(rows)
}

/// See [`Driver::each`](super::driver::Driver::each).
pub(super) async fn each<D: Dialect, DB: Database>(
    connection: &mut DB::Connection,
    statement: Statement<D>,
    begin: Begin<D, DB>,
    general: fn(sqlx::Error) -> AdapterError,
    each: &mut (dyn FnMut(&DB::Row) -> Result<(), AdapterError> + Send),
) -> Result<(), AdapterError> {
    let mut steps = begin(connection, statement.text, statement.arguments);
    while let Some(step) = steps.try_next().await.map_err(general)? {
        if let Either::Right(row) = step {
            each(&row)?;
        }
    }
    Ok(())
}

/// See [`Driver::change`](super::driver::Driver::change).
pub(super) async fn change<D: Dialect, DB: Database>(
    connection: &mut DB::Connection,
    statement: Statement<D>,
    begin: Begin<D, DB>,
    affected: fn(&DB::QueryResult) -> u64,
) -> sqlx::Result<u64> {
    let mut steps = begin(connection, statement.text, statement.arguments);
    let mut count = 0;
    while let Some(step) = steps.try_next().await? {
        count += step.left().as_ref().map_or(0, affected);
    }
    Ok(count)
}

/// Begins a transaction by this statement; within one, a savepoint.
pub(super) async fn begin<DB: Database>(connection: &mut DB::Connection, statement: &'static str) -> sqlx::Result<()> {
    let statement = (!is_in_transaction::<DB>(connection)).then(|| statement.into_sql_str());
    DB::TransactionManager::begin(connection, statement).await
}

/// Whether the connection is in a transaction.
pub(super) fn is_in_transaction<DB: Database>(connection: &DB::Connection) -> bool {
    DB::TransactionManager::get_transaction_depth(connection) > 0
}

/// The items of [`Driver`](super::driver::Driver) that are the same for every database of sqlx's.
macro_rules! driver_items {
    ($database:ty, $steps:path, $affected:path) => {
        type Connection = <$database as ::sqlx::Database>::Connection;
        type Row = <$database as ::sqlx::Database>::Row;
        type Error = ::sqlx::Error;

        fn begin<'a>(connection: &'a mut Self::Connection, statement: &'static str) -> BoxFuture<'a, sqlx::Result<()>> {
            Box::pin($crate::storage::sql::over_sqlx::begin::<$database>(connection, statement))
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
            $crate::storage::sql::over_sqlx::is_in_transaction::<$database>(connection)
        }

        fn all(
            connection: &mut Self::Connection,
            statement: $crate::storage::sql::statement::Statement<Self>,
        ) -> BoxFuture<'_, sqlx::Result<Vec<Self::Row>>> {
            Box::pin($crate::storage::sql::over_sqlx::all::<Self, $database>(connection, statement, $steps))
        }

        fn each<'a>(
            connection: &'a mut Self::Connection,
            statement: $crate::storage::sql::statement::Statement<Self>,
            each: &'a mut (dyn FnMut(&Self::Row) -> Result<(), AdapterError> + Send),
        ) -> BoxFuture<'a, Result<(), AdapterError>> {
            let general = Self::general;
            Box::pin($crate::storage::sql::over_sqlx::each::<Self, $database>(
                connection, statement, $steps, general, each,
            ))
        }

        fn change(
            connection: &mut Self::Connection,
            statement: $crate::storage::sql::statement::Statement<Self>,
        ) -> BoxFuture<'_, sqlx::Result<u64>> {
            Box::pin($crate::storage::sql::over_sqlx::change::<Self, $database>(
                connection, statement, $steps, $affected,
            ))
        }

        fn execute<'a>(connection: &'a mut Self::Connection, text: &'static str) -> BoxFuture<'a, sqlx::Result<()>> {
            Box::pin(async move { ::sqlx::Executor::execute(connection, text).await.map(drop) })
        }
    };
}
pub(super) use driver_items;
