//! How many bytes a value takes.

use crate::model::value::Value;

/// The bytes of a value, about.
pub(super) fn value_size(value: &Value) -> usize {
    let heap = match value {
        Value::Text(text) | Value::JsonText(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        Value::TextList(texts) => texts.iter().map(|text| text.len() + size_of::<String>()).sum(),
        _ => 0,
    };
    size_of::<Value>() + heap
}
