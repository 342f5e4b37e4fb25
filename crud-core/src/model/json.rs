//! JSON rendering of values: from the row's buffers to the answer, without a struct or a map between.

use std::fmt::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use super::adapter_error::AdapterError;
use super::descriptor::{ColumnDescriptor, Descriptor};
use super::list_text::item_column;
use super::row::Row;
use super::text;
use super::value::{Kind, ValueRef};

/// Appends a value as JSON.
pub fn write_value(out: &mut Vec<u8>, column: &ColumnDescriptor, value: ValueRef<'_>) {
    match value {
        ValueRef::Null => out.extend_from_slice(b"null"),
        ValueRef::Bool(v) => out.extend_from_slice(if v { b"true" } else { b"false" }),
        ValueRef::Int(v) => write_json(out, &v),
        // As an f64, the f32 0.1 would be written 0.10000000149011612.
        #[allow(clippy::cast_possible_truncation)]
        ValueRef::Float(v) if column.kind == Kind::F32 => write_json(out, &(v as f32)),
        ValueRef::Float(v) => write_json(out, &v),
        ValueRef::Text(v) => write_json(out, v),
        ValueRef::Canonical(v) => quoted(out, |out| out.write_str(v)),
        ValueRef::DateTime(v) => quoted(out, |out| text::write_date_time(out, &v)),
        ValueRef::Date(v) => quoted(out, |out| text::write_date(out, &v)),
        ValueRef::Time(v) => quoted(out, |out| text::write_time(out, &v)),
        ValueRef::NaiveDateTime(v) => quoted(out, |out| text::write_naive_date_time(out, &v)),
        ValueRef::Uuid(v) => quoted(out, |out| write!(out, "{}", v.as_hyphenated())),
        ValueRef::Decimal(v) => quoted(out, |out| write!(out, "{v}")),
        ValueRef::Bytes(v) => quoted(out, |out| out.write_str(&STANDARD.encode(v))),
        ValueRef::JsonText(v) => out.extend_from_slice(v.as_bytes()),
        ValueRef::Json(v) => write_json(out, v),
        ValueRef::TextList(v) => write_json(out, v),
        ValueRef::List(v) => {
            let item = item_column(column);
            out.push(b'[');
            for (position, value) in v.iter().enumerate() {
                if position > 0 {
                    out.push(b',');
                }
                write_value(out, &item, value.borrow());
            }
            out.push(b']');
        }
    }
}

/// The fields of a record that HTTP returns to a request from which none is hidden; null for a value that cannot be
/// read.
pub fn json_record(
    resource: &Descriptor,
    row: &dyn Row,
) -> Result<serde_json::Map<String, serde_json::Value>, AdapterError> {
    let returned = resource.columns.iter().enumerate().filter(|(_, column)| column.is_returned());
    let field = |(index, column): (usize, &ColumnDescriptor)| {
        let value = match row.value(index) {
            Err(AdapterError::Corrupt { .. }) => ValueRef::Null,
            value => value?,
        };
        Ok((column.json.to_owned(), json_value(column, value)))
    };
    returned.map(field).collect()
}

/// A value as JSON, as [`write_value`] renders it.
pub fn json_value(column: &ColumnDescriptor, value: ValueRef<'_>) -> serde_json::Value {
    match value {
        ValueRef::Null => serde_json::Value::Null,
        ValueRef::Bool(v) => v.into(),
        ValueRef::Int(v) => v.into(),
        ValueRef::Float(v) if column.kind == Kind::F64 => v.into(),
        ValueRef::Text(v) | ValueRef::Canonical(v) => v.into(),
        ValueRef::Json(v) => v.clone(),
        other => {
            let mut json = Vec::new();
            write_value(&mut json, column, other);
            serde_json::from_slice(&json).unwrap_or_default()
        }
    }
}

/// Appends a value that serde serializes. Neither these types nor writes to memory fail.
fn write_json<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    drop(serde_json::to_writer(out, value));
}

/// Appends text that needs no escaping, in quotes. Writes to memory do not fail.
fn quoted(out: &mut Vec<u8>, write: impl FnOnce(&mut Utf8<'_>) -> fmt::Result) {
    out.push(b'"');
    let _ = write(&mut Utf8(out));
    out.push(b'"');
}

/// Formats into bytes.
struct Utf8<'a>(&'a mut Vec<u8>);

impl fmt::Write for Utf8<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}
