//! Groups of records:
//!
//! ```sql
//! SELECT "status", COUNT(*), SUM("price") FROM "orders" WHERE … GROUP BY 1 ORDER BY 1 LIMIT $1
//! ```

use rust_decimal::Decimal;

use super::Sql;
use super::order::write_rank;
use super::select::{from_where, page};
use crate::dialect::{ColumnRef, Dialect};
use crate::driver::{DatabaseRow, Driver};
use crate::model::adapter_error::AdapterError;
use crate::model::column::{Column, owned_value};
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::value::{Kind, Value, ValueRef};
use crate::query::{AggregateQuery, Function, Group, GroupKey, Measure, Offsets};

/// Number of bits in the lower half of an integer, where the two halves are summed separately.
const HALF: u32 = 32;

/// Descriptor of the text with two sums: `upper:lower`.
const HALVES: ColumnDescriptor = <Option<String> as Column>::TYPE.column("sum", "");

/// The statement of an aggregation by groups.
///
/// # Errors
/// Errors of a condition.
pub(crate) fn aggregate<D: Dialect>(
    resource: &'static Descriptor,
    query: &AggregateQuery,
) -> Result<Sql<D>, AdapterError> {
    let mut sql = Sql::new("SELECT ");
    for key in &query.group_by {
        let column = ColumnRef { resource, column: key.column };
        match key.bucket {
            Some(bucket) if column.descriptor().kind == Kind::DateTime && !query.offsets.is_utc() => {
                D::bucket(&mut sql, column, bucket, Some(&query.offsets));
            }
            Some(bucket) => D::bucket(&mut sql, column, bucket, None),
            None => {
                sql.column(column);
                D::read_cast(&mut sql, column.descriptor());
            }
        }
        sql.push(", ");
    }
    sql.push("COUNT(*)");
    for measure in &query.measures {
        sql.push(", ");
        write_measure(&mut sql, ColumnRef { resource, column: measure.column }, measure.function);
    }
    sql.end_columns();
    from_where(&mut sql, resource, &query.filter)?;
    for (position, key) in query.group_by.iter().enumerate() {
        sql.push(if position == 0 { " GROUP BY " } else { ", " });
        let of = ColumnRef { resource, column: key.column };
        // Group by the value before its cast, as the order by rank uses that.
        if key.bucket.is_none() && D::is_cast(of.descriptor()) {
            sql.column(of);
        } else {
            sql.count(position + 1);
        }
    }
    for (position, key) in query.group_by.iter().enumerate() {
        sql.push(if position == 0 { " ORDER BY " } else { ", " });
        let of = ColumnRef { resource, column: key.column };
        if of.descriptor().ranked().is_some() {
            write_rank(&mut sql, of.descriptor(), |sql| {
                sql.column(of);
                Ok(())
            })?;
        } else {
            sql.count(position + 1);
        }
        D::direction(&mut sql, resource.columns[key.column].nullable, false);
    }
    if !query.group_by.is_empty() {
        page(&mut sql, 0, Some(query.limit));
    }
    Ok(sql)
}

/// Writes the offset of a column's time from UTC, in seconds: `CASE WHEN "placed" < $1 THEN 7200 ELSE 3600 END`.
pub(crate) fn write_offset<D: Dialect>(sql: &mut Sql<D>, column: ColumnRef, offsets: &Offsets) {
    let write_seconds = |sql: &mut Sql<D>, seconds: i32| {
        sql.push(if seconds < 0 { "-" } else { "" });
        sql.count(seconds.unsigned_abs() as usize);
    };
    if offsets.earlier().is_empty() {
        return write_seconds(sql, offsets.last());
    }
    sql.push("CASE");
    for (until, seconds) in offsets.earlier() {
        sql.push(" WHEN ");
        sql.column(column);
        sql.push(" < ");
        sql.bind(D::operand(column.descriptor(), &Value::DateTime(*until)).argument);
        sql.push(" THEN ");
        write_seconds(sql, *seconds);
    }
    sql.push(" ELSE ");
    write_seconds(sql, offsets.last());
    sql.push(" END");
}

fn write_measure<D: Dialect>(sql: &mut Sql<D>, column: ColumnRef, function: Function) {
    match function {
        Function::Sum if D::SPLITS_SUMS && is_whole(column.descriptor()) => write_halves(sql, column),
        Function::Sum => D::sum(sql, column),
        Function::Avg => D::average(sql, column),
        Function::Min | Function::Max => {
            sql.push(if function == Function::Min { "MIN(" } else { "MAX(" });
            sql.column(column);
            sql.push(")");
            D::read_cast(sql, column.descriptor());
        }
    }
}

