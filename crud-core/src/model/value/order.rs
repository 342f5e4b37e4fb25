//! [`order`]: the order of values, the same on every storage.

use std::cmp::Ordering;

use super::Value;
use crate::model::descriptor::ColumnDescriptor;

/// The order of two values of one column: null first, `false` before `true`, text by code point, decimals as numbers.
/// JSON, bytes and lists have no order.
#[must_use]
pub fn order(one: &Value, other: &Value) -> Ordering {
    match (one, other) {
        (Value::Null, Value::Null) => Ordering::Equal,
        (Value::Null, _) => Ordering::Less,
        (_, Value::Null) => Ordering::Greater,
        (Value::Bool(one), Value::Bool(other)) => one.cmp(other),
        (Value::Int(one), Value::Int(other)) => one.cmp(other),
        // A stored float is never NaN.
        (Value::Float(one), Value::Float(other)) => one.partial_cmp(other).unwrap_or(Ordering::Equal),
        (Value::Text(one), Value::Text(other)) => one.cmp(other),
        (Value::DateTime(one), Value::DateTime(other)) => one.cmp(other),
        (Value::Date(one), Value::Date(other)) => one.cmp(other),
        (Value::Time(one), Value::Time(other)) => one.cmp(other),
        (Value::NaiveDateTime(one), Value::NaiveDateTime(other)) => one.cmp(other),
        (Value::Uuid(one), Value::Uuid(other)) => one.cmp(other),
        (Value::Decimal(one), Value::Decimal(other)) => one.cmp(other),
        _ => Ordering::Equal,
    }
}

/// The order of two values of a column. An enum has the order of its declaration, or of the integers that it is stored
/// as; for other values, this is [`order`].
#[must_use]
pub fn order_in(column: &ColumnDescriptor, one: &Value, other: &Value) -> Ordering {
    match (column.rank(one), column.rank(other), column.code(one), column.code(other)) {
        (Some(one), Some(other), ..) => one.cmp(&other),
        (_, _, Some(one), Some(other)) => one.cmp(&other),
        _ => order(one, other),
    }
}
