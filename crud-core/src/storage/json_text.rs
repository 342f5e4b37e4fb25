//! Stored JSON text, checked because answers contain it unchanged, and other programs may have written something else.

use serde::de::{Deserializer, IgnoredAny};

use crate::model::column_error::ColumnError;
use crate::model::value::ValueRef;

/// The text, if it is JSON.
pub fn any(text: &str) -> Result<ValueRef<'_>, ColumnError> {
    read(text, |json| json.deserialize_ignored_any(IgnoredAny).map(drop))
}

/// The text, if `read` consumes all of it.
pub fn read<'r>(
    text: &'r str,
    read: impl FnOnce(&mut serde_json::Deserializer<serde_json::de::StrRead<'r>>) -> serde_json::Result<()>,
) -> Result<ValueRef<'r>, ColumnError> {
    let mut json = serde_json::Deserializer::from_str(text);
    match read(&mut json).and_then(|()| json.end()) {
        Ok(()) => Ok(ValueRef::JsonText(text)),
        Err(error) => Err(ColumnError::new(format!("must be JSON: {error}"))),
    }
}
