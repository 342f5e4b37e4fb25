//! Values as BSON.
//!
//! | Kind | BSON |
//! |---|---|
//! | integers | int64 |
//! | floats | double |
//! | date and time, time | int64: microseconds since 1970, since midnight (BSON's dates have milliseconds) |
//! | date | int32: days since 1970 |
//! | decimal | int64: units of the last digit |
//! | text, enum | string; of an enum with `stored(integer)`, int64 |
//! | JSON | string: its text |
//! | UUID | binary of subtype 4 |
//! | bytes | binary |
//! | list | array of the items |
//!
//! All of them sort as the values do. Null is stored as null, and an absent field is null too.

use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike};
use mongodb::bson::spec::BinarySubtype;
use mongodb::bson::{Binary, Bson, Document, RawBsonRef, doc};
use rust_decimal::Decimal;
use uuid::Uuid;

use crate::field::{KEY, field};
use crate::model::adapter_error::AdapterError;
use crate::model::column_error::ColumnError;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::key::Key;
use crate::model::list_text::item_column;
use crate::model::text::has_canonical_text;
use crate::model::value::{Kind, Value};
use crate::storage::json_text;
use crate::storage::rounding;

/// A value as its column stores it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Operand {
    /// The value, or, where the column cannot store it, the greatest storable value below.
    pub(super) bson: Bson,
    /// Whether `bson` is the value itself.
    pub(super) exact: bool,
}

/// A value as a column of its kind stores it.
pub(super) fn operand(column: &ColumnDescriptor, value: &Value) -> Operand {
    let inexact = |(value, exact): (i64, bool)| Operand { bson: Bson::Int64(value), exact };
    if let Some(code) = column.code(value) {
        return Operand { bson: code.map_or(Bson::Null, Bson::Int64), exact: code.is_some() };
    }
    let bson = match value {
        Value::Null | Value::Default => Bson::Null,
        Value::Bool(v) => Bson::Boolean(*v),
        Value::Int(v) => Bson::Int64(*v),
        Value::Float(v) => Bson::Double(*v),
        Value::Text(v) | Value::JsonText(v) => Bson::String(v.clone()),
        Value::Json(v) => Bson::String(v.to_string()),
        Value::Uuid(v) => binary(BinarySubtype::Uuid, v.as_bytes().to_vec()),
        Value::Bytes(v) => binary(BinarySubtype::Generic, v.clone()),
        Value::TextList(v) => Bson::Array(v.iter().map(|text| Bson::String(text.clone())).collect()),
        Value::List(v) => {
            let item = item_column(column);
            let items: Vec<Operand> = v.iter().map(|value| operand(&item, value)).collect();
            let exact = items.iter().all(|item| item.exact);
            return Operand { bson: Bson::Array(items.into_iter().map(|item| item.bson).collect()), exact };
        }
        Value::Decimal(v) => return inexact(rounding::units(*v, column.scale)),
        Value::Time(v) => return inexact(microseconds_of_day(*v)),
        Value::DateTime(v) => return inexact(microseconds(v.naive_utc())),
        Value::NaiveDateTime(v) => return inexact(microseconds(*v)),
        Value::Date(v) => return days(*v),
    };
    Operand { bson, exact: true }
}

/// A value of a record as its column stores it.
///
/// # Errors
/// [`AdapterError::Constraint`] when the column cannot store it.
pub(super) fn stored(resource: &Descriptor, column: usize, value: &Value) -> Result<Bson, AdapterError> {
    match operand(&resource.columns[column], value) {
        Operand { bson, exact: true } => Ok(bson),
        Operand { exact: false, .. } => Err(AdapterError::Constraint { column: Some(column) }),
    }
}

/// A key as it is stored: its value, or, for several columns, a document, whose parts are fields of the record too:
///
/// ```text
/// { _id: { order_id: 7, line: 3 }, order_id: 7, line: 3, … }
/// ```
///
/// A value that its column cannot store is null, which no record has.
pub(super) fn key(resource: &Descriptor, id: &Key) -> Bson {
    let part = |column: usize, value: &Value| {
        let Operand { bson, exact } = operand(&resource.columns[column], value);
        if exact { bson } else { Bson::Null }
    };
    match (resource.key(), id.values()) {
        ([column], [value]) => part(*column, value),
        (columns, values) => {
            let parts = columns.iter().zip(values);
            let parts = parts.map(|(&column, value)| (resource.columns[column].column.to_owned(), part(column, value)));
            Bson::Document(parts.collect())
        }
    }
}

