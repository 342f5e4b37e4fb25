//! The bytes that a value takes.

use serde_json::Value as Json;

use super::Value;

/// Approximate number of bytes of a value.
pub fn value_size(value: &Value) -> usize {
    let heap = match value {
        Value::Text(text) | Value::JsonText(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        Value::TextList(texts) => texts.iter().map(|text| text.len() + size_of::<String>()).sum(),
        Value::List(values) => values.iter().map(value_size).sum(),
        Value::Json(json) => json_heap(json),
        _ => 0,
    };
    size_of::<Value>() + heap
}

/// The heap bytes that a JSON value owns: `[[],[]]` is seven bytes as text, and three values in memory.
fn json_heap(json: &Json) -> usize {
    let item = |item: &Json| size_of::<Json>() + json_heap(item);
    match json {
        Json::String(text) => text.len(),
        Json::Array(items) => items.iter().map(item).sum(),
        // A map has room for up to twice the entries that it has, and an index of them.
        Json::Object(members) => {
            members.iter().map(|(name, value)| 2 * (size_of::<String>() + name.len() + item(value))).sum()
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_takes_what_it_owns() {
        let size = |value: Value| value_size(&value) - size_of::<Value>();
        assert_eq!(size(Value::Null), 0);
        assert_eq!(size(Value::Text("four".to_owned())), 4);
        assert_eq!(size(Value::Json(json!([[], ["x"]]))), 3 * size_of::<Json>() + 1);
        assert!(size(Value::Json(json!({ "a": 1 }))) > size_of::<Json>() + size_of::<String>());
    }
}
