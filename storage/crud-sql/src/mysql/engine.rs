//! MySQL and MariaDB as an [`Driver`].

use sqlx::mysql::{MySqlConnection, MySqlQueryResult, MySqlRow};

use super::dialect::MySql;
use super::{error, facts, index_reads, inspect, rights, row, steps, tables, transaction_guard, view_reads};
use crate::driver::{Driven, Driver};
use crate::model::adapter_error::AdapterError;
use crate::model::column_error::ColumnError;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::value::ValueRef;
use crate::over_sqlx::driver_items;
#[cfg(feature = "migrations")]
use crate::schema::alteration::Alteration;
use crate::schema::index_use::IndexReads;
use crate::schema::table::{Named, Reads, Table, TableName};
use crate::storage::adapter::{AdapterFuture, BoxFuture};
use crate::storage::facts::TableFacts;
use crate::storage::migrate_error::MigrateError;
use crate::table_items::server_items;

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

    server_items!();

    const INDEXES_BELONG_TO_TABLES: bool = true;

    #[cfg(feature = "migrations")]
    const ALTERATION: Alteration<Self::Connection, Self::Error> = super::alter::ALTERATION;

    // A view's own text is compared as that of tables.
    #[cfg(feature = "migrations")]
    const PREPARE_MIGRATION: &'static str = "SET SESSION lock_wait_timeout = 1, \
        SESSION innodb_lock_wait_timeout = 1 \
        /*!80017 , SESSION collation_connection = utf8mb4_0900_bin */ \
        /*M!, SESSION collation_connection = utf8mb4_nopad_bin, SESSION max_statement_time = 0 */";

    #[cfg(feature = "migrations")]
    const LOCK_HISTORY: Option<&'static str> =
        Some("SELECT GET_LOCK(LEFT(CONCAT('crud migrations ', DATABASE()), 64), 0)");

    #[cfg(feature = "migrations")]
    const TRANSACTIONAL_DDL: bool = false;

    #[cfg(feature = "migrations")]
    const TEXT_OF_ANY: &'static str = "CHAR";
}
