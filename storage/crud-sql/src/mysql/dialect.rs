//! The dialect of MySQL and MariaDB, and how they store values.

use std::borrow::Borrow;
use std::ops::Range;

use chrono::{NaiveDate, NaiveDateTime, NaiveTime};

use super::argument::Argument;
use super::as_text;
use super::search;
use crate::dialect::{ColumnRef, Dialect, Lock, Operand};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{ColumnDescriptor, Computed, Descriptor, Search, Statements, StoredFormat, View};
use crate::model::list_text;
use crate::model::value::{Kind, Value};
use crate::plan::Plan;
use crate::query::{Bucket, Offsets, Pattern};
use crate::statement::Sql;
use crate::statement::aggregate::write_offset;
use crate::statement::multi_row::NEW;
use crate::statement::row_values::{ranges, values};
use crate::statement::search_term::SearchTerm;
use crate::statement::select::like_pattern;
use crate::storage::rounding;
use crate::table_dialect::TableDialect;

/// Maximum number of values that a statement binds.
const MAX_VALUES: usize = 65_535;

/// MySQL or MariaDB. SQL that only one of them understands is in a comment that only that one executes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum MySql {}

impl Dialect for MySql {
    type Argument = Argument;

    const SPELLING: crud_shared::dialect::Dialect = crud_shared::dialect::MYSQL;
    // Unused: no change returns its record.
    const IS_DISTINCT: &'static str = " <> ";
    const NO_LIMIT: &'static str = " LIMIT 18446744073709551615";
    const ROW_RANGES: bool = false;
    const BEGIN: &'static str = "START TRANSACTION";
    const EXPLAIN: &'static str = "EXPLAIN FORMAT = JSON ";

    fn plan(text: &str) -> Plan {
        Plan::of_mysql(text)
    }

