//! Unique values: the field `_u` of a document has a text for each unique index of its resource.
//!
//! ```text
//! _u: { ux_products__sku: "s3:A-1" }
//! ```
//!
//! A text is absent where it does not count: one of its values is null, or the rule is about active records and the
//! record is soft-deleted. The index on it is unique and sparse, so that absent texts do not collide.

use std::fmt::Write;

use mongodb::bson::{Bson, Document, doc};

use super::database::Session;
use super::error::Failure;
use super::field::{GONE, KEY, UNIQUE};
use super::record::Record;
use super::value::stored;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::value::Value;
use crate::storage::uniques::{Unique, of as uniques};

/// The path of an index's text.
pub(super) fn path(resource: &Descriptor, unique: &Unique) -> String {
    format!("{UNIQUE}.{}", unique.name(resource))
}

/// The texts of a record: the value of `_u`.
///
/// # Errors
/// [`AdapterError::Constraint`] when a column cannot store its value.
pub(super) fn texts(record: &Record) -> Result<Document, AdapterError> {
    let resource = record.resource();
    let mut texts = Document::new();
    for unique in uniques(resource) {
        if let Some(text) = text(record, &unique)? {
            texts.insert(unique.name(resource), text);
        }
    }
    Ok(texts)
}

/// The text of a record, where it counts.
fn text(record: &Record, unique: &Unique) -> Result<Option<String>, AdapterError> {
    let is_deleted = |deleted_at| !matches!(record.get(deleted_at), Value::Null | Value::Bool(false));
    if unique.active.is_some_and(is_deleted) {
        return Ok(None);
    }
    let mut text = String::new();
    for &column in &unique.columns {
        // Writing to a String cannot fail.
        let _ = match stored(record.resource(), column, record.get(column))? {
            Bson::Null => return Ok(None),
            // ASCII letters alone, as SQLite and PostgreSQL compare them.
            Bson::String(value) if unique.ignores_case(column) => {
                write!(text, "s{}:{}", value.len(), value.to_ascii_lowercase())
            }
            // The length keeps the texts of a group apart.
            Bson::String(value) => write!(text, "s{}:{value}", value.len()),
            Bson::Binary(value) => write!(text, "x{}:{:02x?}", value.bytes.len(), value.bytes),
            value => write!(text, "{value};"),
        };
    }
    Ok(Some(text))
}

/// The columns of the first unique index in which another document has the text of this record.
///
/// # Errors
/// When the server fails.
pub(super) async fn conflict(session: &mut Session<'_>, record: &Record) -> Result<Option<Vec<usize>>, Failure> {
    let resource = record.resource();
    for unique in uniques(resource) {
        if let Some(text) = text(record, &unique)? {
            let other = doc! { path(resource, &unique): text, KEY: { "$ne": record.key.clone() }, GONE: Bson::Null };
            if session.find_one(resource.table, other).await?.is_some() {
                return Ok(Some(unique.columns));
            }
        }
    }
    Ok(None)
}
