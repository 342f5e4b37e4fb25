//! The values of SQLite's rows.

use rust_decimal::Decimal;
use sqlx::sqlite::{Sqlite, SqliteRow, SqliteValueRef};
use sqlx::{Decode, Row as _, TypeInfo, ValueRef as _};

use super::canonical;
use crate::model::column_error::ColumnError;
use crate::model::descriptor::ColumnDescriptor;
use crate::model::value::{Kind, ValueRef};
use crate::storage::sql::json;

/// See [`Driver::value`](crate::storage::sql::driver::Driver::value).
pub(super) fn value<'r>(
    column: &ColumnDescriptor,
    index: usize,
    row: &'r SqliteRow,
) -> Result<ValueRef<'r>, ColumnError> {
    let raw = row.try_get_raw(index).map_err(|error| ColumnError::new(error.to_string()))?;
    decode(column, raw)
}

/// Decodes a stored value of the column's kind. A table made elsewhere can hold any storage class in any column: it is
/// checked first.
fn decode<'r>(column: &ColumnDescriptor, raw: SqliteValueRef<'r>) -> Result<ValueRef<'r>, ColumnError> {
    if raw.is_null() {
        return if column.nullable { Ok(ValueRef::Null) } else { Err(ColumnError::new("must not be null")) };
    }
    let class = raw.type_info();
    match (column.kind, class.name()) {
        (Kind::Bool, INTEGER) => match get(raw)? {
            0 => Ok(ValueRef::Bool(false)),
            1 => Ok(ValueRef::Bool(true)),
            other => Err(unexpected(column, &other)),
        },
        (Kind::I64, INTEGER) => get(raw).map(ValueRef::Int),
        (kind @ (Kind::I16 | Kind::I32 | Kind::U32), INTEGER) => {
            let value = get(raw)?;
            let in_range = kind.integer_range().is_some_and(|(min, max)| (min..=max).contains(&value));
            if in_range { Ok(ValueRef::Int(value)) } else { Err(unexpected(column, &value)) }
        }
        (Kind::F32 | Kind::F64, REAL) => {
            let value = get::<f64>(raw)?;
            if value.is_finite() { Ok(ValueRef::Float(value)) } else { Err(unexpected(column, &value)) }
        }
        // A column of numeric affinity keeps whole numbers as integers.
        (Kind::F32 | Kind::F64, INTEGER) => {
            let value = get(raw)?;
            whole(value).map(ValueRef::Float).ok_or_else(|| unexpected(column, &value))
        }
        (Kind::Decimal, INTEGER) => Ok(ValueRef::Decimal(Decimal::new(get(raw)?, column.scale))),
        (Kind::Text, TEXT) => get(raw).map(ValueRef::Text),
        (Kind::Enum(variants), TEXT) => {
            let value: &str = get(raw)?;
            if variants.contains(&value) { Ok(ValueRef::Text(value)) } else { Err(unexpected(column, &value)) }
        }
        (kind @ (Kind::DateTime | Kind::Date | Kind::Time | Kind::NaiveDateTime | Kind::Uuid), TEXT) => {
            canonical::value(kind, get(raw)?)
        }
        (Kind::Json, TEXT) => json::any(get(raw)?),
        (Kind::TextList, TEXT) => json::texts(get(raw)?),
        (Kind::Bytes, BLOB) => get(raw).map(ValueRef::Bytes),
        (_, class) => Err(ColumnError::new(format!("must not be a value of storage class {class}"))),
    }
}

// The storage classes as sqlx names them.
const INTEGER: &str = "INTEGER";
const REAL: &str = "REAL";
const TEXT: &str = "TEXT";
const BLOB: &str = "BLOB";

/// The value, whose storage class is `T`'s.
fn get<'r, T: Decode<'r, Sqlite>>(raw: SqliteValueRef<'r>) -> Result<T, ColumnError> {
    T::decode(raw).map_err(|error| ColumnError::new(error.to_string()))
}

/// An integer that a double holds exactly.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)] // the comparison is what shows the loss
fn whole(value: i64) -> Option<f64> {
    let float = value as f64;
    // i64::MAX rounds up to 2^63, which casts back to i64::MAX.
    (float as i64 == value && value != i64::MAX).then_some(float)
}

fn unexpected(column: &ColumnDescriptor, value: &dyn std::fmt::Debug) -> ColumnError {
    ColumnError::new(format!("must not be {value:?}, which is not a value of {:?}", column.kind))
}
