//! Merging of documents.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::Serialize;
use serde_json::Value;
use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::{Components, OpenApi};

use super::meaning;
use crate::storage::error::{Error, Result};

/// Adds the paths, components and tags of a document to another one, such as those of a program's own axum routes to a
/// service's.
///
/// `OpenApi::merge` silently drops what is in both documents, and the parameters and headers of components. This
/// function keeps the latter, and refuses collisions.
///
/// ```
/// use crud_runtime::openapi::merge;
/// use crud_runtime::utoipa::openapi::path::{HttpMethod, Operation};
/// use crud_runtime::utoipa::openapi::{Info, OpenApi, Paths};
///
/// let with = |path: &str| {
///     let mut paths = Paths::new();
///     paths.add_path_operation(path, vec![HttpMethod::Get], Operation::new());
///     OpenApi::new(Info::new("Shop", "1"), paths)
/// };
/// let mut document = with("/books");
/// merge(&mut document, with("/reports")).unwrap();
/// assert!(document.paths.paths.contains_key("/reports"));
/// let error = merge(&mut document, with("/books")).unwrap_err();
/// assert_eq!(error.to_string(), "two documents do not merge: `GET /books` is in both documents");
/// ```
///
/// # Errors
/// [`Error::Setup`], with a sentence for each operation or operation id that is in both documents, and for each
/// component whose name has another meaning there. The document is unchanged then. Of two schemas with one name that
/// allow the same values, but differ in descriptions or spelling, the first document's stays.
pub fn merge(into: &mut OpenApi, other: OpenApi) -> Result<()> {
    let merged = try_merge(into, other);
    merged.map_err(|collisions| Error::Setup(format!("two documents do not merge: {}", collisions.join("; "))))
}

/// Merges as [`merge`] does, and returns the sentences as errors.
pub(crate) fn try_merge(into: &mut OpenApi, other: OpenApi) -> Result<(), Vec<String>> {
    let mut merged = into.clone();
    let mut collisions = Vec::new();
    let ids: Vec<String> = merged.paths.paths.values().flat_map(operations).filter_map(id).collect();
    let other_ids = other.paths.paths.values().flat_map(operations).filter_map(id);
    collisions.extend(
        other_ids.filter(|id| ids.contains(id)).map(|id| format!("the operation id `{id}` is in both documents")),
    );
    for (path, item) in other.paths.paths {
        match merged.paths.paths.get_mut(&path) {
            Some(known) => merge_item(&path, known, item, &mut collisions),
            None => drop(merged.paths.paths.insert(path, item)),
        }
    }
    let components = merged.components.get_or_insert_with(Components::new);
    merge_components(components, other.components.unwrap_or_default(), &mut collisions);
    let tags = merged.tags.get_or_insert_with(Vec::new);
    for tag in other.tags.unwrap_or_default() {
        if tags.iter().all(|known| known.name != tag.name) {
            tags.push(tag);
        }
    }
    if !collisions.is_empty() {
        return Err(collisions);
    }
    *into = merged;
    Ok(())
}

fn id(operation: (&'static str, &Operation)) -> Option<String> {
    operation.1.operation_id.clone()
}

/// The operations of a path with their methods.
fn operations(item: &PathItem) -> impl Iterator<Item = (&'static str, &Operation)> {
    let operations = [
        ("GET", &item.get),
        ("PUT", &item.put),
        ("POST", &item.post),
        ("DELETE", &item.delete),
        ("OPTIONS", &item.options),
        ("HEAD", &item.head),
        ("PATCH", &item.patch),
        ("TRACE", &item.trace),
        ("QUERY", &item.query),
    ];
    operations.into_iter().filter_map(|(method, operation)| Some((method, operation.as_ref()?)))
}

fn merge_item(path: &str, into: &mut PathItem, other: PathItem, collisions: &mut Vec<String>) {
    let known: Vec<&str> = operations(into).map(|(method, _)| method).collect();
    let both = operations(&other).filter(|(method, _)| known.contains(method));
    collisions.extend(both.map(|(method, _)| format!("`{method} {path}` is in both documents")));
    if other.parameters.as_ref().is_some_and(|parameters| into.parameters.as_ref() != Some(parameters)) {
        collisions.push(format!("the parameters of `{path}` differ in the two documents"));
    }
    into.merge_operations(other);
}

fn merge_components(into: &mut Components, other: Components, collisions: &mut Vec<String>) {
    let schemas = other
        .schemas
        .into_iter()
        .filter(|(name, schema)| !into.schemas.get(name).is_some_and(|known| meaning::is_same(known, schema)));
    let schemas = schemas.collect();
    merge_map("schema", &mut into.schemas, schemas, collisions);
    merge_map("response", &mut into.responses, other.responses, collisions);
    merge_map("parameter", &mut into.parameters, other.parameters, collisions);
    merge_map("example", &mut into.examples, other.examples, collisions);
    merge_map("request body", &mut into.request_bodies, other.request_bodies, collisions);
    merge_map("header", &mut into.headers, other.headers, collisions);
    merge_map("link", &mut into.links, other.links, collisions);
    merge_map("callback", &mut into.callbacks, other.callbacks, collisions);
    merge_map("path item", &mut into.path_items, other.path_items, collisions);
    merge_map("media type", &mut into.media_types, other.media_types, collisions);
    merge_map("security scheme", &mut into.security_schemes, other.security_schemes, collisions);
}

fn merge_map<T: PartialEq + Serialize>(
    kind: &str,
    into: &mut BTreeMap<String, T>,
    other: BTreeMap<String, T>,
    collisions: &mut Vec<String>,
) {
    for (name, component) in other {
        match into.entry(name) {
            Entry::Vacant(place) => drop(place.insert(component)),
            // A document that was read from JSON may have the same text in another form of utoipa's model.
            Entry::Occupied(known) if *known.get() == component || json(known.get()) == json(&component) => {}
            Entry::Occupied(known) => {
                collisions.push(format!("the {kind} `{}` differs in the two documents", known.key()));
            }
        }
    }
}

fn json(component: &impl Serialize) -> Option<Value> {
    serde_json::to_value(component).ok()
}
