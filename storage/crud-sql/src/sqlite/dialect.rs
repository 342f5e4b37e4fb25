//! The dialect of SQLite.

use std::borrow::Borrow;
use std::marker::PhantomData;
use std::ops::Range;

use super::argument::Argument;
use super::operand::operand;
use super::search;
use super::spelling::BEGIN;
use crate::dialect::{ColumnRef, Dialect, Lock, Operand};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{ColumnDescriptor, Computed, Descriptor, Search, Statements, View};
use crate::model::value::{Kind, Value};
use crate::plan::Plan;
use crate::query::{Bucket, Offsets, Pattern};
use crate::statement::aggregate::write_offset;
use crate::statement::multi_row::NEW;
use crate::statement::search_term::{SearchTerm, is_plain};
use crate::statement::select::{always, like_pattern};
use crate::statement::{Sql, row_values};
use crate::storage::index_use::IndexCounts;
use crate::table_dialect::TableDialect;

/// The longest pattern, in bytes, that `LIKE` and `GLOB` take (`SQLITE_MAX_LIKE_PATTERN_LENGTH`).
const MAX_PATTERN: usize = 50_000;

/// Maximum number of values that a statement binds (`SQLITE_MAX_VARIABLE_NUMBER`).
const MAX_VALUES: usize = 32_766;

/// A way to call SQLite.
pub(crate) trait Engine: Copy + 'static {
    /// The place where uses of indexes are counted.
    const COUNTS: IndexCounts;
}

/// SQLite, with one of its engines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sqlite<E = Embedded>(PhantomData<E>);

/// The engine for URLs: the adapter opens its own connections.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Embedded {}

impl Engine for Embedded {
    const COUNTS: IndexCounts = IndexCounts::Log;
}

/// The engine for a pool of sqlx connections.
#[cfg(feature = "sqlite-pool")]
#[derive(Debug, Clone, Copy)]
pub(crate) enum Pooled {}

#[cfg(feature = "sqlite-pool")]
impl Engine for Pooled {
    const COUNTS: IndexCounts = IndexCounts::None;
}

impl<E: Copy> Dialect for Sqlite<E> {
    type Argument = Argument;

    const SPELLING: crud_shared::dialect::Dialect = crud_shared::dialect::SQLITE;
    const IS_DISTINCT: &'static str = " IS NOT ";
    // The `+` before the placeholder keeps SQLite from planning the statement again for each bound value.
    const LIMIT: &'static str = " LIMIT +";
    const NO_LIMIT: &'static str = " LIMIT -1";

    fn view_sql(view: &View) -> Option<&'static str> {
        view.sqlite
    }

    fn computed_sql(computed: &Computed) -> Option<&'static str> {
        computed.sqlite
    }

    fn statements(resource: &'static Descriptor) -> Result<&'static Statements, AdapterError> {
        resource.sqlite.as_ref().ok_or_else(|| {
            AdapterError::Other(format!("resource {} was derived without SQLite's statements", resource.name).into())
        })
    }

    const BEGIN: &'static str = BEGIN;
    // Reads the file, not only the connection.
    const PING: &'static str = "SELECT COUNT(*) FROM sqlite_schema";
    const EXPLAIN: &'static str = "EXPLAIN QUERY PLAN ";
    const PLAN_COLUMN: usize = 3;

    fn plan(text: &str) -> Plan {
        Plan::of_sqlite(text)
    }

    fn lock(_: Lock) -> &'static str {
        ""
    }

    fn ranges(count: usize, values: usize) -> Vec<Range<usize>> {
        row_values::ranges(count, values, MAX_VALUES)
    }

    fn rows(
        sql: &mut Sql<Self>,
        resource: &'static Descriptor,
        columns: &[usize],
        rows: impl Iterator<Item = impl Iterator<Item = impl Borrow<Value>>>,
    ) {
        row_values::values(sql, resource, columns, rows);
    }

    fn new_values(
        sql: &mut Sql<Self>,
        resource: &'static Descriptor,
        columns: &[usize],
        rows: impl Iterator<Item = impl Iterator<Item = impl Borrow<Value>>>,
    ) {
        sql.push("(");
        Self::rows(sql, resource, columns, rows);
        sql.push(") AS ");
        sql.identifier(NEW);
    }

    fn new_value(sql: &mut Sql<Self>, _: &'static Descriptor, _: usize, position: usize) {
        sql.identifier(NEW);
        sql.push(".column");
        sql.count(position + 1);
    }

    fn number(value: u64) -> Argument {
        Argument::Integer(i64::try_from(value).unwrap_or(i64::MAX))
    }

    fn operand(column: &ColumnDescriptor, value: &Value) -> Operand<Argument> {
        operand(column, value)
    }

    const SPLITS_SUMS: bool = true;

    fn bucket(sql: &mut Sql<Self>, column: ColumnRef, bucket: Bucket, offsets: Option<&Offsets>) {
        let (format, length) = match bucket {
            Bucket::Year => ("strftime('%Y', ", 4),
            Bucket::Month => ("strftime('%Y-%m', ", 7),
            Bucket::Week => ("strftime('%G-W%V', ", 0),
            Bucket::Day => ("strftime('%Y-%m-%d', ", 10),
            Bucket::Hour => ("strftime('%Y-%m-%dT%H', ", 13),
        };
        // The start of the stored text, where other programs write a space in place of the `T`.
        if offsets.is_none() && length > 0 {
            sql.push("replace(substr(");
            sql.column(column);
            sql.push(", 1, ");
            sql.count(length);
            return sql.push("), ' ', 'T')");
        }
        sql.push(format);
        sql.column(column);
        if let Some(offsets) = offsets {
            sql.push(", (");
            write_offset(sql, column, offsets);
            sql.push(") || ' seconds'");
        }
        sql.push(")");
    }

    // A column with numeric affinity stores whole floats as integers, so that their sum would be an integer.
    fn sum(sql: &mut Sql<Self>, column: ColumnRef) {
        sql.push("SUM(CAST(");
        sql.column(column);
        sql.push(" AS REAL))");
    }

    fn summed_integer(sql: &mut Sql<Self>, column: ColumnRef) {
        if column.descriptor().format.is_none() {
            return sql.column(column);
        }
        sql.push("CAST(ROUND(");
        sql.column(column);
        sql.push(" * 1e");
        sql.count(column.descriptor().scale as usize);
        sql.push(") AS INTEGER)");
    }

    fn average(sql: &mut Sql<Self>, column: ColumnRef) {
        sql.push("AVG(");
        sql.column(column);
        sql.push(")");
        // A decimal is stored as an integer, in units of its last digit, unless it has a format.
        if column.descriptor().kind == Kind::Decimal && column.descriptor().format.is_none() {
            sql.push(" / 1e");
            sql.count(column.descriptor().scale as usize);
        }
    }

    /// One JSON value has many spellings: equal values need not be equal as text.
    fn comparable(column: &ColumnDescriptor) -> bool {
        !matches!(column.kind, Kind::Json | Kind::TextList | Kind::List(_))
    }

    fn is_indexed(resource: &Descriptor, word: &str) -> bool {
        resource.is_managed() && search::is_possible(resource) && word.chars().any(is_plain)
    }

    fn search(
        sql: &mut Sql<Self>,
        resource: &'static Descriptor,
        _: Search,
        terms: &[SearchTerm<'_>],
        tenant: Option<&Value>,
    ) {
        search::search(sql, resource, terms, tenant);
    }

    fn like(sql: &mut Sql<Self>, column: ColumnRef, pattern: &Pattern, ignore_case: bool) -> Result<(), AdapterError> {
        if ignore_case { like(sql, column, pattern) } else { glob(sql, column, pattern) }
    }

    const TABLES: TableDialect<Argument> = super::definition::TABLES;
}