/// Whether values are stored as integers.
const fn is_whole(column: &ColumnDescriptor) -> bool {
    column.kind.integer_range().is_some() || matches!(column.kind, Kind::Decimal)
}

/// Writes the sums of the upper and the lower halves of integers as one text: `SUM("price" >> 32) || ':' || SUM("price"
/// & 4294967295)`. For databases where a sum beyond 64 bits is an error, even if later values would bring it back into
/// range.
fn write_halves<D: Dialect>(sql: &mut Sql<D>, column: ColumnRef) {
    sql.push("SUM(");
    D::summed_integer(sql, column);
    sql.push(" >> 32) || ':' || SUM(");
    D::summed_integer(sql, column);
    sql.push(" & 4294967295)");
}

/// The group in a row.
///
/// # Errors
/// [`AdapterError::Constraint`] of a column whose sum is beyond its type.
pub(crate) fn group<D: Driver>(
    resource: &'static Descriptor,
    query: &AggregateQuery,
    row: &DatabaseRow<D>,
) -> Result<Group, AdapterError> {
    let keys = query.group_by.iter().enumerate().map(|(index, key)| key_in::<D>(resource, *key, index, row));
    let keys: Vec<Value> = keys.collect();
    let count = D::number_in(row, keys.len()).map_err(D::general)?.unsigned_abs();
    let first = keys.len() + 1;
    let measures = query.measures.iter().enumerate();
    let measures = measures.map(|(index, measure)| measure_in::<D>(resource, *measure, first + index, row));
    Ok(Group::new(keys, count, measures.collect::<Result<_, _>>()?))
}

/// The value of a group's key; null if it cannot be read.
fn key_in<D: Driver>(resource: &'static Descriptor, key: GroupKey, index: usize, row: &DatabaseRow<D>) -> Value {
    value::<D>(&key.values_of(resource), index, row).unwrap_or(Value::Null)
}

fn measure_in<D: Driver>(
    resource: &'static Descriptor,
    measure: Measure,
    index: usize,
    row: &DatabaseRow<D>,
) -> Result<Value, AdapterError> {
    let column = measure.values_of(resource);
    let found = if measure.function == Function::Sum && D::SPLITS_SUMS && is_whole(&column) {
        match value::<D>(&HALVES, index, row) {
            Some(Value::Text(halves)) => joined(&halves, &column),
            null => null,
        }
    } else {
        value::<D>(&column, index, row)
    };
    match (found, measure.function) {
        (Some(value), _) => Ok(value),
        // The least or greatest value of a column may be one that cannot be read.
        (None, Function::Min | Function::Max) => Ok(Value::Null),
        (None, Function::Sum | Function::Avg) => Err(AdapterError::Constraint { column: Some(measure.column) }),
    }
}

fn value<D: Driver>(column: &ColumnDescriptor, index: usize, row: &DatabaseRow<D>) -> Option<Value> {
    let decoded = D::Decoded::default();
    let found: ValueRef<'_> = D::value(column, index, row, &decoded).ok()?;
    owned_value(column.kind, found).ok()
}

/// Joins the sums of two halves; `None` if the total is beyond the column's type.
fn joined(halves: &str, column: &ColumnDescriptor) -> Option<Value> {
    let (upper, lower) = halves.split_once(':')?;
    let (upper, lower): (i128, i128) = (upper.parse().ok()?, lower.parse().ok()?);
    let sum = upper.checked_mul(1 << HALF)?.checked_add(lower)?;
    match column.kind {
        Kind::Decimal => Decimal::try_from_i128_with_scale(sum, column.scale).ok().map(Value::Decimal),
        _ => i64::try_from(sum).ok().map(Value::Int),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_integers_are_joined_to_their_sum() {
        let column = <i64 as Column>::TYPE.column("price", "");
        let halves = |values: &[i64]| {
            let upper: i64 = values.iter().map(|value| value >> HALF).sum();
            let lower: i64 = values.iter().map(|value| value & 0xffff_ffff).sum();
            joined(&format!("{upper}:{lower}"), &column)
        };
        assert_eq!(halves(&[-1, 5, -7]), Some(Value::Int(-3)));
        assert_eq!(halves(&[i64::MAX, 1, -2]), Some(Value::Int(i64::MAX - 1)));
        assert_eq!(halves(&[i64::MIN, i64::MAX]), Some(Value::Int(-1)));
        assert_eq!(halves(&[i64::MAX, 1]), None);
    }
}
