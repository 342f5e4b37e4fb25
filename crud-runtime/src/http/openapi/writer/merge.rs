//! Merging of documents.

use serde_json::map::Entry;
use serde_json::{Map, Value};

use super::meaning;

/// The members of a path item that are operations, in their order.
const OPERATIONS: [&str; 9] = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];

/// The operations of a path item with other methods.
const OTHER_OPERATIONS: &str = "additionalOperations";

/// The components in their order, with the noun of each.
const COMPONENTS: [(&str, &str); 11] = [
    ("schemas", "schema"),
    ("responses", "response"),
    ("parameters", "parameter"),
    ("examples", "example"),
    ("requestBodies", "request body"),
    ("headers", "header"),
    ("links", "link"),
    ("callbacks", "callback"),
    ("pathItems", "path item"),
    ("mediaTypes", "media type"),
    ("securitySchemes", "security scheme"),
];

type Object = Map<String, Value>;

/// Adds the paths, components and tags of a document to another one.
///
/// # Errors
/// A sentence for each part that both documents have. The document is unchanged then.
pub(crate) fn try_merge(into: &mut Value, mut other: Value) -> Result<(), Vec<String>> {
    let mut merged = into.clone();
    let (mut paths, other_paths) = (taken(&mut merged, "paths"), taken(&mut other, "paths"));
    let mut collisions = ids_in_both(&paths, &other_paths);
    for (path, item) in other_paths {
        match paths.get_mut(&path) {
            Some(Value::Object(known)) => merge_item(&path, known, item, &mut collisions),
            _ => drop(paths.insert(path, item)),
        }
    }
    merged["paths"] = paths.into();
    let (components, others) = (taken(&mut merged, "components"), taken(&mut other, "components"));
    merged["components"] = merged_components(components, others, &mut collisions).into();
    merged["tags"] = merged_tags(list(&mut merged, "tags"), list(&mut other, "tags")).into();
    if !collisions.is_empty() {
        return Err(collisions);
    }
    *into = merged;
    Ok(())
}

/// A member that is an object, which is empty where it is absent.
fn taken(of: &mut Value, member: &str) -> Object {
    match of.get_mut(member).map(Value::take) {
        Some(Value::Object(members)) => members,
        _ => Object::new(),
    }
}

/// A member that is a list, which is empty where it is absent.
fn list(of: &mut Value, member: &str) -> Vec<Value> {
    match of.get_mut(member).map(Value::take) {
        Some(Value::Array(items)) => items,
        _ => Vec::new(),
    }
}

fn ids_in_both(paths: &Object, others: &Object) -> Vec<String> {
    let known: Vec<&str> = ids(paths).collect();
    let both = ids(others).filter(|id| known.contains(id));
    both.map(|id| format!("the operation id `{id}` is in both documents")).collect()
}

/// The ids of the operations of paths.
fn ids(paths: &Object) -> impl Iterator<Item = &str> {
    let operations = paths.values().flat_map(|item| OPERATIONS.into_iter().filter_map(|method| item.get(method)));
    operations.filter_map(|operation| operation.get("operationId")?.as_str())
}

fn merge_item(path: &str, into: &mut Object, mut other: Value, collisions: &mut Vec<String>) {
    if other.get("parameters").is_some_and(|parameters| into.get("parameters") != Some(parameters)) {
        collisions.push(format!("the parameters of `{path}` differ in the two documents"));
    }
    for method in OPERATIONS {
        // Each is put behind those before it.
        let known = into.shift_remove(method);
        let added = other.get_mut(method).map(Value::take);
        if known.is_some() && added.is_some() {
            collisions.push(format!("`{} {path}` is in both documents", method.to_uppercase()));
        }
        into.extend(known.or(added).map(|operation| (method.to_owned(), operation)));
    }
    let mut others = taken(&mut other, OTHER_OPERATIONS);
    if let Some(Value::Object(known)) = into.shift_remove(OTHER_OPERATIONS) {
        others.extend(known);
    }
    if !others.is_empty() {
        into.insert(OTHER_OPERATIONS.to_owned(), others.into());
    }
}

fn merged_components(mut components: Object, mut others: Object, collisions: &mut Vec<String>) -> Object {
    let mut merged = Object::new();
    for (section, kind) in COMPONENTS {
        let members = |of: &mut Object| match of.shift_remove(section) {
            Some(Value::Object(members)) => members,
            _ => Object::new(),
        };
        let (mut known, others) = (members(&mut components), members(&mut others));
        merge_section(kind, &mut known, others, collisions);
        if !known.is_empty() {
            merged.insert(section.to_owned(), known.into());
        }
    }
    merged.extend(components);
    merged
}

fn merge_section(kind: &str, into: &mut Object, others: Object, collisions: &mut Vec<String>) {
    for (name, component) in others {
        match into.entry(name) {
            Entry::Vacant(place) => drop(place.insert(component)),
            Entry::Occupied(known) if *known.get() == component => {}
            Entry::Occupied(known) if kind == "schema" && meaning::is_same(known.get(), &component) => {}
            Entry::Occupied(known) => {
                collisions.push(format!("the {kind} `{}` differs in the two documents", known.key()));
            }
        }
    }
    into.sort_keys();
}

fn merged_tags(mut tags: Vec<Value>, others: Vec<Value>) -> Vec<Value> {
    for tag in others {
        if tags.iter().all(|known| known["name"] != tag["name"]) {
            tags.push(tag);
        }
    }
    tags
}
