//! SQLite as an [`Driver`].

use std::borrow::Borrow;
use std::ops::Range;

use sqlx::sqlite::{SqliteConnection, SqliteQueryResult, SqliteRow};
use sqlx::{Executor, Row as _};

use super::argument::{Argument, bind};
use super::dialect::Sqlite;
use super::{error, explain, inspect, row, tables};
use crate::model::adapter_error::AdapterError;
use crate::model::column_error::ColumnError;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::value::{Value, ValueRef};
use crate::storage::adapter::BoxFuture;
use crate::storage::migrate_error::MigrateError;
use crate::storage::sql::driver::{Driver, Lock, Steps, begin};
#[cfg(feature = "migrations")]
use crate::storage::sql::schema::alteration::Alteration;
use crate::storage::sql::schema::table::Table;
use crate::storage::sql::statement::multi_row::NEW;
use crate::storage::sql::statement::row_values::{ranges, values};
use crate::storage::sql::statement::{Sql, Text};

/// How many values a statement binds at most (`SQLITE_MAX_VARIABLE_NUMBER`).
const MAX_VALUES: usize = 32_766;

impl Driver for Sqlite {
    type Database = sqlx::Sqlite;
    type Decoded = ();

    // A writer takes its lock at the start: one that began by reading would fail, whatever the timeout, when
    // another had written since.
    const BEGIN: &'static str = "BEGIN IMMEDIATE";
    // Reads the file, not only the connection.
    const PING: &'static str = "SELECT COUNT(*) FROM sqlite_schema";
    const ERROR_ABORTS: bool = false;

    fn lock(_: Lock) -> &'static str {
        ""
    }

    fn ranges(count: usize, values: usize) -> Vec<Range<usize>> {
        ranges(count, values, MAX_VALUES)
    }

    const UPDATE_JOINS: bool = false;

    fn rows(
        sql: &mut Sql<Self>,
        resource: &'static Descriptor,
        columns: &[usize],
        rows: impl Iterator<Item = impl Iterator<Item = impl Borrow<Value>>>,
    ) {
        values(sql, resource, columns, rows);
    }

    fn new_values(
        sql: &mut Sql<Self>,
        resource: &'static Descriptor,
        columns: &[usize],
        rows: impl Iterator<Item = impl Iterator<Item = impl Borrow<Value>>>,
    ) {
        sql.push("(");
        values(sql, resource, columns, rows);
        sql.push(") AS ");
        sql.identifier(NEW);
    }

    fn new_value(sql: &mut Sql<Self>, _: &'static Descriptor, _: usize, position: usize) {
        sql.identifier(NEW);
        sql.push(".column");
        sql.count(position + 1);
    }

    fn steps(connection: &mut SqliteConnection, text: Text, arguments: Vec<Argument>) -> Steps<'_, Self> {
        begin::<Self>(connection, text, bind(arguments))
    }

    fn affected(result: &SqliteQueryResult) -> u64 {
        result.rows_affected()
    }

    fn number_in(row: &SqliteRow) -> sqlx::Result<i64> {
        row.try_get(0)
    }

    fn execute<'a>(connection: &'a mut SqliteConnection, text: &'static str) -> BoxFuture<'a, sqlx::Result<()>> {
        Box::pin(async move { connection.execute(text).await.map(drop) })
    }

    fn value<'r>(
        column: &ColumnDescriptor,
        index: usize,
        row: &'r SqliteRow,
        (): &'r (),
    ) -> Result<ValueRef<'r>, ColumnError> {
        row::value(column, index, row)
    }

    fn translate(resource: &'static Descriptor, error: sqlx::Error) -> AdapterError {
        error::translate(resource, error)
    }

    fn translate_delete(error: sqlx::Error) -> AdapterError {
        error::translate_delete(error)
    }

    fn general(error: sqlx::Error) -> AdapterError {
        error::general(error)
    }

    fn explain<'a>(
        connection: &'a mut SqliteConnection,
        resource: &'static Descriptor,
        error: AdapterError,
        values: Vec<(usize, &'a Value)>,
    ) -> BoxFuture<'a, AdapterError> {
        Box::pin(explain::explain(connection, resource, error, values))
    }

    fn table<'a>(connection: &'a mut SqliteConnection, name: &'a str) -> BoxFuture<'a, sqlx::Result<Option<Table>>> {
        Box::pin(inspect::table(connection, name))
    }

    fn is_taken<'a>(connection: &'a mut SqliteConnection, name: &'a str) -> BoxFuture<'a, sqlx::Result<bool>> {
        Box::pin(inspect::index_exists(connection, name))
    }

    fn unfit<'a>(
        connection: &'a mut SqliteConnection,
        _: &'a [&'static Descriptor],
    ) -> BoxFuture<'a, sqlx::Result<Vec<String>>> {
        Box::pin(tables::unfit(connection))
    }

    fn create<'a>(
        connection: &'a mut SqliteConnection,
        resources: &'a [&'static Descriptor],
    ) -> BoxFuture<'a, Result<(), MigrateError>> {
        Box::pin(tables::create(connection, resources))
    }

    #[cfg(feature = "migrations")]
    const ALTERATION: Alteration<SqliteConnection> = super::alter::ALTERATION;
}
