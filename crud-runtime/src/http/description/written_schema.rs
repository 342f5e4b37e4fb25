//! JSON of schemas in the document: their keywords in one order.

use serde_json::{Map, Value, json};

use super::json_schema::Schema;

/// The place of keywords that an order does not name.
const OTHERS: &str = "";

const OF_REFERENCES: [&str; 6] = ["$ref", "description", "readOnly", "writeOnly", "default", "title"];

/// Keywords of a reference beside those that a reference cannot have.
const OF_ALL: [&str; 6] = ["allOf", "title", "description", "default", "examples", OTHERS];

const OF_CHOICES: [&str; 9] =
    ["oneOf", "type", "title", "description", "default", "examples", OTHERS, "readOnly", "writeOnly"];

const OF_ARRAYS: [&str; 11] = [
    "type",
    "title",
    "items",
    "description",
    "deprecated",
    "examples",
    "default",
    "maxItems",
    "minItems",
    "uniqueItems",
    OTHERS,
];

/// Keywords of objects and single values.
const OF_VALUES: [&str; 27] = [
    "type",
    "title",
    "format",
    "description",
    "default",
    "enum",
    "required",
    "properties",
    "additionalProperties",
    "propertyNames",
    "deprecated",
    "examples",
    "writeOnly",
    "readOnly",
    "multipleOf",
    "maximum",
    "minimum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxProperties",
    "minProperties",
    OTHERS,
    "contentEncoding",
    "contentMediaType",
];

/// The largest integer up to which a double has each one.
const SAFE: f64 = 9_007_199_254_740_991.0;

/// The JSON of a schema.
pub(crate) fn written(schema: &Schema) -> Value {
    of_keywords(schema.keywords()).into()
}

fn of_keywords(keywords: &Map<String, Value>) -> Map<String, Value> {
    if let Some(target) = keywords.get("$ref") {
        return reference(target, keywords);
    }
    match (keywords.get("items"), keywords.get("oneOf")) {
        (Some(_), _) => ordered(keywords, &OF_ARRAYS),
        (None, Some(_)) => ordered(keywords, &OF_CHOICES),
        (None, None) => ordered(keywords, &OF_VALUES),
    }
}

/// A reference. Keywords that a reference cannot have are beside an `allOf` with the reference alone.
fn reference(target: &Value, keywords: &Map<String, Value>) -> Map<String, Value> {
    if keywords.keys().all(|keyword| OF_REFERENCES.contains(&keyword.as_str())) {
        return ordered(keywords, &OF_REFERENCES);
    }
    let mut beside = keywords.clone();
    beside.shift_remove("$ref");
    let mut all = vec![json!({ "$ref": target })];
    if let Some(Value::Array(others)) = beside.shift_remove("allOf") {
        all.extend(others);
    }
    beside.insert("allOf".to_owned(), all.into());
    ordered(&beside, &OF_ALL)
}

fn ordered(keywords: &Map<String, Value>, order: &[&str]) -> Map<String, Value> {
    let mut written = Map::new();
    for keyword in order {
        if *keyword == OTHERS {
            written.extend(others(keywords, order));
        } else if let Some(value) = keywords.get(*keyword).filter(|value| !says_nothing(keyword, value)) {
            written.insert((*keyword).to_owned(), nested(keyword, value));
        }
    }
    written
}

/// The keywords that an order does not name: several are the schemas of one `allOf`.
fn others(keywords: &Map<String, Value>, order: &[&str]) -> Map<String, Value> {
    let is_other = |keyword: &str| !order.contains(&keyword);
    let others = keywords.iter().filter(|(keyword, _)| is_other(keyword));
    joined(others.map(|(keyword, value)| (keyword.clone(), value.clone())).collect())
}

/// Keywords that have no order among them: several are the schemas of one `allOf`.
pub(super) fn joined(mut keywords: Map<String, Value>) -> Map<String, Value> {
    if keywords.len() < 2 {
        return keywords;
    }
    let mut all = match keywords.shift_remove("allOf") {
        Some(Value::Array(all)) => all,
        _ => Vec::new(),
    };
    all.extend(keywords.into_iter().map(|(keyword, value)| json!({ keyword: value })));
    Map::from_iter([("allOf".to_owned(), all.into())])
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
    fn keywords_are_in_one_order() {
        let object = json!({
            "additionalProperties": false, "examples": [{ "b": true }], "description": "x", "required": ["b"],
            "properties": { "b": { "pattern": "^a$", "type": "string" }, "a": {} }, "type": "object",
        });
        let expected = r#"{"type":"object","description":"x","required":["b"],"properties":{"b":{"type":"string","pattern":"^a$"},"a":{}},"additionalProperties":false,"examples":[{"b":true}]}"#;
        assert_eq!(written(object), expected);
        let array = json!({ "items": { "format": "uuid", "type": "string" }, "uniqueItems": true, "type": "array" });
        let expected = r#"{"type":"array","items":{"type":"string","format":"uuid"},"uniqueItems":true}"#;
        assert_eq!(written(array), expected);
        let choice = json!({ "description": "x", "oneOf": [{ "$ref": "#/components/schemas/A" }, { "type": "null" }] });
        let expected = r##"{"oneOf":[{"$ref":"#/components/schemas/A"},{"type":"null"}],"description":"x"}"##;
        assert_eq!(written(choice), expected);
    }

    #[test]
    fn bounds_without_a_fraction_are_integers() {
        let bounds = json!({ "minimum": i64::MIN, "maximum": 2.0, "multipleOf": 0.5 });
        assert_eq!(written(bounds), r#"{"multipleOf":0.5,"maximum":2,"minimum":-9223372036854775808}"#);
        assert_eq!(written(json!({ "minimum": -3.402_823_5e38 })), r#"{"minimum":-3.4028235e+38}"#);
    }

    #[test]
    fn keywords_without_a_place_are_one_all_of() {
        let text = json!({ "type": "string", "allOf": [{ "pattern": "^a" }], "not": { "enum": ["b"] } });
        let all = r#"{"type":"string","allOf":[{"pattern":"^a"},{"not":{"enum":["b"]}}]}"#;
        assert_eq!(written(text), all);
        assert_eq!(written(json!({ "not": {}, "type": "string" })), r#"{"type":"string","not":{}}"#);
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
