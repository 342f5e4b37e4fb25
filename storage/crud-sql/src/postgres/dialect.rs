//! The dialect of PostgreSQL, and how it stores values.

use std::borrow::{Borrow, Cow};
use std::ops::Range;

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use crud_shared::dialect::text_cast;

use super::search;
use super::value::argument::{Argument, List};
use super::value::types::Type;
use super::value::unnest;
use crate::dialect::{ColumnRef, Dialect, Lock, Operand};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{ColumnDescriptor, Computed, Descriptor, Search, Statements, View};
use crate::model::value::{Kind, Value};
use crate::plan::Plan;
use crate::query::{Bucket, Offsets, Pattern};
use crate::statement::Sql;
use crate::statement::aggregate::write_offset;
use crate::statement::search_term::{SearchTerm, is_plain};
use crate::statement::select::like_pattern;
use crate::storage::rounding;
use crate::table_dialect::TableDialect;

/// Maximum number of changes that one statement applies.
const MAX_CHANGES: usize = 1_000;

/// PostgreSQL.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Postgres;

impl Dialect for Postgres {
    type Argument = Argument;

    const SPELLING: crud_shared::dialect::Dialect = crud_shared::dialect::POSTGRES;
    const IS_DISTINCT: &'static str = " IS DISTINCT FROM ";
    // A volatile expression is only computed for the rows of the page, after the sort. Computed for all sorted rows,
    // the total doubled the time of a page of 20 among 10,000 records.
    const TOTAL: (&'static str, &'static str) = (", CASE WHEN random() < 2 THEN (", ") END");
    const NO_LIMIT: &'static str = "";
    // Each statement sees what was committed before it; once the records are locked, that is final.
    const BEGIN: &'static str = "BEGIN ISOLATION LEVEL READ COMMITTED";
    const EXPLAIN: &'static str = "EXPLAIN ";
    const ERROR_ABORTS: bool = true;

    const UNDEFER: Option<&'static str> = Some("SET CONSTRAINTS ALL IMMEDIATE");

    fn plan(text: &str) -> Plan {
        Plan::of_postgres(text)
    }

