//! Storage of values in SQLite.

use chrono::{Datelike, NaiveDateTime, NaiveTime};
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;

use super::argument::Argument;
use crate::dialect::Operand;
use crate::model::descriptor::{ColumnDescriptor, StoredFormat};
use crate::model::list_text;
use crate::model::text;
use crate::model::value::{Kind, Value};
use crate::storage::rounding::{self, microseconds, units};

/// A value in the form that a column of its kind stores.
///
/// Dates and times are their canonical text, which sorts as they do; decimals are whole numbers of the
/// column's smallest unit.
pub(super) fn operand(column: &ColumnDescriptor, value: &Value) -> Operand<Argument> {
    if let Some(operand) = column.format.and_then(|format| formatted(format, column, value)) {
        return operand;
    }
    if let Some(code) = column.code(value) {
        let argument = code.map_or(Argument::Null, Argument::Integer);
        return Operand { argument, exact: code.is_some() };
    }
    Operand::exact(match value {
        Value::Null | Value::Default => Argument::Null,
        Value::Bool(v) => Argument::Integer((*v).into()),
        Value::Int(v) => Argument::Integer(*v),
        Value::Float(v) => Argument::Real(*v),
        Value::Text(v) | Value::JsonText(v) => Argument::Text(v.clone()),
        Value::Uuid(v) => Argument::Text(v.hyphenated().to_string()),
        Value::Json(v) => Argument::Text(v.to_string()),
        Value::Bytes(v) => Argument::Blob(v.clone()),
        Value::TextList(v) => Argument::Text(serde_json::Value::from(v.as_slice()).to_string()),
        Value::List(v) => Argument::Text(list_text::text_of(column, v)),
        Value::Decimal(v) => return decimal(*v, column.scale),
        Value::Date(v) => return instant(v.and_time(NaiveTime::MIN), Kind::Date),
        Value::Time(v) => return time(*v),
        Value::NaiveDateTime(v) => return instant(*v, Kind::NaiveDateTime),
        Value::DateTime(v) if column.kind == Kind::NaiveDateTime => return instant(v.naive_utc(), Kind::NaiveDateTime),
        Value::DateTime(v) => return instant(v.naive_utc(), Kind::DateTime),
    })
}

/// A value in the column's format; `None` where the format does not apply to the value.
fn formatted(format: StoredFormat, column: &ColumnDescriptor, value: &Value) -> Option<Operand<Argument>> {
    let unix = |value: NaiveDateTime| {
        let (number, exact) = format.to_unix(value);
        Operand { argument: Argument::Integer(number), exact }
    };
    Some(match (format, value) {
        (StoredFormat::Unix | StoredFormat::UnixMillis, Value::DateTime(v)) => unix(v.naive_utc()),
        (StoredFormat::Unix | StoredFormat::UnixMillis, Value::NaiveDateTime(v)) => unix(*v),
        (StoredFormat::Lowercase, Value::Uuid(v)) => Operand::exact(Argument::Text(v.hyphenated().to_string())),
        (StoredFormat::Uppercase, Value::Uuid(v)) => {
            Operand::exact(Argument::Text(v.hyphenated().to_string().to_uppercase()))
        }
        (StoredFormat::Simple, Value::Uuid(v)) => Operand::exact(Argument::Text(v.simple().to_string())),
        (StoredFormat::Bytes, Value::Uuid(v)) => Operand::exact(Argument::Blob(v.as_bytes().to_vec())),
        (StoredFormat::Number, Value::Decimal(v)) => {
            let (value, exact) = rounding::decimal(*v, column.scale);
            Operand { argument: Argument::Real(value.to_f64()?), exact }
        }
        (StoredFormat::Pattern(pattern), Value::DateTime(v)) => patterned(pattern, column, value, v.year())?,
        (StoredFormat::Pattern(pattern), Value::NaiveDateTime(v)) => patterned(pattern, column, value, v.year())?,
        (StoredFormat::Pattern(pattern), Value::Date(v)) => patterned(pattern, column, value, v.year())?,
        (StoredFormat::Pattern(pattern), Value::Time(_)) => patterned(pattern, column, value, 0)?,
        _ => return None,
    })
}

/// A date or time in the form of a pattern, which cuts off smaller units.
fn patterned(pattern: &str, column: &ColumnDescriptor, value: &Value, year: i32) -> Option<Operand<Argument>> {
    // Texts below and above all years from 0000 to 9999.
    match year {
        ..0 => return Some(Operand::below(Argument::Text(String::new()))),
        10_000.. => return Some(Operand::below(Argument::Text(":".to_owned()))),
        _ => {}
    }
    let text = StoredFormat::text(pattern, value)?;
    let stored = StoredFormat::read(pattern, column.kind, &text)?;
    let exact = match (&stored, value) {
        // A time of change, in UTC.
        (Value::NaiveDateTime(stored), Value::DateTime(value)) => *stored == value.naive_utc(),
        (stored, value) => stored == value,
    };
    Some(Operand { argument: Argument::Text(text), exact })
}

/// A decimal in units of the column's last digit.
fn decimal(value: Decimal, scale: u32) -> Operand<Argument> {
    let (units, exact) = units(value, scale);
    Operand { argument: Argument::Integer(units), exact }
}

/// A date, with or without the time of day, as canonical text.
fn instant(value: NaiveDateTime, kind: Kind) -> Operand<Argument> {
    // Texts below and above all years from 0000 to 9999.
    match value.year() {
        ..0 => return Operand::below(Argument::Text(String::new())),
        10_000.. => return Operand::below(Argument::Text(":".to_owned())),
        _ => {}
    }
    let (time, exact) = microseconds(value.time());
    let value = value.date().and_time(time);
    let mut text = String::with_capacity(27);
    // Writing to a String cannot fail.
    let _ = match kind {
        Kind::Date => text::write_date(&mut text, &value.date()),
        Kind::DateTime => text::write_date_time(&mut text, &value.and_utc()),
        _ => text::write_naive_date_time(&mut text, &value),
    };
    Operand { argument: Argument::Text(text), exact }
}

fn time(value: NaiveTime) -> Operand<Argument> {
    let (value, exact) = microseconds(value);
    let mut text = String::with_capacity(15);
    // Writing to a String cannot fail.
    let _ = text::write_time(&mut text, &value);
    Operand { argument: Argument::Text(text), exact }
}
