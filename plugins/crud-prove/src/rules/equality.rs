//! Conversion of values to texts and JSON, and comparison with claims.

use crud_runtime::column::Value;
use crud_runtime::descriptor::Descriptor;
use serde_json::Value as Json;

/// Whether a value equals a claim. Texts are compared with texts, integers with numbers.
pub(crate) fn is_claim(value: &Value, claim: Option<&Json>, name: &str) -> bool {
    match (value, claim) {
        (Value::Null | Value::Default, _) | (_, None) => false,
        // A subject is always a text in tokens.
        (value, Some(Json::String(text))) if name == "sub" => value.to_string() == *text,
        (Value::Int(number), Some(claim)) => claim.as_i64() == Some(*number),
        (Value::Bool(value), Some(claim)) => claim.as_bool() == Some(*value),
        (value, Some(Json::String(text))) => value.to_string() == *text,
        _ => false,
    }
}

/// A value as JSON, as in bodies.
pub(crate) fn json_of(value: &Value) -> Json {
    match value {
        Value::Null | Value::Default => Json::Null,
        Value::Bool(value) => (*value).into(),
        Value::Int(number) => (*number).into(),
        Value::Float(number) => (*number).into(),
        Value::Json(value) => value.clone(),
        Value::JsonText(text) => serde_json::from_str(text).unwrap_or_default(),
        Value::TextList(texts) => texts.clone().into(),
        Value::List(values) => values.iter().map(json_of).collect(),
        // Three zero bytes in Base64.
        Value::Bytes(_) => "AAAA".into(),
        other => other.to_string().into(),
    }
}

/// A JSON value as the text of a key.
pub(crate) fn text_of(json: &Json) -> String {
    json.as_str().map_or_else(|| json.to_string(), ToOwned::to_owned)
}

/// The texts of a record's key, joined by `|`.
pub(crate) fn key_text(resource: &Descriptor, values: &[Value]) -> String {
    let parts = resource.key().iter().map(|column| text_of(&json_of(&values[*column])));
    parts.collect::<Vec<_>>().join("|")
}
