//! The values of MySQL's and MariaDB's rows.

use chrono::{NaiveDate, NaiveDateTime, NaiveTime};
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;
use sqlx::mysql::{MySql, MySqlRow, MySqlValueRef};
use sqlx::{Decode, Row as _, Type, TypeInfo, ValueRef as _};
use uuid::Uuid;

use crate::model::column_error::ColumnError;
use crate::model::descriptor::{ColumnDescriptor, StoredFormat};
use crate::model::list_text;
use crate::model::text::has_canonical_text;
use crate::model::value::{Kind, ValueRef};
use crate::storage::json_text;
use crate::text_list;

/// See [`Driver::value`](crate::driver::Driver::value).
pub(super) fn value<'r>(
    column: &ColumnDescriptor,
    index: usize,
    row: &'r MySqlRow,
) -> Result<ValueRef<'r>, ColumnError> {
    let raw = row.try_get_raw(index).map_err(|error| ColumnError::new(error.to_string()))?;
    if raw.is_null() {
        return if column.nullable { Ok(ValueRef::Null) } else { Err(ColumnError::new("must not be null")) };
    }
    decode(column, raw)
}

/// Decodes a stored value as the column's kind. A table that was made elsewhere can have other types and values.
fn decode<'r>(column: &ColumnDescriptor, raw: MySqlValueRef<'r>) -> Result<ValueRef<'r>, ColumnError> {
    let value = match column.kind {
        Kind::Bool => match integer(raw)? {
            Some(0) => Some(ValueRef::Bool(false)),
            Some(1) => Some(ValueRef::Bool(true)),
            _ => None,
        },
        kind @ (Kind::I16 | Kind::I32 | Kind::I64 | Kind::U32) => {
            integer(raw)?.filter(|value| kind.has_integer(*value)).map(ValueRef::Int)
        }
        Kind::F32 | Kind::F64 => Some(get::<f64>(raw)?).filter(|v| v.is_finite()).map(ValueRef::Float),
        Kind::Decimal => {
            let mut value: Decimal = get(raw)?;
            let stored = value;
            value.rescale(column.scale);
            (value == stored && value.scale() == column.scale).then_some(ValueRef::Decimal(value))
        }
        Kind::Enum(_) if column.is_coded() => integer(raw)?.and_then(|code| column.variant(code)).map(ValueRef::Text),
        // A text that is no known variant may come from a newer program.
        Kind::Text | Kind::Enum(_) => Some(ValueRef::Text(get(raw)?)),
        Kind::DateTime => instant(column, raw)?.map(|value| ValueRef::DateTime(value.and_utc())),
        Kind::NaiveDateTime => instant(column, raw)?.map(ValueRef::NaiveDateTime),
        Kind::Date => Some(get::<NaiveDate>(raw)?).filter(|date| has_canonical_text(*date)).map(ValueRef::Date),
        Kind::Time => Some(ValueRef::Time(get::<NaiveTime>(raw)?)),
        Kind::Uuid => uuid(raw)?.map(ValueRef::Uuid),
        Kind::Json => return json_text::any(json_text(raw)?),
        Kind::TextList => return text_list::texts(json_text(raw)?),
        Kind::List(_) => return list_text::stored(column, json_text(raw)?),
        Kind::Bytes => Some(ValueRef::Bytes(get(raw)?)),
    };
    value.ok_or_else(|| ColumnError::new(format!("must be a value of {:?}", column.kind)))
}

/// Decodes a whole number. Its type may also be `YEAR`, `BIT` or unsigned; in a view, the `SUM` of integers is a
/// decimal.
fn integer(raw: MySqlValueRef<'_>) -> Result<Option<i64>, ColumnError> {
    if <i64 as Type<MySql>>::compatible(&raw.type_info()) {
        return get(raw).map(Some);
    }
    if <u64 as Type<MySql>>::compatible(&raw.type_info()) {
        return get::<u64>(raw).map(|value| i64::try_from(value).ok());
    }
    let value: Decimal = get(raw)?;
    Ok(if value.fract().is_zero() { value.to_i64() } else { None })
}

/// The value, if the type `T` can hold it.
fn get<'r, T: Decode<'r, MySql> + Type<MySql>>(raw: MySqlValueRef<'r>) -> Result<T, ColumnError> {
    if !T::compatible(&raw.type_info()) {
        return Err(ColumnError::new(format!("must not be of the type {}", raw.type_info().name())));
    }
    T::decode(raw).map_err(|error| ColumnError::new(error.to_string()))
}

/// Decodes a UUID from its bytes or from its text.
fn uuid(raw: MySqlValueRef<'_>) -> Result<Option<Uuid>, ColumnError> {
    if <&str as Type<MySql>>::compatible(&raw.type_info()) {
        return get(raw).map(|text: &str| Uuid::try_parse(text).ok());
    }
    let bytes: &[u8] = get(raw)?;
    // MariaDB's own UUID type has no collation.
    Ok(Uuid::from_slice(bytes).or_else(|_| Uuid::try_parse_ascii(bytes)).ok())
}

/// The text of JSON in a text column or in a column of MySQL's JSON type.
fn json_text(raw: MySqlValueRef<'_>) -> Result<&str, ColumnError> {
    if raw.type_info().name() == "JSON" {
        return Decode::<MySql>::decode(raw).map_err(|error: Box<_>| ColumnError::new(error.to_string()));
    }
    get(raw)
}

/// A date and time, if its year is one that canonical texts can have.
fn instant(column: &ColumnDescriptor, raw: MySqlValueRef<'_>) -> Result<Option<NaiveDateTime>, ColumnError> {
    if let Some(format @ (StoredFormat::Unix | StoredFormat::UnixMillis)) = column.format {
        let value = integer(raw)?.and_then(|number| format.from_unix(number));
        return Ok(value.filter(|value| has_canonical_text(value.date())));
    }
    // `TIMESTAMP` is a point in time, which is read in the connection's time zone: UTC.
    let value = if <NaiveDateTime as Type<MySql>>::compatible(&raw.type_info()) {
        get(raw)?
    } else {
        get::<chrono::DateTime<chrono::Utc>>(raw)?.naive_utc()
    };
    Ok(Some(value).filter(|value: &NaiveDateTime| has_canonical_text(value.date())))
}
