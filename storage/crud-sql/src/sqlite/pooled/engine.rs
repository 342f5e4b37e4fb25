//! SQLite over sqlx as a [`Driver`].

use sqlx::sqlite::{SqliteConnection, SqliteQueryResult, SqliteRow};

use super::argument::bind;
use super::{error, row};
use crate::driver::{Driven, Driver};
use crate::model::adapter_error::AdapterError;
use crate::model::column_error::ColumnError;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::value::ValueRef;
use crate::over_sqlx::{self, Steps, driver_items};
use crate::schema::table::{Named, Reads, Table, TableName};
use crate::sqlite::argument::Argument;
use crate::sqlite::catalogue_items::catalogue_items;
use crate::sqlite::dialect::{Pooled, Sqlite};
use crate::sqlite::{facts, inspect, tables, view_reads};
use crate::statement::Text;
use crate::storage::adapter::{AdapterFuture, BoxFuture};
use crate::storage::facts::TableFacts;
use crate::storage::migrate_error::MigrateError;

impl Driver for Sqlite<Pooled> {
    driver_items!(sqlx::Sqlite, steps, None, SqliteQueryResult::rows_affected, |_| false);

    type Decoded = ();

    catalogue_items!();

    fn value<'r>(
        column: &ColumnDescriptor,
        index: usize,
        row: &'r SqliteRow,
        (): &'r (),
    ) -> Result<ValueRef<'r>, ColumnError> {
        row::value(column, index, row)
    }
}

/// Begins a statement.
fn steps(connection: &mut SqliteConnection, text: Text, arguments: Vec<Argument>) -> Steps<'_, sqlx::Sqlite> {
    over_sqlx::steps::<sqlx::Sqlite>(connection, text, bind(arguments))
}