    fn lock(lock: Lock) -> &'static str {
        match lock {
            // MySQL's `FOR SHARE` is unknown to MariaDB; both understand this.
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

    /// `(SELECT ? AS "new 1", … UNION ALL SELECT ?, …) AS "new values"`: the only form that both databases understand.
    fn new_values(
        sql: &mut Sql<Self>,
        resource: &'static Descriptor,
        columns: &[usize],
        rows: impl Iterator<Item = impl Iterator<Item = impl Borrow<Value>>>,
    ) {
        for (row, values) in rows.enumerate() {
            sql.push(if row == 0 { "(SELECT " } else { " UNION ALL SELECT " });
            for (position, (&column, value)) in columns.iter().zip(values).enumerate() {
                sql.comma(position);
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

    fn view_sql(view: &View) -> Option<&'static str> {
        view.mysql
    }

    fn computed_sql(computed: &Computed) -> Option<&'static str> {
        computed.mysql
    }

    fn statements(resource: &'static Descriptor) -> Result<&'static Statements, AdapterError> {
        resource.mysql.as_ref().ok_or_else(|| {
            AdapterError::Other(format!("resource {} was derived without MySQL's statements", resource.name).into())
        })
    }

    fn number(value: u64) -> Argument {
        Argument::Int(i64::try_from(value).unwrap_or(i64::MAX))
    }

    fn operand(column: &ColumnDescriptor, value: &Value) -> Operand<Argument> {
        let of = |argument, exact| Operand { argument, exact };
        if let Some(code) = column.code(value) {
            return of(code.map_or(Argument::Null, Argument::Int), code.is_some());
        }
        let instant =
            |value: NaiveDateTime| rounding::instant(value, NaiveDate::from_ymd_opt(0, 1, 1).unwrap_or_default());
        Operand::exact(match value {
            Value::Null | Value::Default => Argument::Null,
            Value::Bool(v) => Argument::Int((*v).into()),
            Value::Int(v) => Argument::Int(*v),
            Value::Float(v) => Argument::Float(*v),
            Value::Text(v) | Value::JsonText(v) => Argument::Text(v.clone()),
            Value::Bytes(v) => Argument::Bytes(v.clone()),
            Value::Uuid(v) => match column.format {
                Some(StoredFormat::Lowercase) => Argument::Text(v.hyphenated().to_string()),
                Some(StoredFormat::Uppercase) => Argument::Text(v.hyphenated().to_string().to_uppercase()),
                Some(StoredFormat::Simple) => Argument::Text(v.simple().to_string()),
                _ => Argument::Bytes(v.as_bytes().to_vec()),
            },
            Value::List(v) => Argument::Text(list_text::text_of(column, v)),
            Value::Json(v) => Argument::Text(v.to_string()),
            Value::TextList(v) => Argument::Text(serde_json::Value::from(v.as_slice()).to_string()),
            Value::Decimal(v) => {
                let (value, exact) = rounding::decimal(*v, column.scale);
                return of(Argument::Decimal(value), exact);
            }
            Value::DateTime(v) => {
                if let Some(operand) = unix(column, v.naive_utc()) {
                    return operand;
                }
                let (value, exact) = instant(v.naive_utc());
                return of(Argument::DateTime(value), exact);
            }
            Value::NaiveDateTime(v) => {
                if let Some(operand) = unix(column, *v) {
                    return operand;
                }
                let (value, exact) = instant(*v);
                return of(Argument::DateTime(value), exact);
            }
            Value::Date(v) => {
                let (value, exact) = instant(v.and_time(NaiveTime::MIN));
                return of(Argument::Date(value.date()), exact);
            }
            Value::Time(v) => {
                let (value, exact) = rounding::microseconds(*v);
                return of(Argument::Time(value), exact);
            }
        })
    }

    fn bucket(sql: &mut Sql<Self>, column: ColumnRef, bucket: Bucket, offsets: Option<&Offsets>) {
        sql.push("DATE_FORMAT(");
        sql.column(column);
        if let Some(offsets) = offsets {
            sql.push(" + INTERVAL (");
            write_offset(sql, column, offsets);
            sql.push(") SECOND");
        }
        sql.push(match bucket {
            Bucket::Year => ", '%Y')",
            Bucket::Month => ", '%Y-%m')",
            Bucket::Week => ", '%x-W%v')",
            Bucket::Day => ", '%Y-%m-%d')",
            Bucket::Hour => ", '%Y-%m-%dT%H')",
        });
    }

    fn sum(sql: &mut Sql<Self>, column: ColumnRef) {
        sql.push("SUM(");
        sql.column(column);
        sql.push(")");
    }

    // The average of a decimal has few digits more than the decimal.
    fn average(sql: &mut Sql<Self>, column: ColumnRef) {
        sql.push("AVG(");
        sql.column(column);
        sql.push(" + 0e0)");
    }

    /// One JSON value has many spellings: equal values need not be equal as text.
    fn comparable(column: &ColumnDescriptor) -> bool {
        column.text_cast().is_none() && !matches!(column.kind, Kind::Json | Kind::TextList | Kind::List(_))
    }

    /// The rows of one insert get consecutive keys, in steps of `auto_increment_increment`; the keys in between belong
    /// to other servers of the cluster. In a shard, no other row comes between them, whether its keys are in steps or
    /// from a sequence.
    fn inserted(sql: &mut Sql<Self>, resource: &'static Descriptor, count: usize) {
        let id = ColumnRef { resource, column: resource.id };
        sql.column(id);
        if count == 1 {
            return sql.push(" = LAST_INSERT_ID()");
        }
        sql.push(" >= LAST_INSERT_ID()");
        if as_text::is_wanted() {
            return;
        }
        sql.push(" AND ");
        sql.column(id);
        sql.push(" < LAST_INSERT_ID() + @@auto_increment_increment * ");
        sql.count(count);
        sql.push(" AND (");
        sql.column(id);
        sql.push(" - LAST_INSERT_ID()) % @@auto_increment_increment = 0");
    }

    fn first_inserted(sql: &mut Sql<Self>, resource: &'static Descriptor, count: usize) {
        if count > 1 && as_text::is_wanted() {
            sql.push(" ORDER BY ");
            sql.column(ColumnRef { resource, column: resource.id });
            sql.push(" LIMIT ");
            sql.count(count);
        }
    }

    fn is_indexed(resource: &Descriptor, word: &str) -> bool {
        resource.is_managed() && search::is_indexed(word)
    }

    fn search(
        sql: &mut Sql<Self>,
        resource: &'static Descriptor,
        _: Search,
        terms: &[SearchTerm<'_>],
        _: Option<&Value>,
    ) {
        search::search(sql, resource, terms);
    }

    fn like(sql: &mut Sql<Self>, column: ColumnRef, pattern: &Pattern, ignore_case: bool) -> Result<(), AdapterError> {
        let escaped = like_pattern(pattern, '!');
        if ignore_case {
            sql.push("LOWER(");
            sql.column(column);
            sql.push(") LIKE LOWER(");
        } else {
            sql.column(column);
            sql.push(" LIKE (");
        }
        sql.bind(Argument::Text(escaped));
        // `!` escapes: whether a backslash does depends on the session.
        sql.push(") ESCAPE '!'");
        Ok(())
    }

    const TABLES: TableDialect<Argument> = super::definition::TABLES;
}

/// A date and time as a number since 1970, where the column's format is such a number.
fn unix(column: &ColumnDescriptor, value: NaiveDateTime) -> Option<Operand<Argument>> {
    let format = column.format.filter(|format| matches!(format, StoredFormat::Unix | StoredFormat::UnixMillis))?;
    let (number, exact) = format.to_unix(value);
    Some(Operand { argument: Argument::Int(number), exact })
}

fn name(sql: &mut Sql<MySql>, position: usize) {
    sql.push("`new ");
    sql.count(position + 1);
    sql.push("`");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::descriptor::Role;

    const ID: ColumnDescriptor = ColumnDescriptor::new::<i64>("id", "id", "\"id\":", "id").role(Role::Id);
    static PARCELS: Descriptor = Descriptor::new("Parcel", "core", "/parcels", "parcels", &[ID], 0);

    fn of_batch() -> String {
        let mut sql = Sql::<MySql>::new("");
        MySql::inserted(&mut sql, &PARCELS, 3);
        MySql::first_inserted(&mut sql, &PARCELS, 3);
        sql.finish().text.as_str().to_owned()
    }

    /// Keys of other nodes lie between the keys of a batch, which are in steps.
    #[test]
    fn rows_of_a_batch_are_those_in_the_steps_of_their_server() {
        assert_eq!(
            of_batch(),
            "`id` >= LAST_INSERT_ID() AND `id` < LAST_INSERT_ID() + @@auto_increment_increment * 3 \
             AND (`id` - LAST_INSERT_ID()) % @@auto_increment_increment = 0"
        );
    }

    #[tokio::test]
    async fn rows_of_a_batch_in_a_shard_are_the_first_ones() {
        let in_shard = as_text::around(Box::pin(async { Ok(of_batch()) })).await.expect("a statement");
        assert_eq!(in_shard, "`id` >= LAST_INSERT_ID() ORDER BY `id` LIMIT 3");
    }
}
