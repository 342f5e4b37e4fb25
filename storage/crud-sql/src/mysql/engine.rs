//! MySQL and MariaDB as a [`Driver`].

use sqlx::mysql::{MySqlConnection, MySqlQueryResult, MySqlRow};

use super::dialect::MySql;
use super::{error, row, steps, transaction_guard};
use crate::driver::Driver;
use crate::model::adapter_error::AdapterError;
use crate::model::column_error::ColumnError;
use crate::model::descriptor::ColumnDescriptor;
use crate::model::value::ValueRef;
use crate::over_sqlx::driver_items;
use crate::storage::adapter::{AdapterFuture, BoxFuture};

impl Driver for MySql {
    driver_items!(sqlx::MySql, steps::steps, Some(&transaction_guard::CHECK), MySqlQueryResult::rows_affected, |_| {
        false
    });

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

    fn is_conflict(error: &AdapterError) -> bool {
        error::is_conflict(error)
    }
}
