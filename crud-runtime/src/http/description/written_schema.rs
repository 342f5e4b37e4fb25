//! JSON of schemas in the document: the first keywords in one order.

use serde_json::{Map, Value, json};

use super::json_schema::Schema;

/// Keywords that a reference can have beside it.
const OF_REFERENCES: [&str; 6] = ["$ref", "description", "readOnly", "writeOnly", "default", "title"];

/// The first keywords of a schema; others follow as they were set.
const FIRST: [&str; 13] = [
    "$ref",
    "allOf",
    "oneOf",
    "type",
    "title",
    "format",
    "items",
    "description",
    "default",
    "enum",
    "required",
    "properties",
    "additionalProperties",
];

/// The largest integer up to which a double has each one.
const SAFE: f64 = 9_007_199_254_740_991.0;

/// The JSON of a schema.
pub(crate) fn written(schema: &Schema) -> Value {
    of_keywords(schema.keywords()).into()
}

fn of_keywords(keywords: &Map<String, Value>) -> Map<String, Value> {
    let stated = keywords.iter().filter(|(keyword, value)| !says_nothing(keyword, value));
    let mut written: Vec<_> = stated.map(|(keyword, value)| (keyword.clone(), nested(keyword, value))).collect();
    if let Some(target) = keywords.get("$ref") {
        beside_all_of(target, &mut written);
    }
    written.sort_by_key(|(keyword, _)| FIRST.iter().position(|first| first == keyword).unwrap_or(FIRST.len()));
    written.into_iter().collect()
}

/// Keywords that a reference cannot have are beside an `allOf` with the reference alone.
fn beside_all_of(target: &Value, keywords: &mut Vec<(String, Value)>) {
    if keywords.iter().all(|(keyword, _)| OF_REFERENCES.contains(&keyword.as_str())) {
        return;
    }
    let mut all = vec![json!({ "$ref": target })];
    keywords.retain_mut(|(keyword, value)| {
        if let ("allOf", Value::Array(others)) = (keyword.as_str(), value) {
            all.append(others);
        }
        !matches!(keyword.as_str(), "$ref" | "allOf")
    });
    keywords.push(("allOf".to_owned(), all.into()));
}

/// Whether a keyword has the value that it has where it is absent.
fn says_nothing(keyword: &str, value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty() && matches!(keyword, "required" | "examples"),
        Value::Object(members) => members.is_empty() && keyword == "properties",
        Value::Bool(is_unique) => !is_unique && keyword == "uniqueItems",
        _ => false,
    }
}

/// The value of a keyword: schemas are written too, and bounds without a fraction are integers.
fn nested(keyword: &str, value: &Value) -> Value {
    match (keyword, value) {
        ("items" | "additionalProperties" | "propertyNames", Value::Object(schema)) => of_keywords(schema).into(),
        ("oneOf", Value::Array(schemas)) => schemas.iter().map(|schema| nested("items", schema)).collect(),
        ("properties", Value::Object(members)) => {
            Value::Object(members.iter().map(|(name, schema)| (name.clone(), nested("items", schema))).collect())
        }
        ("maximum" | "minimum" | "exclusiveMaximum" | "exclusiveMinimum" | "multipleOf", Value::Number(bound)) => {
            bound.as_f64().and_then(integer).map_or_else(|| value.clone(), Value::from)
        }
        _ => value.clone(),
    }
}

/// The integer that a number is, of those that each number of JSON can be.
fn integer(number: f64) -> Option<i64> {
    #[allow(clippy::cast_possible_truncation, reason = "it is in range")]
    (number.fract() == 0.0 && number.abs() <= SAFE).then_some(number as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(value: Value) -> String {
        super::written(&Schema::from(value)).to_string()
    }

    #[test]
    fn first_keywords_come_first_and_others_as_they_were_set() {
        let object = json!({
            "additionalProperties": false, "examples": [{ "b": true }], "description": "x", "required": ["b"],
            "properties": { "b": { "pattern": "^a$", "type": "string" }, "a": {} }, "type": "object",
        });
        let expected = r#"{"type":"object","description":"x","required":["b"],"properties":{"b":{"type":"string","pattern":"^a$"},"a":{}},"additionalProperties":false,"examples":[{"b":true}]}"#;
        assert_eq!(written(object), expected);
        let array = json!({ "items": { "format": "uuid", "type": "string" }, "uniqueItems": true, "type": "array" });
        let expected = r#"{"type":"array","items":{"type":"string","format":"uuid"},"uniqueItems":true}"#;
        assert_eq!(written(array), expected);
    }

    #[test]
    fn keywords_that_say_nothing_are_left_out() {
        let object =
            json!({ "type": "object", "required": [], "properties": {}, "examples": [], "uniqueItems": false });
        assert_eq!(written(object), r#"{"type":"object"}"#);
        assert_eq!(written(json!({ "enum": [], "default": [] })), r#"{"default":[],"enum":[]}"#);
    }

    #[test]
    fn bounds_without_a_fraction_are_integers() {
        let bounds = json!({ "minimum": i64::MIN, "maximum": 2.0, "multipleOf": 0.5 });
        assert_eq!(written(bounds), r#"{"minimum":-9223372036854775808,"maximum":2,"multipleOf":0.5}"#);
        assert_eq!(written(json!({ "minimum": -3.402_823_5e38 })), r#"{"minimum":-3.4028235e+38}"#);
    }

    #[test]
    fn keywords_beside_a_reference_are_beside_an_all_of() {
        let plain = json!({ "default": "y", "description": "x", "$ref": "#/components/schemas/A" });
        let expected = r##"{"$ref":"#/components/schemas/A","description":"x","default":"y"}"##;
        assert_eq!(written(plain), expected);
        let deprecated = json!({ "$ref": "#/components/schemas/A", "deprecated": true });
        let expected = r##"{"allOf":[{"$ref":"#/components/schemas/A"}],"deprecated":true}"##;
        assert_eq!(written(deprecated), expected);
    }
}
