//! Sample values of columns, for the examples.

mod pattern;

use chrono::{NaiveDate, NaiveDateTime, NaiveTime};
use rust_decimal::Decimal;
use rust_decimal::prelude::FromPrimitive;
use serde_json::Value as Json;
use uuid::Uuid;

use super::wording;
use crate::model::descriptor::{ColumnDescriptor, Descriptor, Literal, Rule};
use crate::model::json;
use crate::model::key::Key;
use crate::model::list_text::item_column;
use crate::model::validation;
use crate::model::validation::Patterns;
use crate::model::value::{Kind, Value, ValueRef};

/// A sample of each column; `None` where no candidate satisfies the column's kind, rules and custom check.
pub(crate) fn values(resource: &Descriptor) -> Vec<Option<Value>> {
    let Ok(patterns) = Patterns::compile(resource) else { return vec![None; resource.columns.len()] };
    let is_accepted = |index: usize, value: &Value| {
        let mut accepted = true;
        validation::check(resource, &patterns, index, value, |_| accepted = false);
        accepted
    };
    let columns = resource.columns.iter().enumerate();
    columns
        .map(|(index, column)| {
            let candidates = [first_one_of(column), column.default.map(|default| default()), typical_value(column)];
            candidates
                .into_iter()
                .flatten()
                .find(|value| !value.is_null() && (column.returned.is_some() || is_accepted(index, value)))
        })
        .collect()
}

/// A sample of the key, where each of its columns has one.
pub(crate) fn key(resource: &Descriptor) -> Option<Key> {
    let samples = values(resource);
    let parts = resource.key().iter().map(|column| samples[*column].clone());
    parts.collect::<Option<_>>().map(Key::composite)
}

/// A value as JSON.
pub(crate) fn json(column: &ColumnDescriptor, value: ValueRef<'_>) -> Json {
    let mut text = Vec::new();
    json::write_value(&mut text, column, value);
    serde_json::from_slice(&text).unwrap_or_default()
}

/// The first value of `one_of`, if the column has that rule.
fn first_one_of(column: &ColumnDescriptor) -> Option<Value> {
    let first = column.rules.iter().find_map(|rule| match rule {
        Rule::OneOf(values) => values.first(),
        _ => None,
    })?;
    Some(match (*first, column.kind) {
        (Literal::Text(text), _) => Value::Text(text.to_owned()),
        (number, Kind::F32 | Kind::F64) => Value::Float(float(number)?),
        (Literal::Int(number), _) => Value::Int(number),
        (Literal::Float(_), _) => return None,
    })
}

/// A typical value of the kind, within the rules' bounds.
fn typical_value(column: &ColumnDescriptor) -> Option<Value> {
    let day = NaiveDate::from_ymd_opt(2026, 1, 31)?;
    let noon = NaiveTime::from_hms_opt(12, 0, 0)?;
    Some(match column.kind {
        Kind::Bool => Value::Bool(true),
        Kind::I16 | Kind::I32 | Kind::I64 | Kind::U32 => Value::Int(clamp(1, column, integer)),
        Kind::F32 | Kind::F64 => Value::Float(clamp(12.5, column, float)),
        Kind::Text => match column.schema.and_then(example_of) {
            Some(example) => Value::Text(example.as_str()?.to_owned()),
            None => Value::Text(typical_text(column)?),
        },
        Kind::Enum(texts) => Value::Text((*texts.first()?).to_owned()),
        Kind::DateTime => Value::DateTime(NaiveDateTime::new(day, noon).and_utc()),
        Kind::Date => Value::Date(day),
        Kind::Time => Value::Time(noon),
        Kind::NaiveDateTime => Value::NaiveDateTime(NaiveDateTime::new(day, noon)),
        Kind::Uuid => Value::Uuid(Uuid::from_u128(0x0192_f0c1_7a5b_7c3d_8e4f_5a6b_7c8d_9e0f)),
        Kind::Decimal => Value::Decimal(typical_decimal(column)),
        Kind::Json => {
            Value::Json(column.schema.map_or_else(|| Some(serde_json::json!({ "key": "value" })), example_of)?)
        }
        Kind::Bytes => Value::Bytes(b"bytes".iter().copied().cycle().take(clamp_length(5, column)).collect()),
        Kind::TextList => Value::TextList(vec!["text".to_owned(); clamp_length(2, column)]),
        Kind::List(_) => {
            // The rules of a list bound its length, not its items.
            let item = item_column(column).rules(&[]);
            Value::List(vec![typical_value(&item)?; clamp_length(2, column)])
        }
    })
}

/// The first of the `examples` of a type's schema.
fn example_of(schema: &str) -> Option<Json> {
    serde_json::from_str::<Json>(schema).ok()?["examples"].get(0).cloned()
}

/// The number, clamped to the rules' bounds.
fn clamp<T: PartialOrd>(number: T, column: &ColumnDescriptor, read: fn(Literal) -> Option<T>) -> T {
    column.rules.iter().fold(number, |number, rule| match rule {
        Rule::Min(bound) => read(*bound).filter(|min| *min > number).unwrap_or(number),
        Rule::Max(bound) => read(*bound).filter(|max| *max < number).unwrap_or(number),
        _ => number,
    })
}

fn typical_decimal(column: &ColumnDescriptor) -> Decimal {
    let whole_digits = column.precision.saturating_sub(column.scale);
    let typical = match (whole_digits, column.scale) {
        (0, scale) => Decimal::new(1, scale),
        (1, _) => Decimal::ONE,
        (_, 0) => Decimal::new(12, 0),
        _ => Decimal::new(125, 1),
    };
    let mut value = clamp(typical, column, decimal);
    value.rescale(column.scale);
    value
}

fn typical_text(column: &ColumnDescriptor) -> Option<String> {
    let rules = column.rules;
    let text = match rules.iter().find(|rule| matches!(rule, Rule::Pattern(_) | Rule::Email | Rule::Url)) {
        Some(Rule::Pattern(pattern)) => return pattern::sample(pattern),
        Some(Rule::Email) => return Some("someone@example.com".to_owned()),
        Some(Rule::Url) => return Some("https://example.com/".to_owned()),
        _ => wording::sentence(&wording::words(column.name)),
    };
    Some(text.chars().cycle().take(clamp_length(text.chars().count(), column)).collect())
}

/// The length, clamped to the rules' bounds.
fn clamp_length(length: usize, column: &ColumnDescriptor) -> usize {
    column.rules.iter().fold(length, |length, rule| match rule {
        Rule::MinLength(min) => length.max(*min),
        Rule::MaxLength(max) => length.min(*max),
        _ => length,
    })
}

fn integer(literal: Literal) -> Option<i64> {
    if let Literal::Int(value) = literal { Some(value) } else { None }
}

fn float(literal: Literal) -> Option<f64> {
    match literal {
        #[allow(clippy::cast_precision_loss)] // The bound of an example need not be exact.
        Literal::Int(value) => Some(value as f64),
        Literal::Float(value) => Some(value),
        Literal::Text(_) => None,
    }
}

fn decimal(literal: Literal) -> Option<Decimal> {
    match literal {
        Literal::Int(value) => Some(value.into()),
        Literal::Float(value) => Decimal::from_f64(value),
        Literal::Text(value) => value.parse().ok(),
    }
}
