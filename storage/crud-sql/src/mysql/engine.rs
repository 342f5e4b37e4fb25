//! MySQL and MariaDB as a [`Driver`].

use sqlx::mysql::{MySqlConnection, MySqlQueryResult, MySqlRow};

use super::argument::Argument;
use super::dialect::MySql;
use super::{error, row, steps, transaction_guard};
use crate::driver::{Driver, Execution as _};
use crate::model::adapter_error::AdapterError;
use crate::model::column_error::ColumnError;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::value::ValueRef;
use crate::over_sqlx::{Check, SqlxDatabase, Steps};
use crate::statement::Text;
use crate::storage::adapter::BoxFuture;

impl SqlxDatabase for MySql {
    type Database = sqlx::MySql;

    const CHECK: Option<&'static Check<sqlx::MySql>> = Some(&transaction_guard::CHECK);

    fn steps(connection: &mut MySqlConnection, text: Text, arguments: Vec<Argument>) -> Steps<'_, sqlx::MySql> {
        steps::steps(connection, text, arguments)
    }

    fn affected(result: &MySqlQueryResult) -> u64 {
        result.rows_affected()
    }

    fn general(error: sqlx::Error) -> AdapterError {
        error::general(error)
    }
}

impl Driver for MySql {
    type Decoded = ();

    fn abandon(connection: &mut MySqlConnection) -> BoxFuture<'_, sqlx::Result<bool>> {
        Box::pin(async move {
            let is_in_step = steps::is_in_step(connection).await?;
            if is_in_step {
                Self::execute(connection, Self::ABANDON).await?;
            }
            Ok(is_in_step)
        })
    }

    fn value<'r>(
        column: &ColumnDescriptor,
        index: usize,
        row: &'r MySqlRow,
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

    fn translate_commit(error: sqlx::Error) -> AdapterError {
        error::translate_commit(error)
    }

    fn is_conflict(error: &AdapterError) -> bool {
        error::is_conflict(error)
    }
}