/// The filter that finds a record, in a tenant if there is one: `{ _id: 7, shop_id: 3 }`.
pub(super) fn identity(resource: &Descriptor, id: &Key, tenant: Option<&Value>) -> Document {
    let mut filter = doc! { KEY: key(resource, id) };
    if let Some((of, tenant)) = resource.tenant.zip(tenant) {
        let Operand { bson, exact } = operand(&resource.columns[of.column], tenant);
        filter.insert(field(resource, of.column), if exact { bson } else { Bson::Null });
    }
    filter
}

/// Reads a stored value of a column.
///
/// # Errors
/// When the value is not of the column's kind; the message says what the value is.
pub(super) fn decode(column: &ColumnDescriptor, stored: RawBsonRef<'_>) -> Result<Value, ColumnError> {
    let unexpected = || ColumnError::new(format!("is {}, must be {}", name(stored), expected(column)));
    if stored == RawBsonRef::Null {
        return if column.nullable { Ok(Value::Null) } else { Err(unexpected()) };
    }
    let integer = || match stored {
        RawBsonRef::Int32(value) => Some(i64::from(value)),
        RawBsonRef::Int64(value) => Some(value),
        _ => None,
    };
    let value = match (column.kind, stored) {
        (Kind::Bool, RawBsonRef::Boolean(value)) => Some(Value::Bool(value)),
        (kind @ (Kind::I16 | Kind::I32 | Kind::I64 | Kind::U32), _) => {
            integer().filter(|value| kind.has_integer(*value)).map(Value::Int)
        }
        (Kind::F32 | Kind::F64, RawBsonRef::Double(value)) => value.is_finite().then_some(Value::Float(value)),
        (Kind::F32 | Kind::F64, RawBsonRef::Int32(value)) => Some(Value::Float(value.into())),
        (Kind::Decimal, _) => integer().map(|units| Value::Decimal(Decimal::new(units, column.scale))),
        (Kind::Enum(_), _) if column.is_coded() => {
            integer().and_then(|code| column.variant(code)).map(|text| Value::Text(text.to_owned()))
        }
        // A text that no variant has may be a newer program's.
        (Kind::Text | Kind::Enum(_), RawBsonRef::String(text)) => Some(Value::Text(text.to_owned())),
        (Kind::Json, RawBsonRef::String(text)) => {
            json_text::any(text)?;
            Some(Value::JsonText(text.to_owned()))
        }
        (Kind::Uuid, RawBsonRef::Binary(binary)) if binary.subtype == BinarySubtype::Uuid => {
            Uuid::from_slice(binary.bytes).ok().map(Value::Uuid)
        }
        (Kind::Bytes, RawBsonRef::Binary(binary)) if binary.subtype == BinarySubtype::Generic => {
            Some(Value::Bytes(binary.bytes.to_vec()))
        }
        (Kind::TextList, RawBsonRef::Array(array)) => {
            let texts = array.into_iter().map(|item| Some(item.ok()?.as_str()?.to_owned()));
            texts.collect::<Option<Vec<String>>>().map(Value::TextList)
        }
        (Kind::List(_), RawBsonRef::Array(array)) => {
            let of = item_column(column);
            let items =
                array.into_iter().map(|item| decode(&of, item.map_err(|error| ColumnError::new(error.to_string()))?));
            return items.collect::<Result<_, _>>().map(Value::List);
        }
        (Kind::DateTime, _) => integer().and_then(instant).map(|time| Value::DateTime(time.and_utc())),
        (Kind::NaiveDateTime, _) => integer().and_then(instant).map(Value::NaiveDateTime),
        (Kind::Time, _) => integer().and_then(time_of_day).map(Value::Time),
        (Kind::Date, _) => integer().and_then(date).map(Value::Date),
        _ => None,
    };
    value.ok_or_else(unexpected)
}

