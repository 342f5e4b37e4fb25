//! Schemas reduced to the keywords of JSON Schema that decide which values are valid.

use serde_json::{Map, Value as Json};

/// The keywords that decide, in the order of a lock file.
const WORDS: [&str; 29] = [
    "$ref",
    "type",
    "format",
    "const",
    "enum",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "contentEncoding",
    "contentMediaType",
    "items",
    "minItems",
    "maxItems",
    "uniqueItems",
    "properties",
    "required",
    "additionalProperties",
    "minProperties",
    "maxProperties",
    "allOf",
    "anyOf",
    "oneOf",
    "readOnly",
    "writeOnly",
];
const REFERENCE: &str = "#/components/schemas/";

/// The schema with only the keywords that decide.
pub(crate) fn reduced(schema: &Json) -> Json {
    let Json::Object(all) = schema else { return schema.clone() };
    let kept = WORDS.iter().chain(&["not", "default"]).filter_map(|word| {
        let value = all.get(*word).filter(|value| !is_of_format(all, word, value))?;
        Some(((*word).to_owned(), part(word, value)))
    });
    Json::Object(kept.collect())
}

fn part(word: &str, value: &Json) -> Json {
    match (word, value) {
        ("$ref", Json::String(name)) => Json::from(name.strip_prefix(REFERENCE).unwrap_or(name)),
        ("properties", Json::Object(all)) => {
            Json::Object(all.iter().map(|(name, schema)| (name.clone(), reduced(schema))).collect())
        }
        ("items" | "additionalProperties" | "not", value) => reduced(value),
        ("allOf" | "anyOf" | "oneOf", Json::Array(all)) => all.iter().map(reduced).collect(),
        ("required", Json::Array(all)) => {
            let mut names: Vec<_> = all.iter().filter_map(Json::as_str).collect();
            names.sort_unstable();
            names.into()
        }
        _ => value.clone(),
    }
}

/// Whether a limit follows from the format: each `int64` is at most 2⁶³ - 1.
fn is_of_format(schema: &Map<String, Json>, word: &str, value: &Json) -> bool {
    let (least, greatest) = match schema.get("format").and_then(Json::as_str) {
        Some("int64") => (i64::MIN, i64::MAX),
        Some("int32") => (i64::from(i32::MIN), i64::from(i32::MAX)),
        _ => return false,
    };
    word == "minimum" && value.as_i64() == Some(least) || word == "maximum" && value.as_i64() == Some(greatest)
}
