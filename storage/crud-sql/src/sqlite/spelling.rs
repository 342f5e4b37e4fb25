//! SQL that both engines send to SQLite.

use std::borrow::Borrow;
use std::ops::Range;

use super::argument::Argument;
use crate::dialect::Dialect;
use crate::model::descriptor::Descriptor;
use crate::model::value::Value;
use crate::statement::Sql;
use crate::statement::multi_row::NEW;
use crate::statement::row_values;

/// Begins a transaction that changes something. A writer takes its lock at the start: one that began by reading would
/// fail, whatever the timeout, when another had written since.
pub(super) const BEGIN: &str = "BEGIN IMMEDIATE";

/// Reads the file, not only the connection.
pub(super) const PING: &str = "SELECT COUNT(*) FROM sqlite_schema";

/// Sets the pragmas with which a table is rebuilt.
#[cfg(feature = "migrations")]
pub(super) const SET_PRAGMAS: &str = "PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON";

/// Resets them.
#[cfg(feature = "migrations")]
pub(super) const RESET_PRAGMAS: &str = "PRAGMA legacy_alter_table = OFF; PRAGMA foreign_keys = ON";

/// Maximum number of values that a statement binds (`SQLITE_MAX_VARIABLE_NUMBER`).
const MAX_VALUES: usize = 32_766;

/// See [`Driver::ranges`](crate::driver::Driver::ranges).
pub(super) fn ranges(count: usize, values: usize) -> Vec<Range<usize>> {
    row_values::ranges(count, values, MAX_VALUES)
}

/// See [`Driver::rows`](crate::driver::Driver::rows).
pub(super) fn rows<D: Dialect<Argument = Argument>>(
    sql: &mut Sql<D>,
    resource: &'static Descriptor,
    columns: &[usize],
    rows: impl Iterator<Item = impl Iterator<Item = impl Borrow<Value>>>,
) {
    row_values::values(sql, resource, columns, rows);
}

/// See [`Driver::new_values`](crate::driver::Driver::new_values).
pub(super) fn new_values<D: Dialect<Argument = Argument>>(
    sql: &mut Sql<D>,
    resource: &'static Descriptor,
    columns: &[usize],
    values: impl Iterator<Item = impl Iterator<Item = impl Borrow<Value>>>,
) {
    sql.push("(");
    rows(sql, resource, columns, values);
    sql.push(") AS ");
    sql.identifier(NEW);
}

/// See [`Driver::new_value`](crate::driver::Driver::new_value).
pub(super) fn new_value<D: Dialect<Argument = Argument>>(sql: &mut Sql<D>, position: usize) {
    sql.identifier(NEW);
    sql.push(".column");
    sql.count(position + 1);
}

/// The items of both engines' drivers that spell SQL.
macro_rules! spelling_items {
    () => {
        const BEGIN: &'static str = $crate::sqlite::spelling::BEGIN;
        const PING: &'static str = $crate::sqlite::spelling::PING;
        const EXPLAIN: &'static str = "EXPLAIN QUERY PLAN ";
        const PLAN_COLUMN: usize = 3;
        const ERROR_ABORTS: bool = false;

        fn plan(text: &str) -> $crate::plan::Plan {
            $crate::plan::Plan::of_sqlite(text)
        }

        fn lock(_: $crate::driver::Lock) -> &'static str {
            ""
        }

        fn ranges(count: usize, values: usize) -> Vec<::std::ops::Range<usize>> {
            $crate::sqlite::spelling::ranges(count, values)
        }

        const UPDATE_JOINS: bool = false;

        fn rows(
            sql: &mut $crate::statement::Sql<Self>,
            resource: &'static $crate::model::descriptor::Descriptor,
            columns: &[usize],
            rows: impl Iterator<Item = impl Iterator<Item = impl ::std::borrow::Borrow<$crate::model::value::Value>>>,
        ) {
            $crate::sqlite::spelling::rows(sql, resource, columns, rows);
        }

        fn new_values(
            sql: &mut $crate::statement::Sql<Self>,
            resource: &'static $crate::model::descriptor::Descriptor,
            columns: &[usize],
            rows: impl Iterator<Item = impl Iterator<Item = impl ::std::borrow::Borrow<$crate::model::value::Value>>>,
        ) {
            $crate::sqlite::spelling::new_values(sql, resource, columns, rows);
        }

        fn new_value(
            sql: &mut $crate::statement::Sql<Self>,
            _: &'static $crate::model::descriptor::Descriptor,
            _: usize,
            position: usize,
        ) {
            $crate::sqlite::spelling::new_value(sql, position);
        }
    };
}

pub(super) use spelling_items;
