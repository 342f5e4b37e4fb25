//! SQLite as an [`Engine`].

use std::ops::Range;

use sqlx::Executor;
use sqlx::sqlite::{SqliteConnection, SqliteRow};

use super::dialect::{Argument, Sqlite};
use super::{connections, error, explain, ranges, row, values};
use crate::adapter::sql::dialect::Of;
use crate::adapter::sql::engine::{Engine, Lock};
use crate::adapter::sql::statement::{Sql, Text};
use crate::adapter::sql::transaction::Item;
use crate::adapter::{AdapterError, BoxFuture, Write};
use crate::column::ColumnError;
use crate::descriptor::{ColumnDescriptor, Descriptor};
use crate::value::{Value, ValueRef};

impl Engine for Sqlite {
    type Database = sqlx::Sqlite;
    type Unpacked = ();

    // A writer takes its lock at the start: one that began by reading would fail, whatever the timeout, when
    // another had written since.
    const BEGIN: &'static str = "BEGIN IMMEDIATE";
    const SPOILS: bool = false;

    fn lock(_: Lock) -> &'static str {
        ""
    }

    fn ranges(count: usize, values: usize) -> Vec<Range<usize>> {
        ranges::ranges(count, values)
    }

    fn insert_many<'a>(
        resource: &'static Descriptor,
        records: impl Iterator<Item = &'a [Argument]>,
        returning: bool,
    ) -> Result<Sql<Self>, AdapterError> {
        values::insert_many(resource, records, returning)
    }

    fn update_many<'a>(
        resource: &'static Descriptor,
        columns: &[usize],
        touch: impl Iterator<Item = (Of, Value)>,
        rows: impl Iterator<Item = &'a [Argument]>,
    ) -> Result<Sql<Self>, AdapterError> {
        values::update_many(resource, columns, touch, rows)
    }

    /// A transaction costs as much as any other way: the writer is alone, and no network is between.
    fn shortcut<'a>(
        _: &'a mut SqliteConnection,
        _: &'static Descriptor,
        _: &'a Write<'_>,
    ) -> BoxFuture<'a, Result<Option<Item<Self>>, AdapterError>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    fn all(
        connection: &mut SqliteConnection,
        text: Text,
        arguments: Vec<Argument>,
    ) -> BoxFuture<'_, sqlx::Result<Vec<SqliteRow>>> {
        Box::pin(connections::all(connection, text, arguments))
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
}
