//! The values of SQLite's rows.

use chrono::NaiveDateTime;
use rusqlite::types::{Type, ValueRef as Cell};
use rust_decimal::Decimal;
use uuid::Uuid;

use super::canonical;
use crate::model::column_error::ColumnError;
use crate::model::descriptor::{ColumnDescriptor, StoredFormat};
use crate::model::list_text;
use crate::model::text::has_canonical_text;
use crate::model::value::{Kind, Value, ValueRef};
use crate::storage::json_text;
use crate::text_list;

/// Decodes a stored value as the column's kind. The storage class is checked first, as tables that were made elsewhere
/// can hold any class in any column.
#[inline]
pub(super) fn decode<'r>(column: &ColumnDescriptor, cell: Cell<'r>) -> Result<ValueRef<'r>, ColumnError> {
    if let Some(value) = column.format.and_then(|format| formatted(format, column, cell)) {
        return Ok(value);
    }
    match (column.kind, cell) {
        (_, Cell::Null) if column.nullable => Ok(ValueRef::Null),
        (_, Cell::Null) => Err(ColumnError::new("must not be null")),
        (Kind::Bool, Cell::Integer(0)) => Ok(ValueRef::Bool(false)),
        (Kind::Bool, Cell::Integer(1)) => Ok(ValueRef::Bool(true)),
        (Kind::Bool, Cell::Integer(other)) => Err(unexpected(column, &other)),
        (Kind::I64, Cell::Integer(value)) => Ok(ValueRef::Int(value)),
        (kind @ (Kind::I16 | Kind::I32 | Kind::U32), Cell::Integer(value)) => {
            if kind.has_integer(value) {
                Ok(ValueRef::Int(value))
            } else {
                Err(unexpected(column, &value))
            }
        }
        (Kind::F32 | Kind::F64, Cell::Real(value)) => {
            if value.is_finite() {
                Ok(ValueRef::Float(value))
            } else {
                Err(unexpected(column, &value))
            }
        }
        // A column with numeric affinity stores whole numbers as integers.
        (Kind::F32 | Kind::F64, Cell::Integer(value)) => {
            whole(value).map(ValueRef::Float).ok_or_else(|| unexpected(column, &value))
        }
        (Kind::Decimal, Cell::Integer(value)) => Ok(ValueRef::Decimal(Decimal::new(value, column.scale))),
        (Kind::Enum(_), Cell::Integer(code)) if column.is_coded() => {
            column.variant(code).map(ValueRef::Text).ok_or_else(|| unexpected(column, &code))
        }
        // A text that is no known variant may come from a newer program.
        (Kind::Text | Kind::Enum(_), Cell::Text(value)) => text(value).map(ValueRef::Text),
        (kind @ (Kind::DateTime | Kind::Date | Kind::Time | Kind::NaiveDateTime | Kind::Uuid), Cell::Text(value)) => {
            canonical::value(kind, text(value)?)
        }
        (Kind::Json, Cell::Text(value)) => json_text::any(text(value)?),
        (Kind::TextList, Cell::Text(value)) => text_list::texts(text(value)?),
        (Kind::List(_), Cell::Text(value)) => list_text::stored(column, text(value)?),
        (Kind::Bytes, Cell::Blob(value)) => Ok(ValueRef::Bytes(value)),
        (_, cell) => Err(ColumnError::new(format!("must not be a value of storage class {}", class(cell.data_type())))),
    }
}

/// Decodes a value in the column's format; `None` for a value in another format.
fn formatted<'r>(format: StoredFormat, column: &ColumnDescriptor, cell: Cell<'r>) -> Option<ValueRef<'r>> {
    let instant = |value| match column.kind {
        Kind::DateTime => ValueRef::DateTime(NaiveDateTime::and_utc(&value)),
        _ => ValueRef::NaiveDateTime(value),
    };
    match (format, cell) {
        (StoredFormat::Pattern(pattern), Cell::Text(value)) => {
            match StoredFormat::read(pattern, column.kind, text(value).ok()?)? {
                Value::DateTime(value) => Some(ValueRef::DateTime(value)),
                Value::NaiveDateTime(value) => Some(ValueRef::NaiveDateTime(value)),
                Value::Date(value) => Some(ValueRef::Date(value)),
                Value::Time(value) => Some(ValueRef::Time(value)),
                _ => None,
            }
        }
        (StoredFormat::Unix | StoredFormat::UnixMillis, Cell::Integer(number)) => {
            format.from_unix(number).filter(|value| has_canonical_text(value.date())).map(instant)
        }
        (StoredFormat::Simple, Cell::Text(value)) => Uuid::try_parse(text(value).ok()?).ok().map(ValueRef::Uuid),
        (StoredFormat::Bytes, Cell::Blob(bytes)) => Uuid::from_slice(bytes).ok().map(ValueRef::Uuid),
        (StoredFormat::Number, Cell::Integer(number)) => scaled(Decimal::from(number), column.scale),
        // The shortest text that stands for this number.
        (StoredFormat::Number, Cell::Real(number)) => scaled(format!("{number}").parse().ok()?, column.scale),
        (StoredFormat::Number, Cell::Text(value)) => scaled(text(value).ok()?.parse().ok()?, column.scale),
        _ => None,
    }
}

/// The decimal with `scale` digits after the point, if it has no further ones.
fn scaled<'r>(value: Decimal, scale: u32) -> Option<ValueRef<'r>> {
    let mut scaled = value;
    scaled.rescale(scale);
    (scaled == value && scaled.scale() == scale).then_some(ValueRef::Decimal(scaled))
}

/// The name of a storage class in SQLite's documentation.
const fn class(class: Type) -> &'static str {
    match class {
        Type::Null => "NULL",
        Type::Integer => "INTEGER",
        Type::Real => "REAL",
        Type::Text => "TEXT",
        Type::Blob => "BLOB",
    }
}

#[inline]
fn text(value: &[u8]) -> Result<&str, ColumnError> {
    std::str::from_utf8(value).map_err(|error| ColumnError::new(error.to_string()))
}

/// The integer as a double, if that is exact.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)] // the comparison is what shows the loss
fn whole(value: i64) -> Option<f64> {
    let float = value as f64;
    // i64::MAX rounds up to 2^63, which casts back to i64::MAX.
    (float as i64 == value && value != i64::MAX).then_some(float)
}

fn unexpected(column: &ColumnDescriptor, value: &dyn std::fmt::Debug) -> ColumnError {
    ColumnError::new(format!("must not be {value:?}, which is not a value of {:?}", column.kind))
}
