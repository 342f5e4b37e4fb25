//! MySQL and MariaDB as an [`Driver`].

use std::borrow::Borrow;
use std::ops::Range;

use sqlx::Row as _;
use sqlx::mysql::{MySqlConnection, MySqlQueryResult, MySqlRow};

use super::dialect::MySql;
use super::{error, facts, index_reads, inspect, row, steps, tables, transaction_guard, view_reads};
use crate::dialect::Dialect;
use crate::driver::{Driven, Driver, Lock};
use crate::model::adapter_error::AdapterError;
use crate::model::column_error::ColumnError;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::value::{Value, ValueRef};
use crate::over_sqlx::driver_items;
use crate::plan::Plan;
#[cfg(feature = "migrations")]
use crate::schema::alteration::Alteration;
use crate::schema::index_use::IndexReads;
use crate::schema::table::{Named, Reads, Table, TableName};
use crate::statement::Sql;
use crate::statement::multi_row::NEW;
use crate::statement::row_values::{ranges, values};
use crate::storage::adapter::BoxFuture;
use crate::storage::facts::TableFacts;
use crate::storage::migrate_error::MigrateError;
use crate::table_items::table_items;

/// Maximum number of values that a statement binds.
const MAX_VALUES: usize = 65_535;

impl Driver for MySql {
    driver_items!(sqlx::MySql, steps::steps, Some(&transaction_guard::CHECK), MySqlQueryResult::rows_affected, |_| {
        false
    });

    type Decoded = ();

    const BEGIN: &'static str = "START TRANSACTION";
    const EXPLAIN: &'static str = "EXPLAIN FORMAT = JSON ";
    const ERROR_ABORTS: bool = false;

    fn abandon(connection: &mut MySqlConnection) -> BoxFuture<'_, sqlx::Result<bool>> {
        Box::pin(async move {
            let is_in_step = steps::is_in_step(connection).await?;
            if is_in_step {
                Self::execute(connection, Self::ABANDON).await?;
            }
            Ok(is_in_step)
        })
    }

    fn plan(text: &str) -> Plan {
        Plan::of_mysql(text)
    }

    fn lock(lock: Lock) -> &'static str {
        match lock {
            // As both have it.
            Lock::Share => " LOCK IN SHARE MODE",
            Lock::Change | Lock::Remove => " FOR UPDATE",
        }
    }

    fn ranges(count: usize, values: usize) -> Vec<Range<usize>> {
        ranges(count, values, MAX_VALUES)
    }

    const UPDATE_JOINS: bool = true;

    fn rows(
        sql: &mut Sql<Self>,
        resource: &'static Descriptor,
        columns: &[usize],
        rows: impl Iterator<Item = impl Iterator<Item = impl Borrow<Value>>>,
    ) {
        values(sql, resource, columns, rows);
    }

    /// `(SELECT ? AS "new 1", … UNION ALL SELECT ?, …) AS "new values"`: the one form that both have.
    fn new_values(
        sql: &mut Sql<Self>,
        resource: &'static Descriptor,
        columns: &[usize],
        rows: impl Iterator<Item = impl Iterator<Item = impl Borrow<Value>>>,
    ) {
        for (row, values) in rows.enumerate() {
            sql.push(if row == 0 { "(SELECT " } else { " UNION ALL SELECT " });
            for (position, (&column, value)) in columns.iter().zip(values).enumerate() {
                if position > 0 {
                    sql.push(", ");
                }
                sql.bind(Self::operand(&resource.columns[column], value.borrow()).argument);
                if row == 0 {
                    sql.push(" AS ");
                    name(sql, position);
                }
            }
        }
        sql.push(") AS ");
        sql.identifier(NEW);
    }

    fn new_value(sql: &mut Sql<Self>, _: &'static Descriptor, _: usize, position: usize) {
        sql.identifier(NEW);
        sql.push(".");
        name(sql, position);
    }

    fn number_in(row: &MySqlRow, column: usize) -> sqlx::Result<i64> {
        row.try_get(column)
    }

    fn value<'r>(
        column: &ColumnDescriptor,
        index: usize,
        row: &'r MySqlRow,
        (): &'r (),
    ) -> Result<ValueRef<'r>, ColumnError> {
        row::value(column, index, row)
    }

    table_items!();

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

    #[cfg(feature = "migrations")]
    fn is_done(error: &sqlx::Error) -> bool {
        error::is_done(error)
    }

    #[cfg(feature = "migrations")]
    fn is_locked(error: &sqlx::Error) -> bool {
        error::is_locked(error)
    }
}

fn name(sql: &mut Sql<MySql>, position: usize) {
    sql.push("`new ");
    sql.count(position + 1);
    sql.push("`");
}
