//! The values of PostgreSQL's rows.

use std::cell::OnceCell;

use chrono::{NaiveDate, NaiveDateTime, NaiveTime, TimeDelta};
use rust_decimal::prelude::ToPrimitive;
use sqlx::postgres::{PgRow, PgValueRef};
use sqlx::{Row as _, ValueRef as _};
use uuid::Uuid;

use crate::model::column::owned_value;
use crate::model::column_error::ColumnError;
use crate::model::descriptor::ColumnDescriptor;
use crate::model::list_text::item_column;
use crate::model::text::has_canonical_text;
use crate::model::value::{Kind, Value, ValueRef};
use crate::postgres::value::argument::{EPOCH, JSONB_VERSION};
use crate::postgres::value::numeric;
use crate::postgres::value::types::oid;

/// Decoded lists of a row, which the protocol's form cannot lend as values.
pub(in crate::postgres) type Lists = OnceCell<Vec<OnceCell<List>>>;

/// A list of a row.
#[derive(Debug)]
pub(crate) enum List {
    Texts(Vec<String>),
    Items(Vec<Value>),
}

/// Decodes a stored value as the column's kind. A table that was made elsewhere can have other types and values.
pub(in crate::postgres) fn value<'r>(
    column: &ColumnDescriptor,
    index: usize,
    row: &'r PgRow,
    lists: &'r Lists,
) -> Result<ValueRef<'r>, ColumnError> {
    let raw = row.try_get_raw(index).map_err(|error| ColumnError::new(error.to_string()))?;
    if raw.is_null() {
        return if column.nullable { Ok(ValueRef::Null) } else { Err(ColumnError::new("must not be null")) };
    }
    let (of, bytes) = typed(&raw)?;
    if matches!(column.kind, Kind::TextList | Kind::List(_)) {
        let lists = lists.get_or_init(|| (0..row.columns().len()).map(|_| OnceCell::new()).collect());
        let Some(list) = lists.get(index) else { return Err(ColumnError::new("is missing")) };
        if list.get().is_none() {
            // An empty cell takes the value.
            let read = match column.kind {
                Kind::TextList => texts(of, bytes).map(List::Texts),
                _ => items(column, bytes).map(List::Items),
            };
            let _ = list.set(read?);
        }
        return match list.get() {
            Some(List::Texts(texts)) => Ok(ValueRef::TextList(texts)),
            Some(List::Items(items)) => Ok(ValueRef::List(items)),
            None => Err(ColumnError::new("is missing")),
        };
    }
    binary(column, of, bytes)
}

/// Decodes a value from the binary form of its type.
pub(in crate::postgres) fn binary<'r>(
    column: &ColumnDescriptor,
    of: u32,
    bytes: &'r [u8],
) -> Result<ValueRef<'r>, ColumnError> {
    let value = match (column.kind, of) {
        (Kind::Bool, oid::BOOL) => bytes.first().map(|byte| ValueRef::Bool(*byte != 0)),
        (kind @ (Kind::I16 | Kind::I32 | Kind::I64 | Kind::U32), oid::INT2 | oid::INT4 | oid::INT8) => {
            integer(of, bytes).filter(|value| kind.has_integer(*value)).map(ValueRef::Int)
        }
        // The `sum` of integers in a view.
        (kind @ (Kind::I16 | Kind::I32 | Kind::I64 | Kind::U32), oid::NUMERIC) => {
            let whole = numeric::read(bytes, 0).and_then(|value| value.to_i64());
            whole.filter(|value| kind.has_integer(*value)).map(ValueRef::Int)
        }
        (Kind::F32 | Kind::F64, oid::FLOAT4) => fixed(bytes).map(|v| f64::from(f32::from_be_bytes(v))).and_then(float),
        (Kind::F32 | Kind::F64, oid::FLOAT8) => fixed(bytes).map(f64::from_be_bytes).and_then(float),
        (Kind::Enum(_), oid::INT2 | oid::INT4 | oid::INT8) if column.is_coded() => {
            integer(of, bytes).and_then(|code| column.variant(code)).map(ValueRef::Text)
        }
        // A text that is no known variant may come from a newer program.
        (Kind::Text | Kind::Enum(_), oid::TEXT | oid::VARCHAR | oid::NAME) => text(bytes).map(ValueRef::Text),
        // Trailing blanks are padding, not part of the value.
        (Kind::Text | Kind::Enum(_), oid::BPCHAR) => text(bytes).map(|text| ValueRef::Text(text.trim_end_matches(' '))),
        (Kind::DateTime, oid::TIMESTAMPTZ) => instant(bytes).map(|value| ValueRef::DateTime(value.and_utc())),
        (Kind::NaiveDateTime, oid::TIMESTAMP) => instant(bytes).map(ValueRef::NaiveDateTime),
        (Kind::Date, oid::DATE) => date(bytes).map(ValueRef::Date),
        (Kind::Time, oid::TIME) => time(bytes).map(ValueRef::Time),
        (Kind::Uuid, oid::UUID) => Uuid::from_slice(bytes).ok().map(ValueRef::Uuid),
        (Kind::Decimal, oid::NUMERIC) => numeric::read(bytes, column.scale).map(ValueRef::Decimal),
        (Kind::Json, oid::JSONB) => match bytes.split_first() {
            Some((&JSONB_VERSION, json)) => text(json).map(ValueRef::JsonText),
            _ => None,
        },
        (Kind::Json, oid::JSON) => text(bytes).map(ValueRef::JsonText),
        (Kind::Bytes, oid::BYTEA) => Some(ValueRef::Bytes(bytes)),
        _ => return Err(ColumnError::new(format!("must not be of the type with the number {of}"))),
    };
    value.ok_or_else(|| ColumnError::new(format!("must be a value of {:?}", column.kind)))
}

