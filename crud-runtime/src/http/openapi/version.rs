//! The versions of a document: one is written, and each version keeps the parts that it knows.

use serde_json::{Map, Value, json};

/// The document of OpenAPI 3.1: without `QUERY`, schemas of items and the order of tags.
pub(super) fn of_3_1(mut document: Value) -> Value {
    document["openapi"] = "3.1.0".into();
    for item in each(&mut document["paths"]) {
        item.shift_remove("query");
    }
    for tag in document["tags"].as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        tag.shift_remove("parent");
        tag.shift_remove("kind");
    }
    change_content(&mut document, |content| drop(content.shift_remove("itemSchema")));
    document
}

/// The document of OpenAPI 3.2, for a service mounted under a path.
pub(super) fn of_3_2(mut document: Value, mount: &str) -> Value {
    document["openapi"] = "3.2.0".into();
    document["$self"] = format!("{mount}/openapi.json?version=3.2").into();
    if !mount.is_empty() {
        document["servers"] = json!([{ "url": mount }]);
    }
    // For a sequence, the schema of an item replaces that of the whole text.
    change_content(&mut document, |content| {
        if content.contains_key("itemSchema") {
            content.shift_remove("schema");
        }
    });
    document
}

/// Changes each media type of answers.
fn change_content(document: &mut Value, change: impl Fn(&mut Map<String, Value>)) {
    let operations = each(&mut document["paths"]).flat_map(Map::values_mut);
    operations
        .filter_map(|operation| operation.get_mut("responses"))
        .for_each(|responses| change_in(responses, &change));
    if let Some(responses) = document.pointer_mut("/components/responses") {
        change_in(responses, &change);
    }
}

fn change_in(responses: &mut Value, change: &impl Fn(&mut Map<String, Value>)) {
    let contents = each(responses).filter_map(|response| response.get_mut("content"));
    contents.flat_map(each).for_each(change);
}

/// The objects that are members of an object.
fn each(value: &mut Value) -> impl Iterator<Item = &mut Map<String, Value>> {
    value.as_object_mut().into_iter().flat_map(Map::values_mut).filter_map(Value::as_object_mut)
}