    fn lock(lock: Lock) -> &'static str {
        match lock {
            Lock::Share => " FOR SHARE",
            // Allows other transactions to add references to the record meanwhile.
            Lock::Change => " FOR NO KEY UPDATE",
            Lock::Remove => " FOR UPDATE",
        }
    }

    fn ranges(count: usize, values: usize) -> Vec<Range<usize>> {
        let most = MAX_CHANGES.min(usize::MAX / values.max(1));
        let starts = (0..count).step_by(most);
        starts.map(|start| start..count.min(start + most)).rev().collect()
    }

    fn rows(
        sql: &mut Sql<Self>,
        resource: &'static Descriptor,
        columns: &[usize],
        rows: impl Iterator<Item = impl Iterator<Item = impl Borrow<Value>>>,
    ) {
        unnest::rows(sql, resource, columns, rows);
    }

    fn new_values(
        sql: &mut Sql<Self>,
        resource: &'static Descriptor,
        columns: &[usize],
        rows: impl Iterator<Item = impl Iterator<Item = impl Borrow<Value>>>,
    ) {
        unnest::new_values(sql, resource, columns, rows);
    }

    fn new_value(sql: &mut Sql<Self>, resource: &'static Descriptor, column: usize, position: usize) {
        unnest::new_value(sql, resource, column, position);
    }

    fn view_sql(view: &View) -> Option<&'static str> {
        view.postgres
    }

    fn computed_sql(computed: &Computed) -> Option<&'static str> {
        computed.postgres
    }

    fn statements(resource: &'static Descriptor) -> Result<&'static Statements, AdapterError> {
        resource.postgres.as_ref().ok_or_else(|| {
            let line = format!("resource {} was derived without PostgreSQL's statements", resource.name);
            AdapterError::Other(line.into())
        })
    }

    fn number(value: u64) -> Argument {
        Argument::One(Type::Int, Value::Int(i64::try_from(value).unwrap_or(i64::MAX)))
    }

    fn operand(column: &ColumnDescriptor, value: &Value) -> Operand<Argument> {
        let (value, exact) = rounded(column, value);
        let argument = Argument::One(Type::of_column(column), value.into_owned());
        if exact { Operand::exact(argument) } else { Operand::below(argument) }
    }

    fn one_of(sql: &mut Sql<Self>, negated: bool, values: Vec<Argument>) {
        let Some(Argument::One(of, _)) = values.first() else { return };
        let mut list = List::new(*of, values.len());
        for argument in &values {
            if let Argument::One(_, value) = argument {
                list.push(value);
            }
        }
        sql.push(if negated { " <> ALL(" } else { " = ANY(" });
        sql.bind(Argument::Many(list));
        sql.push(")");
    }

    fn bucket(sql: &mut Sql<Self>, column: ColumnRef, bucket: Bucket, offsets: Option<&Offsets>) {
        sql.push("to_char(");
        sql.column(column);
        if column.descriptor().kind == Kind::DateTime {
            sql.push(" AT TIME ZONE 'UTC'");
        }
        if let Some(offsets) = offsets {
            sql.push(" + make_interval(secs => ");
            write_offset(sql, column, offsets);
            sql.push(")");
        }
        sql.push(match bucket {
            Bucket::Year => ", 'YYYY')",
            Bucket::Month => ", 'YYYY-MM')",
            Bucket::Week => ", 'IYYY-\"W\"IW')",
            Bucket::Day => ", 'YYYY-MM-DD')",
            Bucket::Hour => ", 'YYYY-MM-DD\"T\"HH24')",
        });
    }

    // PostgreSQL's sum of `real` values is itself only a `real`.
    fn sum(sql: &mut Sql<Self>, column: ColumnRef) {
        sql.push("SUM(");
        sql.column(column);
        sql.push(match column.descriptor().kind {
            Kind::F32 | Kind::F64 => "::float8)",
            _ => ")",
        });
    }

    fn average(sql: &mut Sql<Self>, column: ColumnRef) {
        sql.push("AVG(");
        sql.column(column);
        sql.push(")::float8");
    }

    fn direction(sql: &mut Sql<Self>, nullable: bool, descending: bool) {
        // Without nulls, an index in the default order serves both directions as well.
        sql.push(match (descending, nullable) {
            (false, false) => "",
            (false, true) => " NULLS FIRST",
            (true, false) => " DESC",
            (true, true) => " DESC NULLS LAST",
        });
    }

    fn comparable(column: &ColumnDescriptor) -> bool {
        // Values of another type may be equal where their texts differ, or the type has no equality.
        !matches!(Type::of_column(column), Type::JsonText | Type::Other(_) | Type::OtherTexts(_) | Type::List(_))
    }

    fn cast(argument: &Argument) -> Option<(&'static str, bool)> {
        argument.cast()
    }

    fn distinct(sql: &mut Sql<Self>, column: ColumnRef) {
        sql.column(column);
        // The type `json` has no equality, and `character varying[]` cannot be compared with `text[]`.
        match column.descriptor().kind {
            Kind::Json => sql.push("::jsonb"),
            Kind::TextList => sql.push("::text[]"),
            _ => {}
        }
    }

    fn is_cast(column: &ColumnDescriptor) -> bool {
        column.text_cast().is_some()
    }

    fn read_cast(sql: &mut Sql<Self>, column: &ColumnDescriptor) {
        if let Some(sql_type) = column.text_cast() {
            sql.push(text_cast(sql_type, column.kind == Kind::TextList));
        }
    }

    fn later(sql: &mut Sql<Self>, column: ColumnRef, time: Argument) {
        sql.push("GREATEST(");
        sql.bind(time);
        sql.push(", ");
        sql.column(column);
        sql.push(" + interval '1 microsecond')");
    }

    fn is_indexed(_: &Descriptor, word: &str) -> bool {
        word.chars().any(is_plain)
    }

    fn search(
        sql: &mut Sql<Self>,
        resource: &'static Descriptor,
        search: Search,
        terms: &[SearchTerm<'_>],
        _: Option<&Value>,
    ) {
        search::search(sql, resource, search, terms);
    }

    fn like(sql: &mut Sql<Self>, column: ColumnRef, pattern: &Pattern, ignore_case: bool) -> Result<(), AdapterError> {
        let escaped = like_pattern(pattern, '\\');
        sql.column(column);
        Self::read_cast(sql, column.descriptor());
        // Columns have the collation "C", which ignores case for ASCII letters alone; the database's own locale knows
        // all letters.
        sql.push(if ignore_case { " COLLATE \"default\" ILIKE " } else { " LIKE " });
        sql.bind(Argument::One(Type::Text, Value::Text(escaped)));
        Ok(())
    }

    const TABLES: TableDialect<Argument> = super::tables::definition::TABLES;
}

/// The value itself if the column can store it, or else the greatest storable value below it. The flag says whether the
/// result is the value itself.
pub(super) fn rounded<'v>(column: &ColumnDescriptor, value: &'v Value) -> (Cow<'v, Value>, bool) {
    if let Some(code) = column.code(value) {
        return (Cow::Owned(code.map_or(Value::Null, Value::Int)), code.is_some());
    }
    let (value, exact) = match value {
        Value::Decimal(v) => {
            let (value, exact) = rounding::decimal(*v, column.scale);
            (Value::Decimal(value), exact)
        }
        Value::DateTime(v) => {
            let (value, exact) = instant(v.naive_utc());
            (Value::DateTime(DateTime::<Utc>::from_naive_utc_and_offset(value, Utc)), exact)
        }
        Value::NaiveDateTime(v) => {
            let (value, exact) = instant(*v);
            (Value::NaiveDateTime(value), exact)
        }
        Value::Date(v) => {
            let (value, exact) = instant(v.and_time(NaiveTime::MIN));
            (Value::Date(value.date()), exact)
        }
        Value::Time(v) => {
            let (value, exact) = rounding::microseconds(*v);
            (Value::Time(value), exact)
        }
        other => return (Cow::Borrowed(other), true),
    };
    (Cow::Owned(value), exact)
}

/// A date and time, cut off to the microsecond. A value before the first storable day becomes the day before that.
fn instant(value: NaiveDateTime) -> (NaiveDateTime, bool) {
    rounding::instant(value, NaiveDate::from_ymd_opt(-1, 12, 31).unwrap_or_default())
}
