//! The order of values, equal on every storage: text by code point, decimals as numbers, null first.

use std::cmp::Ordering;

use crud_runtime::adapter::Key;
use crud_runtime::column::Value;
use crud_runtime::descriptor::SortKey;

use crate::tables::Record;

/// The order of two values of one column.
pub(crate) fn order(one: &Value, other: &Value) -> Ordering {
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
        // JSON, bytes and lists have no order; no query compares them.
        _ => Ordering::Equal,
    }
}

/// The order of a record and the values of its sort keys.
pub(crate) fn by_keys<'a>(keys: &[SortKey], one: &Record, other: impl Iterator<Item = &'a Value>) -> Ordering {
    let orders = keys.iter().zip(other).map(|(key, other)| {
        let ascending = order(one.get(key.column), other);
        if key.descending { ascending.reverse() } else { ascending }
    });
    orders.fold(Ordering::Equal, Ordering::then)
}

/// A record's key, sorted by its values.
#[derive(Debug, Clone)]
pub(crate) struct SortedKey(pub(crate) Key);

impl Ord for SortedKey {
    fn cmp(&self, other: &Self) -> Ordering {
        let values = self.0.values().iter().zip(other.0.values());
        values.map(|(one, other)| order(one, other)).fold(Ordering::Equal, Ordering::then)
    }
}

impl PartialOrd for SortedKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for SortedKey {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for SortedKey {}
