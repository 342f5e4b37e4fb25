//! The values of sqlx's rows.

use rusqlite::types::ValueRef as Cell;
use sqlx::sqlite::{Sqlite, SqliteRow, SqliteValueRef};
use sqlx::{Decode, Row as _, TypeInfo, ValueRef as _};

use crate::model::column_error::ColumnError;
use crate::model::descriptor::ColumnDescriptor;
use crate::model::value::ValueRef;
use crate::sqlite::row;

/// See [`Driver::value`](crate::driver::Driver::value).
pub(super) fn value<'r>(
    column: &ColumnDescriptor,
    index: usize,
    row: &'r SqliteRow,
) -> Result<ValueRef<'r>, ColumnError> {
    let raw = row.try_get_raw(index).map_err(|error| ColumnError::new(error.to_string()))?;
    row::decode(column, cell(raw)?)
}

/// The stored value, by sqlx's name of its storage class.
fn cell(raw: SqliteValueRef<'_>) -> Result<Cell<'_>, ColumnError> {
    if raw.is_null() {
        return Ok(Cell::Null);
    }
    let class = raw.type_info();
    match class.name() {
        "INTEGER" => get(raw).map(Cell::Integer),
        "REAL" => get(raw).map(Cell::Real),
        "TEXT" => get::<&str>(raw).map(|text| Cell::Text(text.as_bytes())),
        _ => get(raw).map(Cell::Blob),
    }
}

/// The value, if `T` can hold its storage class.
fn get<'r, T: Decode<'r, Sqlite>>(raw: SqliteValueRef<'r>) -> Result<T, ColumnError> {
    T::decode(raw).map_err(|error| ColumnError::new(error.to_string()))
}
