//! Valid values of columns by their kinds and rules. The number makes values of different records differ.

use chrono::{NaiveDate, NaiveTime, TimeDelta};
use crud_runtime::column::{Kind, Value};
use crud_runtime::descriptor::{ColumnDescriptor, Literal, Rule};
use rust_decimal::Decimal;
use rust_decimal::prelude::{FromPrimitive, ToPrimitive};
use serde_json::json;
use uuid::Uuid;

use super::pattern::matching;

/// A value of a column for a number; `None` if no candidate satisfies the rules.
pub(super) fn sample(column: &ColumnDescriptor, number: u32) -> Option<Value> {
    let default = column.default.map(|default| default());
    // For a type with its own check, such as a time zone: the example of its schema.
    let of_type =
        || example(column)?.as_str().filter(|_| column.kind == Kind::Text).map(|text| Value::Text(text.to_owned()));
    let candidates = [one_of(column, number), typical(column, number), default, of_type()];
    candidates.into_iter().flatten().find(|value| is_accepted(column, value))
}

/// Whether the checks of the program and of the type accept a value.
fn is_accepted(column: &ColumnDescriptor, value: &Value) -> bool {
    let custom = column.rules.iter().all(|rule| match rule {
        Rule::Custom(check) => check(value.borrow()).is_ok(),
        _ => true,
    });
    custom && column.check.is_none_or(|check| check(value.borrow()).is_ok())
}

/// One of the values of `one_of`.
fn one_of(column: &ColumnDescriptor, number: u32) -> Option<Value> {
    let values = column.rules.iter().find_map(|rule| match rule {
        Rule::OneOf(values) => Some(*values),
        _ => None,
    })?;
    let value = pick(values, number)?;
    Some(match (*value, column.kind) {
        (Literal::Text(text), _) => Value::Text(text.to_owned()),
        (literal, Kind::F32 | Kind::F64) => Value::Float(float(literal)?),
        (Literal::Int(number), _) => Value::Int(number),
        (Literal::Float(_), _) => return None,
    })
}

fn pick<T>(values: &[T], number: u32) -> Option<&T> {
    let count = u32::try_from(values.len()).ok().filter(|count| *count > 0)?;
    values.get(usize::try_from(number % count).ok()?)
}

/// A typical value of the column's kind, within the bounds of the rules.
fn typical(column: &ColumnDescriptor, number: u32) -> Option<Value> {
    let day = NaiveDate::from_ymd_opt(2026, 1, 1)?.checked_add_days(chrono::Days::new(number.into()))?;
    let time = NaiveTime::MIN + TimeDelta::seconds((number % 86_400).into());
    Some(match column.kind {
        Kind::Bool => Value::Bool(number.is_multiple_of(2)),
        Kind::I16 | Kind::I32 | Kind::I64 | Kind::U32 => Value::Int(bounded(column, number)?.to_i64()?),
        Kind::F32 | Kind::F64 => Value::Float(bounded(column, number)?.to_f64()?),
        Kind::Decimal => {
            let mut value = bounded(column, number)?;
            value.rescale(column.scale);
            Value::Decimal(value)
        }
        Kind::Text => Value::Text(text(column, number)?),
        Kind::Enum(texts) => Value::Text((*pick(texts, number)?).to_owned()),
        Kind::DateTime => Value::DateTime(day.and_time(time).and_utc()),
        Kind::NaiveDateTime => Value::NaiveDateTime(day.and_time(time)),
        Kind::Date => Value::Date(day),
        Kind::Time => Value::Time(time),
        Kind::Uuid => Value::Uuid(Uuid::from_u128(u128::from(number) | 0x0192_f0c1_7a5b_7c3d_8e4f << 48)),
        Kind::Json => Value::Json(example(column).unwrap_or_else(|| json!({ "number": number }))),
        Kind::Bytes => Value::Bytes(vec![0; length(column, 3)]),
        Kind::TextList => Value::TextList(vec![format!("item {number}"); length(column, 2)]),
        Kind::List(kind) => {
            let mut item = *column;
            (item.kind, item.rules) = (*kind, &[]);
            Value::List(vec![typical(&item, number)?; length(column, 2)])
        }
    })
}

/// The first example of the schema of the column's type.
fn example(column: &ColumnDescriptor) -> Option<serde_json::Value> {
    serde_json::from_str::<serde_json::Value>(column.schema?).ok()?["examples"].get(0).cloned()
}

/// A number within the bounds of the rules.
fn bounded(column: &ColumnDescriptor, number: u32) -> Option<Decimal> {
    let bound = |wanted: fn(&Rule) -> Option<Literal>| column.rules.iter().find_map(wanted).and_then(decimal);
    let least = bound(|rule| if let Rule::Min(least) = rule { Some(*least) } else { None });
    let most = bound(|rule| if let Rule::Max(most) = rule { Some(*most) } else { None });
    // The number has few digits, so that it fits into any column.
    let digits = column.precision.saturating_sub(column.scale).min(4);
    let room = Decimal::from(10_u32.pow(digits)) - Decimal::ONE;
    let most = most.unwrap_or(room).min(least.unwrap_or_default() + room);
    let least = least.unwrap_or_else(|| Decimal::ONE.min(most));
    let width = (most - least).floor() + Decimal::ONE;
    Some(least + Decimal::from(number).checked_rem(width)?)
}

/// A text with the word of the number, such as `w17q`, for searches.
fn text(column: &ColumnDescriptor, number: u32) -> Option<String> {
    let special = column.rules.iter().find(|rule| matches!(rule, Rule::Pattern(_) | Rule::Email | Rule::Url));
    let text = match special {
        Some(Rule::Pattern(pattern)) => return matching(pattern, number),
        Some(Rule::Email) => format!("w{number}q@example.com"),
        Some(Rule::Url) => format!("https://example.com/w{number}q"),
        _ => {
            let text = format!("{} {}", word(number), column.name.replace('_', " "));
            let length = length(column, text.len());
            return Some(text.chars().chain(std::iter::repeat('x')).take(length).collect());
        }
    };
    Some(text)
}

/// The word of a number. It is not a prefix of another number's word.
fn word(number: u32) -> String {
    format!("w{number}q")
}

/// The word of a generated text, if it has one.
pub(crate) fn word_of(text: &str) -> Option<&str> {
    let word = text.split(|c: char| !c.is_alphanumeric()).next()?;
    let number = word.strip_prefix('w')?.strip_suffix('q')?;
    number.bytes().all(|digit| digit.is_ascii_digit()).then_some(word)
}

/// A length within the bounds of the rules.
fn length(column: &ColumnDescriptor, wanted: usize) -> usize {
    column.rules.iter().fold(wanted, |length, rule| match rule {
        Rule::MinLength(least) => length.max(*least),
        Rule::MaxLength(most) => length.min(*most),
        _ => length,
    })
}

fn float(literal: Literal) -> Option<f64> {
    decimal(literal)?.to_f64()
}

fn decimal(literal: Literal) -> Option<Decimal> {
    match literal {
        Literal::Int(value) => Some(value.into()),
        Literal::Float(value) => Decimal::from_f64(value),
        Literal::Text(value) => value.parse().ok(),
    }
}
