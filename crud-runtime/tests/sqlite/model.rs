//! A reference model of predicates and sort orders, in Rust.

use std::cmp::Ordering;

use crud_runtime::column::Value;
use crud_runtime::descriptor::SortKey;
use crud_runtime::query::{Comparison, Predicate};

use crate::support::Record;

/// Whether a record satisfies a predicate; `None` where null makes that unknown.
pub fn holds(predicate: &Predicate, record: &Record) -> Option<bool> {
    match predicate {
        Predicate::All => Some(true),
        Predicate::Compare { column, operator, value } => {
            let order = compare(known(&record[*column])?, value);
            Some(match operator {
                Comparison::Eq => order == Ordering::Equal,
                Comparison::Ne => order != Ordering::Equal,
                Comparison::Gt => order == Ordering::Greater,
                Comparison::Gte => order != Ordering::Less,
                Comparison::Lt => order == Ordering::Less,
                Comparison::Lte => order != Ordering::Greater,
            })
        }
        Predicate::In { column, negated, values } => {
            let stored = known(&record[*column])?;
            Some(values.iter().any(|value| compare(stored, value) == Ordering::Equal) != *negated)
        }
        Predicate::Like { column, pattern, ignore_case } => {
            let Value::Text(text) = known(&record[*column])? else { panic!("like is for text") };
            let fold = |text: &str| if *ignore_case { text.to_ascii_lowercase() } else { text.to_owned() };
            let parts: Vec<String> = pattern.parts().iter().map(|part| fold(part)).collect();
            Some(like(&parts, &fold(text)))
        }
        Predicate::IsNull { column, null } => Some(record[*column].is_null() == *null),
        Predicate::And(terms) => all(terms.iter().map(|term| holds(term, record))),
        Predicate::Or(terms) => all(terms.iter().map(|term| holds(term, record).map(|v| !v))).map(|v| !v),
        Predicate::Not(inner) => holds(inner, record).map(|v| !v),
        other => panic!("an unknown predicate: {other:?}"),
    }
}

/// Three-valued AND: any false term is false; otherwise any unknown term is unknown.
fn all(terms: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let terms: Vec<_> = terms.collect();
    if terms.contains(&Some(false)) {
        Some(false)
    } else if terms.contains(&None) {
        None
    } else {
        Some(true)
    }
}

fn known(value: &Value) -> Option<&Value> {
    (!value.is_null()).then_some(value)
}

/// The order of values of one kind: null first, text by code point.
pub fn compare(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Null, Value::Null) => Ordering::Equal,
        (Value::Null, _) => Ordering::Less,
        (_, Value::Null) => Ordering::Greater,
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b).expect("no NaN"),
        (Value::Text(a), Value::Text(b)) => a.chars().cmp(b.chars()),
        (Value::DateTime(a), Value::DateTime(b)) => a.cmp(b),
        (Value::Date(a), Value::Date(b)) => a.cmp(b),
        (Value::Decimal(a), Value::Decimal(b)) => a.cmp(b),
        other => panic!("no order of {other:?}"),
    }
}

/// The order of records by these sort keys.
pub fn order(keys: &[SortKey], a: &Record, b: &Record) -> Ordering {
    let orders = keys.iter().map(|key| {
        let order = compare(&a[key.column], &b[key.column]);
        if key.descending { order.reverse() } else { order }
    });
    orders.fold(Ordering::Equal, Ordering::then)
}

/// Whether the text is these parts, with any text between them.
fn like(parts: &[String], text: &str) -> bool {
    match parts {
        [] => text.is_empty(),
        [last] => last == text,
        [head, rest @ ..] => text.strip_prefix(&**head).is_some_and(|tail| {
            let ends = tail.char_indices().map(|(at, _)| at).chain([tail.len()]);
            ends.into_iter().any(|at| like(rest, &tail[at..]))
        }),
    }
}
