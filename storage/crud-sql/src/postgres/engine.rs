//! PostgreSQL as a [`Driver`].

use sqlx::postgres::{PgArguments, PgConnection, PgQueryResult, PgRow};
use sqlx::{Arguments, Encode};

use super::dialect::Postgres;
use super::value::argument::Argument;
use super::value::row::{self, Lists};
use super::{error, optimistic};
use crate::change::Attempt;
use crate::driver::Driver;
use crate::model::adapter_error::AdapterError;
use crate::model::column_error::ColumnError;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::value::ValueRef;
use crate::over_sqlx::{self, SqlxDatabase, Steps};
use crate::statement::Text;
use crate::storage::adapter::AdapterFuture;
use crate::storage::write::Write;

impl SqlxDatabase for Postgres {
    type Database = sqlx::Postgres;

    fn steps(connection: &mut PgConnection, text: Text, arguments: Vec<Argument>) -> Steps<'_, sqlx::Postgres> {
        over_sqlx::steps::<sqlx::Postgres>(connection, text, bind(arguments))
    }

    fn affected(result: &PgQueryResult) -> u64 {
        result.rows_affected()
    }

    fn is_stale(error: &sqlx::Error) -> bool {
        error::is_stale(error)
    }

    fn general(error: sqlx::Error) -> AdapterError {
        error::general(error)
    }
}

impl Driver for Postgres {
    type Decoded = Lists;

    // Outside of a transaction, a bare `ROLLBACK` would log a warning on the server.
    const ABANDON: &'static str = "BEGIN; ROLLBACK";

    const OPTIMISTIC: bool = true;

    fn change_optimistically<'a>(
        connection: &'a mut PgConnection,
        resource: &'static Descriptor,
        write: &'a Write<'_>,
    ) -> AdapterFuture<'a, Attempt<Self>> {
        Box::pin(optimistic::change(connection, resource, write))
    }

    const PREPARES_AGAIN: bool = true;

    fn is_outdated(error: &AdapterError) -> bool {
        error::is_outdated(error)
    }

    fn is_conflict(error: &AdapterError) -> bool {
        error::is_conflict(error)
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
        row: &'r PgRow,
        decoded: &'r Lists,
    ) -> Result<ValueRef<'r>, ColumnError> {
        row::value(column, index, row, decoded)
    }
}

/// Binds arguments in order.
fn bind(arguments: Vec<Argument>) -> sqlx::Result<PgArguments> {
    let mut bound = PgArguments::default();
    // Each argument comes after its length.
    let size = |argument: &Argument| size_of::<i32>() + argument.size_hint();
    bound.reserve(arguments.len(), arguments.iter().map(size).sum());
    for argument in arguments {
        bound.add(argument).map_err(sqlx::Error::Encode)?;
    }
    Ok(bound)
}
