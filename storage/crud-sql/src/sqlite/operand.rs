//! Storage of values in SQLite.

use chrono::{Datelike, NaiveDateTime, NaiveTime};
use rust_decimal::Decimal;

use super::argument::Argument;
use crate::dialect::Operand;
use crate::model::descriptor::ColumnDescriptor;
use crate::model::text;
use crate::model::value::{Kind, Value};
use crate::storage::rounding::{microseconds, units};

/// A value as a column of its kind stores it.
///
/// Dates and times are their canonical text, which sorts as they do; decimals are whole numbers of the
/// column's smallest unit.
pub(super) fn operand(column: &ColumnDescriptor, value: &Value) -> Operand<Argument> {
    Operand::exact(match value {
        Value::Null => Argument::Null,
        Value::Bool(v) => Argument::Integer((*v).into()),
        Value::Int(v) => Argument::Integer(*v),
        Value::Float(v) => Argument::Real(*v),
        Value::Text(v) | Value::JsonText(v) => Argument::Text(v.clone()),
        Value::Uuid(v) => Argument::Text(v.hyphenated().to_string()),
        Value::Json(v) => Argument::Text(v.to_string()),
        Value::Bytes(v) => Argument::Blob(v.clone()),
        Value::TextList(v) => Argument::Text(serde_json::Value::from(v.as_slice()).to_string()),
        Value::Decimal(v) => return decimal(*v, column.scale),
        Value::Date(v) => return instant(v.and_time(NaiveTime::MIN), Kind::Date),
        Value::Time(v) => return time(*v),
        Value::NaiveDateTime(v) => return instant(*v, Kind::NaiveDateTime),
        Value::DateTime(v) => return instant(v.naive_utc(), Kind::DateTime),
    })
}

/// A decimal in units of the column's last digit.
fn decimal(value: Decimal, scale: u32) -> Operand<Argument> {
    let (units, exact) = units(value, scale);
    Operand { argument: Argument::Integer(units), exact }
}

/// A date, with or without the time of day, as canonical text.
fn instant(value: NaiveDateTime, kind: Kind) -> Operand<Argument> {
    // Texts below and above every year from 0000 to 9999.
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
