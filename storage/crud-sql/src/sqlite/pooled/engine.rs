//! SQLite over sqlx as a [`Driver`].

use sqlx::sqlite::{SqliteConnection, SqliteQueryResult, SqliteRow};

use super::argument::bind;
use super::{error, row};
use crate::driver::Driver;
use crate::model::adapter_error::AdapterError;
use crate::model::column_error::ColumnError;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::value::{Value, ValueRef};
use crate::over_sqlx::{self, SqlxDatabase, Steps};
use crate::sqlite::argument::Argument;
use crate::sqlite::dialect::{Pooled, Sqlite};
use crate::sqlite::explain;
use crate::statement::Text;
use crate::storage::adapter::BoxFuture;

impl SqlxDatabase for Sqlite<Pooled> {
    type Database = sqlx::Sqlite;

    fn steps(connection: &mut SqliteConnection, text: Text, arguments: Vec<Argument>) -> Steps<'_, sqlx::Sqlite> {
        over_sqlx::steps::<sqlx::Sqlite>(connection, text, bind(arguments))
    }

    fn affected(result: &SqliteQueryResult) -> u64 {
        result.rows_affected()
    }

    fn general(error: sqlx::Error) -> AdapterError {
        error::general(error)
    }
}

impl Driver for Sqlite<Pooled> {
    type Decoded = ();

    fn explain<'a>(
        connection: &'a mut SqliteConnection,
        resource: &'static Descriptor,
        error: AdapterError,
        values: Vec<(usize, &'a Value)>,
    ) -> BoxFuture<'a, AdapterError> {
        Box::pin(explain::explain::<Self>(connection, resource, error, values))
    }

    fn translate(resource: &'static Descriptor, error: sqlx::Error) -> AdapterError {
        error::translate(resource, error)
    }

    fn translate_delete(error: sqlx::Error) -> AdapterError {
        error::translate_delete(error)
    }

    fn translate_commit(error: sqlx::Error) -> AdapterError {
        error::translate_commit(error)
    }

    fn value<'r>(
        column: &ColumnDescriptor,
        index: usize,
        row: &'r SqliteRow,
        (): &'r (),
    ) -> Result<ValueRef<'r>, ColumnError> {
        row::value(column, index, row)
    }
}