/// The OID of the value's type, and the value's bytes.
fn typed<'r>(raw: &PgValueRef<'r>) -> Result<(u32, &'r [u8]), ColumnError> {
    let of = raw.type_info().oid().map_or(0, |oid| oid.0);
    Ok((of, raw.as_bytes().map_err(|error| ColumnError::new(error.to_string()))?))
}

fn fixed<const N: usize>(bytes: &[u8]) -> Option<[u8; N]> {
    bytes.try_into().ok()
}

fn integer(of: u32, bytes: &[u8]) -> Option<i64> {
    match of {
        oid::INT2 => fixed(bytes).map(|v| i16::from_be_bytes(v).into()),
        oid::INT4 => fixed(bytes).map(|v| i32::from_be_bytes(v).into()),
        _ => fixed(bytes).map(i64::from_be_bytes),
    }
}

fn float<'r>(value: f64) -> Option<ValueRef<'r>> {
    value.is_finite().then_some(ValueRef::Float(value))
}

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

/// A date and time, if its year is one that canonical texts can have, and not infinity.
fn instant(bytes: &[u8]) -> Option<NaiveDateTime> {
    let since = TimeDelta::microseconds(i64::from_be_bytes(fixed(bytes)?));
    EPOCH.checked_add_signed(since).filter(|value| has_canonical_text(value.date()))
}

fn date(bytes: &[u8]) -> Option<NaiveDate> {
    let since = TimeDelta::try_days(i32::from_be_bytes(fixed(bytes)?).into())?;
    EPOCH.date().checked_add_signed(since).filter(|value| has_canonical_text(*value))
}

/// A time of day, but not PostgreSQL's 24:00:00.
fn time(bytes: &[u8]) -> Option<NaiveTime> {
    let since = i64::from_be_bytes(fixed(bytes)?);
    let (seconds, microseconds) = (since.div_euclid(1_000_000), since.rem_euclid(1_000_000));
    NaiveTime::from_num_seconds_from_midnight_opt(seconds.try_into().ok()?, (microseconds * 1_000).try_into().ok()?)
}

/// Decodes a list of texts.
pub(in crate::postgres) fn texts(of: u32, bytes: &[u8]) -> Result<Vec<String>, ColumnError> {
    if !matches!(of, oid::TEXT_ARRAY | oid::VARCHAR_ARRAY | oid::BPCHAR_ARRAY) {
        return Err(ColumnError::new(format!("must not be of the type with the number {of}")));
    }
    let wrong = || ColumnError::new("must be a list of texts, none of them null");
    elements(bytes, wrong, |_, element| text(element).map(str::to_owned).ok_or_else(wrong))
}

/// A list of values, decoded from their type's binary form.
pub(in crate::postgres) fn items(column: &ColumnDescriptor, bytes: &[u8]) -> Result<Vec<Value>, ColumnError> {
    let wrong = || ColumnError::new("must be a list in one dimension without nulls");
    let item = item_column(column);
    elements(bytes, wrong, |of, element| owned_value(item.kind, binary(&item, of, element)?))
}

/// The elements of a list: its number of dimensions, whether it has nulls, and its element type; then the length and
/// first index of each dimension; then each element after its length. `wrong`: the error for other dimensions or nulls.
/// `read`: decodes an element of the type with this OID.
fn elements<T>(
    mut bytes: &[u8],
    wrong: fn() -> ColumnError,
    read: impl Fn(u32, &[u8]) -> Result<T, ColumnError>,
) -> Result<Vec<T>, ColumnError> {
    let bytes = &mut bytes;
    let mut next = || number(bytes).ok_or_else(wrong);
    let (dimensions, _nulls, of) = (next()?, next()?, next()?.cast_unsigned());
    if dimensions == 0 {
        return Ok(Vec::new());
    }
    let (length, _first) = (next()?, next()?);
    if dimensions != 1 {
        return Err(wrong());
    }
    let element = |_| {
        let length = number(bytes).and_then(|length| usize::try_from(length).ok()).ok_or_else(wrong)?;
        let (element, rest) = bytes.split_at_checked(length).ok_or_else(wrong)?;
        *bytes = rest;
        read(of, element)
    };
    (0..length).map(element).collect()
}

fn number(bytes: &mut &[u8]) -> Option<i32> {
    let (number, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(i32::from_be_bytes(*number))
}
