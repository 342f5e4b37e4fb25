//! Places of an OpenAPI document that say nothing of their values.

use serde_json::Value;

/// The places of schemas without a type, of objects without members, and of bodies without a schema.
pub fn untyped(document: &Value) -> Vec<String> {
    let mut found = Vec::new();
    find(document, "", false, &mut found);
    found
}

fn find(value: &Value, place: &str, is_schema: bool, found: &mut Vec<String>) {
    let Value::Object(members) = value else { return };
    let has_members = members.contains_key("properties") || members.contains_key("additionalProperties");
    let is_bare = members.get("type").is_some_and(|kind| kind == "object") && !has_members;
    if is_schema && (members.is_empty() || is_bare) {
        found.push(place.to_owned());
    }
    let are_schemas = place.ends_with("/properties") || place.ends_with("/schemas");
    for (name, member) in members {
        if place.ends_with("/content") && member.get("schema").is_none() {
            found.push(format!("{place}/{name}"));
        }
        let is_schema = are_schemas || ["schema", "items"].contains(&name.as_str());
        find(member, &format!("{place}/{name}"), is_schema, found);
    }
}
