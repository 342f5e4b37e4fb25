//! Meaning of schemas: the values that they allow, however they are spelled.

use serde_json::{Map, Value, json};

/// Keywords that allow and refuse nothing.
const ANNOTATIONS: [&str; 8] =
    ["title", "description", "example", "examples", "default", "deprecated", "readOnly", "writeOnly"];

/// Keywords whose members are schemas.
const OF_SCHEMAS: [&str; 3] = ["properties", "patternProperties", "$defs"];

/// Keywords whose lists have no order.
const SETS: [&str; 6] = ["required", "type", "enum", "oneOf", "anyOf", "allOf"];

/// Whether two schemas allow the same values.
pub(super) fn is_same(one: &Value, other: &Value) -> bool {
    one == other || meaning(one.clone()) == meaning(other.clone())
}

/// The schema in one spelling: without annotations, with lists in one order, and null as a type.
fn meaning(schema: Value) -> Value {
    let Value::Object(keywords) = schema else { return schema };
    let mut plain = Map::new();
    for (keyword, value) in keywords {
        let says_nothing = ANNOTATIONS.contains(&keyword.as_str())
            || keyword.starts_with("x-")
            || keyword == "additionalProperties" && value == true;
        if says_nothing {
            continue;
        }
        let value = match value {
            Value::Object(members) if OF_SCHEMAS.contains(&keyword.as_str()) => {
                members.into_iter().map(|(name, schema)| (name, meaning(schema))).collect()
            }
            Value::Object(_) if keyword != "const" => meaning(value),
            Value::Array(items) if SETS.contains(&keyword.as_str()) => {
                let is_of_schemas = keyword.ends_with("Of");
                let mut items: Vec<Value> =
                    items.into_iter().map(|item| if is_of_schemas { meaning(item) } else { item }).collect();
                items.sort_by_cached_key(Value::to_string);
                items.into()
            }
            value => value,
        };
        match (keyword.as_str(), value) {
            ("const", value) => drop(plain.insert("enum".to_owned(), json!([value]))),
            ("type", Value::String(kind)) => drop(plain.insert(keyword, json!([kind]))),
            ("required", Value::Array(names)) if names.is_empty() => {}
            (_, value) => drop(plain.insert(keyword, value)),
        }
    }
    alone(nullable(plain)).into()
}

/// Replaces `oneOf` of a schema with types and null by the schema, with null among its types and values.
fn nullable(mut schema: Map<String, Value>) -> Map<String, Value> {
    for keyword in ["oneOf", "anyOf"] {
        let Some(Value::Array(either)) = schema.get(keyword) else { continue };
        let null = json!({ "type": ["null"] });
        let [one, other] = either.as_slice() else { continue };
        let of = if *one == null { other } else { one };
        let Some(Value::Array(types)) = of.get("type").filter(|_| *one == null || *other == null) else { continue };
        let mut of = of.as_object().cloned().unwrap_or_default();
        let mut with_null = [types.as_slice(), &["null".into()]].concat();
        with_null.sort_by_cached_key(Value::to_string);
        of.insert("type".to_owned(), with_null.into());
        if let Some(Value::Array(values)) = of.get_mut("enum") {
            values.push(Value::Null);
            values.sort_by_cached_key(Value::to_string);
        }
        schema.remove(keyword);
        schema.extend(of);
    }
    schema
}

/// Replaces `allOf` of one schema by the schema.
fn alone(mut schema: Map<String, Value>) -> Map<String, Value> {
    if let Some(Value::Array(all)) = schema.get("allOf")
        && let [Value::Object(only)] = all.as_slice()
        && only.keys().all(|keyword| !schema.contains_key(keyword))
    {
        let only = only.clone();
        schema.remove("allOf");
        schema.extend(only);
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_meaning_are_the_same() {
        let text = json!({ "type": "string", "minLength": 1 });
        for other in [
            json!({ "minLength": 1, "type": ["string"], "description": "A name.", "x-own": 1, "examples": ["a"] }),
            json!({ "allOf": [{ "type": "string", "minLength": 1 }] }),
        ] {
            assert!(is_same(&text, &other), "{other}");
        }
        let object = json!({
            "type": "object", "required": ["a", "b"],
            "properties": { "a": { "type": ["string", "null"] }, "b": { "enum": ["x"] }, "title": { "type": "string" } },
        });
        let spelled = json!({
            "type": "object", "required": ["b", "a"], "additionalProperties": true,
            "properties": {
                "title": { "type": "string" }, "b": { "const": "x" },
                "a": { "oneOf": [{ "type": "null" }, { "type": "string", "title": "A" }] },
            },
        });
        assert!(is_same(&object, &spelled));
    }

    #[test]
    fn schemas_of_other_values_differ() {
        let object = json!({ "type": "object", "properties": { "title": { "type": "string" } } });
        for other in [
            json!({ "type": "object", "properties": {} }),
            json!({ "type": "object", "properties": { "title": { "type": ["string", "null"] } } }),
            json!({ "type": "object", "properties": { "title": { "type": "string" } }, "required": ["title"] }),
            json!({ "type": "object", "properties": { "title": { "type": "string" } }, "additionalProperties": false }),
        ] {
            assert!(!is_same(&object, &other), "{other}");
        }
    }
}
