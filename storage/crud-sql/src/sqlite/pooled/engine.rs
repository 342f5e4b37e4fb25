//! SQLite over sqlx as a [`Driver`].

use sqlx::Row as _;
use sqlx::sqlite::{SqliteConnection, SqliteQueryResult, SqliteRow};

use super::argument::bind;
use super::{error, row};
use crate::driver::Driver;
use crate::model::adapter_error::AdapterError;
use crate::model::column_error::ColumnError;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::value::{Value, ValueRef};
use crate::over_sqlx::{self, Steps, driver_items};
#[cfg(feature = "migrations")]
use crate::schema::alteration::Alteration;
use crate::schema::table::{Named, Reads, Table};
use crate::schema::table_name::TableName;
use crate::sqlite::argument::Argument;
use crate::sqlite::dialect::{Pooled, Sqlite};
#[cfg(feature = "migrations")]
use crate::sqlite::unreadable_views;
use crate::sqlite::{explain, facts, inspect, spelling, tables, view_reads};
use crate::statement::Text;
use crate::storage::adapter::BoxFuture;
use crate::storage::facts::TableFacts;
use crate::storage::migrate_error::MigrateError;

impl Driver for Sqlite<Pooled> {
    driver_items!(sqlx::Sqlite, steps, None, SqliteQueryResult::rows_affected, |_| false);

    type Decoded = ();

    spelling::spelling_items!();

    fn number_in(row: &SqliteRow, column: usize) -> sqlx::Result<i64> {
        row.try_get(column)
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
        Box::pin(explain::explain::<Self>(connection, resource, error, values))
    }

    fn described<'a>(
        connection: &'a mut SqliteConnection,
        names: Vec<&'a str>,
    ) -> BoxFuture<'a, sqlx::Result<Vec<Option<Table>>>> {
        Box::pin(inspect::described::<Self>(connection, names))
    }

    fn facts<'a>(
        connection: &'a mut SqliteConnection,
        tables: Vec<&'static str>,
    ) -> BoxFuture<'a, sqlx::Result<Vec<TableFacts>>> {
        Box::pin(facts::facts::<Self>(connection, tables))
    }

    fn views<'a>(
        connection: &'a mut SqliteConnection,
        names: Vec<&'a str>,
    ) -> BoxFuture<'a, sqlx::Result<Vec<Option<Named>>>> {
        Box::pin(inspect::views::<Self>(connection, names))
    }

    fn reads<'a>(connection: &'a mut SqliteConnection, views: Vec<&'a str>) -> BoxFuture<'a, sqlx::Result<Vec<Reads>>> {
        Box::pin(view_reads::reads::<Self>(connection, views))
    }

    fn tables(connection: &mut SqliteConnection) -> BoxFuture<'_, sqlx::Result<Vec<TableName>>> {
        Box::pin(inspect::tables::<Self>(connection))
    }

    fn is_taken<'a>(connection: &'a mut SqliteConnection, name: &'a str) -> BoxFuture<'a, sqlx::Result<bool>> {
        Box::pin(inspect::index_exists::<Self>(connection, name))
    }

    fn unfit<'a>(
        connection: &'a mut SqliteConnection,
        resources: &'a [&'static Descriptor],
    ) -> BoxFuture<'a, sqlx::Result<Vec<String>>> {
        Box::pin(tables::unfit::<Self>(connection, resources))
    }

    fn create<'a>(
        connection: &'a mut SqliteConnection,
        resources: &'a [&'static Descriptor],
    ) -> BoxFuture<'a, Result<(), MigrateError>> {
        Box::pin(tables::create::<Self>(connection, resources))
    }

    #[cfg(feature = "migrations")]
    fn further_reason<'a>(
        connection: &'a mut SqliteConnection,
        message: &'a str,
    ) -> BoxFuture<'a, sqlx::Result<Option<String>>> {
        Box::pin(unreadable_views::further_reason::<Self>(connection, message))
    }

    #[cfg(feature = "migrations")]
    const ALTERATION: Alteration<Self::Connection, Self::Error> = crate::sqlite::alter::alteration::<Self>();
}

/// Begins a statement.
fn steps(connection: &mut SqliteConnection, text: Text, arguments: Vec<Argument>) -> Steps<'_, sqlx::Sqlite> {
    over_sqlx::steps::<sqlx::Sqlite>(connection, text, bind(arguments))
}
