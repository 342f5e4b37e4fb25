//! A product as it is read: borrowed from the row.

use rusqlite::Row;
use rusqlite::types::ValueRef;
use serde::Serialize;

use crate::twin::error::ApiError;

/// The columns, in the order of the fields.
pub(crate) const COLUMNS: &str = "id, name, description, price, stock, category_id, created_at, updated_at";

#[derive(Debug, Serialize)]
pub(super) struct Record<'a> {
    pub(super) id: i64,
    pub(super) name: &'a str,
    pub(super) description: Option<&'a str>,
    pub(super) price: f64,
    pub(super) stock: i64,
    pub(super) category_id: i64,
    pub(super) created_at: &'a str,
    pub(super) updated_at: &'a str,
}

impl<'a> Record<'a> {
    /// The record of a row of [`COLUMNS`].
    pub(super) fn of(row: &'a Row<'_>) -> Result<Self, ApiError> {
        Ok(Self {
            id: row.get(0)?,
            name: text(row.get_ref(1)?)?.unwrap_or_default(),
            description: text(row.get_ref(2)?)?,
            price: row.get(3)?,
            stock: row.get(4)?,
            category_id: row.get(5)?,
            created_at: text(row.get_ref(6)?)?.unwrap_or_default(),
            updated_at: text(row.get_ref(7)?)?.unwrap_or_default(),
        })
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) -> Result<(), ApiError> {
        Ok(serde_json::to_writer(out, self)?)
    }
}

fn text(value: ValueRef<'_>) -> Result<Option<&str>, ApiError> {
    match value {
        ValueRef::Null => Ok(None),
        value => Ok(Some(value.as_str().map_err(rusqlite::Error::from)?)),
    }
}