fn binary(subtype: BinarySubtype, bytes: Vec<u8>) -> Bson {
    Bson::Binary(Binary { subtype, bytes })
}

fn microseconds(value: NaiveDateTime) -> (i64, bool) {
    if !has_canonical_text(value.date()) {
        return (if value.year() < 0 { i64::MIN } else { i64::MAX }, false);
    }
    let (time, exact) = rounding::microseconds(value.time());
    (value.date().and_time(time).and_utc().timestamp_micros(), exact)
}

fn instant(microseconds: i64) -> Option<NaiveDateTime> {
    let value = DateTime::from_timestamp_micros(microseconds)?.naive_utc();
    has_canonical_text(value.date()).then_some(value)
}

fn microseconds_of_day(value: NaiveTime) -> (i64, bool) {
    let (value, exact) = rounding::microseconds(value);
    (i64::from(value.num_seconds_from_midnight()) * 1_000_000 + i64::from(value.nanosecond() / 1_000), exact)
}

fn time_of_day(microseconds: i64) -> Option<NaiveTime> {
    let nanoseconds = u32::try_from(microseconds.rem_euclid(1_000_000)).ok()? * 1_000;
    NaiveTime::from_num_seconds_from_midnight_opt(u32::try_from(microseconds.div_euclid(1_000_000)).ok()?, nanoseconds)
}

/// The default date is 1970-01-01.
fn days(value: NaiveDate) -> Operand {
    let days = i32::try_from(value.signed_duration_since(NaiveDate::default()).num_days()).unwrap_or(i32::MAX);
    if has_canonical_text(value) {
        return Operand { bson: Bson::Int32(days), exact: true };
    }
    Operand { bson: Bson::Int32(if value.year() < 0 { i32::MIN } else { i32::MAX }), exact: false }
}

fn date(days: i64) -> Option<NaiveDate> {
    NaiveDate::default().checked_add_signed(TimeDelta::try_days(days)?).filter(|date| has_canonical_text(*date))
}

/// Expected value of a column, for messages.
pub(super) fn expected(column: &ColumnDescriptor) -> String {
    let kind = match column.kind {
        Kind::Bool => "a boolean",
        Kind::I16 => "an integer of 16 bits",
        Kind::I32 => "an integer of 32 bits",
        Kind::I64 => "an integer of 64 bits",
        Kind::U32 => "an integer of 32 bits without a sign",
        Kind::F32 | Kind::F64 => "a finite double",
        Kind::Enum(_) if column.is_coded() => "the integer of a variant",
        Kind::Text | Kind::Enum(_) => "a string",
        Kind::Json => "a string of JSON",
        Kind::DateTime | Kind::NaiveDateTime => "an integer of microseconds since 1970",
        Kind::Time => "an integer of microseconds since midnight",
        Kind::Date => "an integer of days since 1970",
        Kind::Decimal => return format!("an integer of units of {}{}", Decimal::new(1, column.scale), or_null(column)),
        Kind::Uuid => "a binary of subtype 4",
        Kind::Bytes => "a binary",
        Kind::TextList => "an array of strings",
        Kind::List(_) => "an array",
    };
    format!("{kind}{}", or_null(column))
}

fn or_null(column: &ColumnDescriptor) -> &'static str {
    if column.nullable { " or null" } else { "" }
}

/// The type of a stored value, for messages, with the value where it is short.
fn name(stored: RawBsonRef<'_>) -> String {
    match stored {
        RawBsonRef::Null => "null or absent".to_owned(),
        RawBsonRef::Boolean(value) => format!("the boolean {value}"),
        RawBsonRef::Int32(value) => format!("the integer {value}"),
        RawBsonRef::Int64(value) => format!("the integer {value}"),
        RawBsonRef::Double(value) => format!("the double {value}"),
        RawBsonRef::Array(_) => "an array".to_owned(),
        RawBsonRef::Document(_) => "a document".to_owned(),
        other => format!("a value of type {:?}", other.element_type()),
    }
}
