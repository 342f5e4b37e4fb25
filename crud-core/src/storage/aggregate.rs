//! [`aggregate_by_list`] and [`aggregate_by_list_in`]: groups of records, from a list of them.

use std::collections::HashMap;

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;

use super::adapter::Adapter;
use super::transaction::Transaction;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::row::{Row, RowSink};
use crate::model::stored_value::stored_value;
use crate::model::value::{Value, order, order_in};
use crate::query::{AggregateQuery, Function, Group, GroupKey, ListQuery, Measure, total_order};

/// An [`Adapter::aggregate`] for storage without groups: it reads the records that satisfy the condition.
///
/// # Errors
/// Errors of [`Adapter::list`], and [`AdapterError::Constraint`] of the column whose sum exceeds its type.
pub async fn aggregate_by_list<A: Adapter + ?Sized>(
    adapter: &A,
    resource: &'static Descriptor,
    query: &AggregateQuery,
) -> Result<Vec<Group>, AdapterError> {
    let (list, mut groups) = (records(resource, query), Groups::new(resource, query));
    adapter.list(resource, &list, &mut groups).await?;
    groups.finish()
}

/// A [`Transaction::aggregate`] for storage without groups: it reads the records that satisfy the condition.
///
/// # Errors
/// Errors of [`Transaction::list`], and [`AdapterError::Constraint`] of the column whose sum exceeds its type.
pub async fn aggregate_by_list_in<T: Transaction + ?Sized>(
    transaction: &mut T,
    resource: &'static Descriptor,
    query: &AggregateQuery,
) -> Result<Vec<Group>, AdapterError> {
    let (list, mut groups) = (records(resource, query), Groups::new(resource, query));
    transaction.list(resource, &list, false, &mut groups).await?;
    groups.finish()
}

/// The list query for the records of all groups.
fn records(resource: &'static Descriptor, query: &AggregateQuery) -> ListQuery {
    ListQuery::all(resource).filter(query.filter.clone()).sort(total_order(resource, Vec::new()))
}

/// The groups of the records so far.
struct Groups<'q> {
    resource: &'static Descriptor,
    query: &'q AggregateQuery,
    /// The groups, by the text of their keys.
    found: HashMap<String, Found>,
}

struct Found {
    keys: Vec<Value>,
    count: u64,
    measures: Vec<Accumulator>,
}

impl<'q> Groups<'q> {
    /// Without groups yet; without keys, with the one group of all records.
    fn new(resource: &'static Descriptor, query: &'q AggregateQuery) -> Self {
        let mut groups = Self { resource, query, found: HashMap::new() };
        if query.group_by.is_empty() {
            groups.of(Vec::new());
        }
        groups
    }

    /// The group with these keys; `None` beyond the limit.
    fn of(&mut self, keys: Vec<Value>) -> Option<&mut Found> {
        let text = format!("{keys:?}");
        let is_full = self.found.len() as u64 >= self.query.limit;
        if is_full && !self.found.contains_key(&text) {
            return None;
        }
        let measures = || self.query.measures.iter().map(|measure| Accumulator::new(measure.function)).collect();
        Some(self.found.entry(text).or_insert_with(|| Found { keys, count: 0, measures: measures() }))
    }

    fn finish(self) -> Result<Vec<Group>, AdapterError> {
        let mut groups: Vec<Found> = self.found.into_values().collect();
        groups.sort_by(|one, other| {
            let keys = one.keys.iter().zip(&other.keys).zip(&self.query.group_by);
            let column = |key: &GroupKey| key.values_of(self.resource);
            keys.map(|((one, other), key)| order_in(&column(key), one, other))
                .fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
        });
        let group = |found: Found| {
            let measures = found.measures.into_iter().zip(&self.query.measures);
            let scale = |measure: &Measure| self.resource.columns[measure.column].scale;
            let measures = measures.map(|(accumulator, measure)| accumulator.finish(measure.column, scale(measure)));
            Ok(Group::new(found.keys, found.count, measures.collect::<Result<_, _>>()?))
        };
        groups.into_iter().map(group).collect()
    }
}

