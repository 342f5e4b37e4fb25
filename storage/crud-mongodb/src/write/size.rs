//! The size of documents, which the server bounds.

use mongodb::bson::{Bson, Document};

use crate::error::failed;
use crate::field::field;
use crate::model::adapter_error::AdapterError;
use crate::record::Record;

/// The largest document that MongoDB stores, in bytes.
const MAX_SIZE: usize = 16 * 1024 * 1024;

/// Bytes that the outbox adds to an entry.
const OVERHEAD: usize = 256;

/// Makes sure that the server can store a document, with the entry of the change in it.
///
/// # Errors
/// [`AdapterError::TooLarge`] with the column of the largest value.
pub(super) fn check_size(record: &Record, document: &Document, entry: Option<&Document>) -> Result<(), AdapterError> {
    let size = |document: &Document| document.to_vec().map(|bytes| bytes.len()).map_err(failed);
    let entry = entry.map(size).transpose()?.unwrap_or_default();
    if size(document)? + entry + OVERHEAD <= MAX_SIZE {
        return Ok(());
    }
    let resource = record.resource();
    let columns = 0..resource.columns.len();
    let column = columns.max_by_key(|column| document.get(field(resource, *column)).map_or(0, length));
    Err(AdapterError::TooLarge { column })
}

/// Approximate size of a value, in bytes.
fn length(value: &Bson) -> usize {
    match value {
        Bson::String(text) => text.len(),
        Bson::Binary(binary) => binary.bytes.len(),
        Bson::Array(values) => values.iter().map(length).sum(),
        _ => 8,
    }
}
