//! Places of an OpenAPI document that say nothing of their values.

use serde_json::{Map, Value};

/// The keywords whose elements are schemas.
const OF_SCHEMAS: [&str; 3] = ["/allOf", "/anyOf", "/oneOf"];

/// The keywords of values, which are of no type.
const OF_VALUES: [&str; 4] = ["default", "enum", "example", "examples"];

/// The places of schemas without a type, of objects without members, of parameters and bodies without a schema.
pub fn untyped(document: &Value) -> Vec<String> {
    let mut found = Vec::new();
    find(document, "", false, &mut found);
    found
}

fn find(value: &Value, place: &str, is_schema: bool, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => find_within(members, place, is_schema, found),
        Value::Array(elements) => {
            let are_schemas = OF_SCHEMAS.iter().any(|keyword| place.ends_with(keyword));
            for (index, element) in elements.iter().enumerate() {
                let has = |member: &str| element.get(member).is_some();
                if place.ends_with("/parameters") && !["schema", "content", "$ref"].into_iter().any(has) {
                    found.push(format!("{place}/{index}"));
                }
                find(element, &format!("{place}/{index}"), are_schemas, found);
            }
        }
        _ => {}
    }
}

fn find_within(members: &Map<String, Value>, place: &str, is_schema: bool, found: &mut Vec<String>) {
    let has_members = members.contains_key("properties") || members.contains_key("additionalProperties");
    let is_object =
        |kind: &Value| kind == "object" || kind.as_array().is_some_and(|kinds| kinds.contains(&"object".into()));
    let is_bare = members.get("type").is_some_and(is_object) && !has_members;
    if is_schema && (members.is_empty() || is_bare) {
        found.push(place.to_owned());
    }
    let are_schemas = place.ends_with("/properties") || place.ends_with("/schemas");
    for (name, member) in members {
        if place.ends_with("/content") && member.get("schema").is_none() {
            found.push(format!("{place}/{name}"));
        }
        if are_schemas || !OF_VALUES.contains(&name.as_str()) {
            let is_schema = are_schemas || ["schema", "items"].contains(&name.as_str());
            find(member, &format!("{place}/{name}"), is_schema, found);
        }
    }
}