impl RowSink for Groups<'_> {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        let (resource, query) = (self.resource, self.query);
        let keys = query.group_by.iter().map(|key| {
            let value = readable(stored_value(resource, key.column, row))?;
            Ok(key.bucket.map_or_else(|| value.clone(), |bucket| bucket.of(&value, &query.offsets)))
        });
        let keys = keys.collect::<Result<Vec<_>, AdapterError>>()?;
        let Some(group) = self.of(keys) else { return Ok(()) };
        group.count += 1;
        for (accumulator, measure) in group.measures.iter_mut().zip(&query.measures) {
            let value = readable(stored_value(resource, measure.column, row))?;
            accumulator.add(value).ok_or(AdapterError::Constraint { column: Some(measure.column) })?;
        }
        Ok(())
    }
}

/// A value, or null for one that cannot be read.
///
/// # Errors
/// Other errors of reading it.
fn readable(value: Result<Value, AdapterError>) -> Result<Value, AdapterError> {
    match value {
        Err(AdapterError::Corrupt { .. }) => Ok(Value::Null),
        value => value,
    }
}

/// A function over the values so far.
enum Accumulator {
    /// No value yet.
    Empty(Function),
    Integers(i128),
    Decimals(Decimal),
    Floats(f64),
    Average {
        sum: f64,
        count: f64,
    },
    Extreme {
        function: Function,
        value: Value,
    },
}

impl Accumulator {
    const fn new(function: Function) -> Self {
        Self::Empty(function)
    }

    /// Adds a value; `None` where the sum becomes too large.
    fn add(&mut self, value: Value) -> Option<()> {
        if value.is_null() {
            return Some(());
        }
        match (&mut *self, value) {
            (Self::Empty(function @ (Function::Min | Function::Max)), value) => {
                *self = Self::Extreme { function: *function, value };
            }
            (Self::Empty(Function::Avg), value) => *self = Self::Average { sum: float(&value)?, count: 1.0 },
            (Self::Empty(_), Value::Int(value)) => *self = Self::Integers(value.into()),
            (Self::Empty(_), Value::Decimal(value)) => *self = Self::Decimals(value),
            (Self::Empty(_), value) => *self = Self::Floats(float(&value)?),
            (Self::Integers(sum), Value::Int(value)) => *sum = sum.checked_add(value.into())?,
            (Self::Decimals(sum), Value::Decimal(value)) => *sum = sum.checked_add(value)?,
            (Self::Floats(sum), value) => *sum += float(&value)?,
            (Self::Average { sum, count }, value) => {
                *sum += float(&value)?;
                *count += 1.0;
            }
            (Self::Extreme { function, value: extreme }, value) => {
                let is_greater = order(&value, extreme).is_gt();
                if is_greater == (*function == Function::Max) {
                    *extreme = value;
                }
            }
            (Self::Integers(_) | Self::Decimals(_), _) => return None,
        }
        Some(())
    }

    /// The result, for a column with decimals of this scale.
    fn finish(self, column: usize, scale: u32) -> Result<Value, AdapterError> {
        let beyond = AdapterError::Constraint { column: Some(column) };
        let finite = |value: f64| if value.is_finite() { Some(Value::Float(value)) } else { None };
        let value = match self {
            Self::Empty(_) => Some(Value::Null),
            Self::Integers(sum) => i64::try_from(sum).ok().map(Value::Int),
            Self::Decimals(mut sum) => {
                sum.rescale(scale);
                Some(Value::Decimal(sum))
            }
            Self::Floats(sum) => finite(sum),
            Self::Average { sum, count } => finite(sum / count),
            Self::Extreme { value, .. } => Some(value),
        };
        value.ok_or(beyond)
    }
}

#[allow(clippy::cast_precision_loss, reason = "an average is a float")]
fn float(value: &Value) -> Option<f64> {
    match value {
        Value::Int(value) => Some(*value as f64),
        Value::Float(value) => Some(*value),
        Value::Decimal(value) => value.to_f64(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(values: &[i64]) -> Option<Value> {
        let mut accumulator = Accumulator::new(Function::Sum);
        values.iter().try_for_each(|value| accumulator.add(Value::Int(*value)))?;
        accumulator.finish(0, 0).ok()
    }

    #[test]
    fn sum_is_beyond_its_type_only_at_its_end() {
        assert_eq!(sum(&[i64::MAX, 1, -5]), Some(Value::Int(i64::MAX - 4)));
        assert_eq!(sum(&[i64::MAX, 1]), None);
        assert_eq!(sum(&[]), Some(Value::Null));
    }
}
