//! A value of a column, for the examples.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::{NaiveDate, NaiveDateTime, NaiveTime};
use rust_decimal::Decimal;
use rust_decimal::prelude::FromPrimitive;
use serde_json::Value as Json;
use uuid::Uuid;

use crate::descriptor::{ColumnDescriptor, Literal, Rule};
use crate::openapi::{name, pattern};
use crate::text::{write_date, write_date_time, write_naive_date_time, write_time};
use crate::value::{Kind, Value, ValueRef};

/// A value that the column's kind, its rules and its type's own check accept, if one is found.
pub(super) fn value(column: &ColumnDescriptor) -> Option<Value> {
    let candidates = [chosen(column), column.default.map(|default| default()), typical(column)];
    candidates.into_iter().flatten().find(|value| !value.is_null() && is_accepted(column, value))
}

/// A value as JSON.
pub(super) fn json(column: &ColumnDescriptor, value: ValueRef<'_>) -> Json {
    let text = |write: &dyn Fn(&mut String) -> std::fmt::Result| {
        let mut out = String::new();
        write(&mut out).unwrap_or_default();
        Json::from(out)
    };
    match value {
        ValueRef::Null => Json::Null,
        ValueRef::Bool(v) => v.into(),
        ValueRef::Int(v) => v.into(),
        // The shortest text of an f32 is not that of the same number as an f64.
        #[allow(clippy::cast_possible_truncation)]
        ValueRef::Float(v) if column.kind == Kind::F32 => (v as f32).to_string().parse::<f64>().unwrap_or(v).into(),
        ValueRef::Float(v) => v.into(),
        ValueRef::Text(v) | ValueRef::Canonical(v) => v.into(),
        ValueRef::DateTime(v) => text(&|out| write_date_time(out, &v)),
        ValueRef::Date(v) => text(&|out| write_date(out, &v)),
        ValueRef::Time(v) => text(&|out| write_time(out, &v)),
        ValueRef::NaiveDateTime(v) => text(&|out| write_naive_date_time(out, &v)),
        ValueRef::Uuid(v) => v.as_hyphenated().to_string().into(),
        ValueRef::Decimal(v) => v.to_string().into(),
        ValueRef::Json(v) => v.clone(),
        ValueRef::JsonText(v) => serde_json::from_str(v).unwrap_or_default(),
        ValueRef::Bytes(v) => STANDARD.encode(v).into(),
        ValueRef::TextList(v) => v.into(),
    }
}

/// The first of the values that the rules name.
fn chosen(column: &ColumnDescriptor) -> Option<Value> {
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

/// A value that reads like one, within the bounds that the rules set.
fn typical(column: &ColumnDescriptor) -> Option<Value> {
    let day = NaiveDate::from_ymd_opt(2026, 1, 31)?;
    let noon = NaiveTime::from_hms_opt(12, 0, 0)?;
    Some(match column.kind {
        Kind::Bool => Value::Bool(true),
        Kind::I16 | Kind::I32 | Kind::I64 | Kind::U32 => Value::Int(typical_integer(column)),
        Kind::F32 | Kind::F64 => Value::Float(typical_float(column)),
        Kind::Text => Value::Text(typical_text(column)?),
        Kind::Enum(texts) => Value::Text((*texts.first()?).to_owned()),
        Kind::DateTime => Value::DateTime(NaiveDateTime::new(day, noon).and_utc()),
        Kind::Date => Value::Date(day),
        Kind::Time => Value::Time(noon),
        Kind::NaiveDateTime => Value::NaiveDateTime(NaiveDateTime::new(day, noon)),
        Kind::Uuid => Value::Uuid(Uuid::from_u128(0x0192_f0c1_7a5b_7c3d_8e4f_5a6b_7c8d_9e0f)),
        Kind::Decimal => Value::Decimal(typical_decimal(column)?),
        Kind::Json => Value::Json(serde_json::json!({ "key": "value" })),
        Kind::Bytes => Value::Bytes(b"bytes".iter().copied().cycle().take(fit(5, column)).collect()),
        Kind::TextList => Value::TextList(vec!["text".to_owned(); fit(2, column)]),
    })
}

fn typical_integer(column: &ColumnDescriptor) -> i64 {
    column.rules.iter().fold(1, |value, rule| match rule {
        Rule::Min(Literal::Int(least)) => value.max(*least),
        Rule::Max(Literal::Int(most)) => value.min(*most),
        _ => value,
    })
}

fn typical_float(column: &ColumnDescriptor) -> f64 {
    column.rules.iter().fold(12.5, |value, rule| match rule {
        Rule::Min(bound) => float(*bound).map_or(value, |least| value.max(least)),
        Rule::Max(bound) => float(*bound).map_or(value, |most| value.min(most)),
        _ => value,
    })
}

fn typical_decimal(column: &ColumnDescriptor) -> Option<Decimal> {
    let whole_digits = column.precision.saturating_sub(column.scale);
    let mut value = match (whole_digits, column.scale) {
        (0, scale) => Decimal::new(1, scale),
        (1, _) => Decimal::ONE,
        (_, 0) => Decimal::new(12, 0),
        _ => Decimal::new(125, 1),
    };
    for rule in column.rules {
        match rule {
            Rule::Min(bound) => value = value.max(decimal(*bound)?),
            Rule::Max(bound) => value = value.min(decimal(*bound)?),
            _ => {}
        }
    }
    value.rescale(column.scale);
    Some(value)
}

fn typical_text(column: &ColumnDescriptor) -> Option<String> {
    let rules = column.rules;
    let text = match rules.iter().find(|rule| matches!(rule, Rule::Pattern(_) | Rule::Email | Rule::Url)) {
        Some(Rule::Pattern(pattern)) => return pattern::sample(pattern),
        Some(Rule::Email) => return Some("someone@example.com".to_owned()),
        Some(Rule::Url) => return Some("https://example.com/".to_owned()),
        _ => name::sentence(&name::words(column.name)),
    };
    Some(text.chars().cycle().take(fit(text.chars().count(), column)).collect())
}

/// A length within the bounds that the rules set.
fn fit(length: usize, column: &ColumnDescriptor) -> usize {
    column.rules.iter().fold(length, |length, rule| match rule {
        Rule::MinLength(least) => length.max(*least),
        Rule::MaxLength(most) => length.min(*most),
        _ => length,
    })
}

fn float(literal: Literal) -> Option<f64> {
    match literal {
        #[allow(clippy::cast_precision_loss)] // A bound of an example need not be exact to the last digit.
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

/// What no construction makes sure of: patterns beside lengths, the user's own checks.
fn is_accepted(column: &ColumnDescriptor, value: &Value) -> bool {
    let by_type = column.check.is_none_or(|check| check(value.borrow()).is_ok());
    by_type && column.rules.iter().all(|rule| satisfies(rule, value))
}

fn satisfies(rule: &Rule, value: &Value) -> bool {
    match (rule, value) {
        (Rule::Custom(check), _) => check(value.borrow()).is_ok(),
        (Rule::Pattern(pattern), Value::Text(text)) => {
            regex::Regex::new(pattern).is_ok_and(|pattern| pattern.is_match(text))
        }
        (Rule::MinLength(least), Value::Text(text)) => text.chars().count() >= *least,
        (Rule::MaxLength(most), Value::Text(text)) => text.chars().count() <= *most,
        _ => true,
    }
}