/// `LIKE`, which ignores the case of ASCII letters.
fn like<D: Dialect<Argument = Argument>>(
    sql: &mut Sql<D>,
    column: ColumnRef,
    pattern: &Pattern,
) -> Result<(), AdapterError> {
    let escaped = like_pattern(pattern, '\\');
    sql.column(column);
    // The `+` before the placeholder keeps SQLite from planning the statement again for each pattern.
    sql.push(" LIKE +");
    sql.bind(bounded(column, escaped)?);
    sql.push(" ESCAPE '\\'");
    Ok(())
}

/// Writes the simplest condition that matches the pattern; `GLOB` is left for all other forms.
fn glob<D: Dialect<Argument = Argument>>(
    sql: &mut Sql<D>,
    column: ColumnRef,
    pattern: &Pattern,
) -> Result<(), AdapterError> {
    let parts: Vec<&str> = pattern.parts().iter().map(String::as_str).collect();
    match *parts.as_slice() {
        [exact] => {
            exact_column(sql, column);
            sql.push(" = ");
            sql.bind(Argument::Text(exact.to_owned()));
        }
        ["", ""] => always(sql, column),
        [prefix, ""] => starts_with(sql, column, prefix),
        ["", infix, ""] if !infix.is_empty() => {
            sql.push("instr(");
            sql.column(column);
            sql.push(", ");
            sql.bind(Argument::Text(infix.to_owned()));
            sql.push(") > 0");
        }
        _ => {
            sql.column(column);
            sql.push(" GLOB +");
            sql.bind(bounded(column, glob_pattern(pattern))?);
        }
    }
    Ok(())
}

fn glob_pattern(pattern: &Pattern) -> String {
    pattern.written("*", |glob, character| match character {
        '*' | '?' | '[' => glob.extend(['[', character, ']']),
        other => glob.push(other),
    })
}

/// Writes a column with the collation `BINARY`, by which `GLOB` compares too: the table of another program may have
/// another collation.
fn exact_column<D: Dialect<Argument = Argument>>(sql: &mut Sql<D>, column: ColumnRef) {
    sql.column(column);
    if !column.resource.is_managed() {
        sql.push(" COLLATE BINARY");
    }
}

/// Writes a range of texts with this prefix, which an index can serve.
fn starts_with<D: Dialect<Argument = Argument>>(sql: &mut Sql<D>, column: ColumnRef, prefix: &str) {
    exact_column(sql, column);
    sql.push(" >= ");
    sql.bind(Argument::Text(prefix.to_owned()));
    if let Some(end) = after_prefix(prefix) {
        sql.push(" AND ");
        exact_column(sql, column);
        sql.push(" < ");
        sql.bind(Argument::Text(end));
    }
}

/// The first text after all texts with this prefix.
fn after_prefix(prefix: &str) -> Option<String> {
    let mut end = prefix.to_owned();
    while let Some(last) = end.pop() {
        // The range skips the surrogates, as the order of UTF-8 does.
        if let Some(next) = (last..=char::MAX).nth(1) {
            end.push(next);
            return Some(end);
        }
    }
    None
}

fn bounded(column: ColumnRef, pattern: String) -> Result<Argument, AdapterError> {
    if pattern.len() > MAX_PATTERN {
        return Err(AdapterError::Constraint { column: Some(column.column) });
    }
    Ok(Argument::Text(pattern))
}
