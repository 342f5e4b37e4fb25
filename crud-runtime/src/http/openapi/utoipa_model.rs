//! Documents, operations and responses in utoipa's model, for programs that write them with it.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use utoipa::openapi::header::Header;
use utoipa::openapi::path::{Operation, Parameter, PathItem};
use utoipa::openapi::request_body::RequestBody;
use utoipa::openapi::{self, Content, OpenApi, RefOr, Response};

use super::writer::merge::try_merge;
use crate::http::description::json_schema::Schema;
use crate::http::description::utoipa_schema::schema;
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
#[allow(clippy::needless_pass_by_value, reason = "the document has it from now on")]
pub fn merge(into: &mut OpenApi, other: OpenApi) -> Result<()> {
    let mut merged = written(into);
    let collisions = |all: Vec<String>| Error::Setup(format!("two documents do not merge: {}", all.join("; ")));
    try_merge(&mut merged, written(&other)).map_err(collisions)?;
    *into = document(merged)?;
    Ok(())
}

/// The JSON of a part of a document. Extensions are sorted by name: utoipa keeps them in an unordered map, and the
/// document's entity tag has to be equal in all processes.
pub(crate) fn written(part: &impl Serialize) -> Value {
    let mut written = serde_json::to_value(part).unwrap_or_default();
    order_extensions(&mut written);
    written
}

fn order_extensions(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(order_extensions),
        Value::Object(members) => {
            let mut names: Vec<_> = members.keys().filter(|name| name.starts_with("x-")).cloned().collect();
            if names.len() > 1 {
                names.sort_unstable();
                for name in names {
                    let extension = members.shift_remove(&name).unwrap_or_default();
                    members.insert(name, extension);
                }
            }
            members.values_mut().for_each(order_extensions);
        }
        _ => {}
    }
}

/// A document's JSON in utoipa's model.
///
/// # Errors
/// [`Error::Setup`] where the model lacks a part of it, which it has neither from utoipa nor from this crate.
pub(crate) fn document(json: Value) -> Result<OpenApi> {
    read(json, of_document)
        .map_err(|error| Error::Setup(format!("utoipa's model lacks a part of the document: {error}")))
}

/// Responses by their statuses, as JSON.
pub(crate) fn responses(responses: &BTreeMap<String, RefOr<Response>>) -> Map<String, Value> {
    match written(responses) {
        Value::Object(responses) => responses,
        _ => Map::new(),
    }
}

/// Changes an operation's JSON in utoipa's model.
pub(crate) fn change(json: &mut Value, change: impl FnOnce(&mut Operation)) {
    if let Ok(mut operation) = read(json.clone(), of_operation) {
        change(&mut operation);
        *json = written(&operation);
    }
}

/// Reads a part of a document. utoipa's reader does not know all schemas: references stand for them, which the visitor
/// of the part's type replaces.
fn read<T: DeserializeOwned>(mut json: Value, visit: fn(&mut T, &mut Schemas)) -> serde_json::Result<T> {
    let mut schemas = Schemas::default();
    schemas.take(&mut json);
    let mut part = serde_json::from_value(json)?;
    visit(&mut part, &mut schemas);
    Ok(part)
}

/// Members whose members are parts of a document by their names.
const MAPS: [&str; 9] = [
    "additionalOperations",
    "callbacks",
    "content",
    "headers",
    "mediaTypes",
    "parameters",
    "pathItems",
    "requestBodies",
    "responses",
];

/// The schemas of a part of a document.
#[derive(Default)]
struct Schemas(Vec<Value>);

impl Schemas {
    /// Takes the schemas out of the part, and leaves references by their numbers.
    fn take(&mut self, part: &mut Value) {
        match part {
            Value::Array(items) => items.iter_mut().for_each(|item| self.take(item)),
            Value::Object(members) => members.iter_mut().for_each(|(name, member)| self.take_member(name, member)),
            _ => {}
        }
    }

    fn take_member(&mut self, name: &str, member: &mut Value) {
        match (name, &mut *member) {
            ("schema" | "itemSchema", Value::Object(_)) => self.take_schema(member),
            ("schemas", Value::Object(schemas)) => schemas.values_mut().for_each(|schema| self.take_schema(schema)),
            (_, Value::Object(parts)) if MAPS.contains(&name) => parts.values_mut().for_each(|part| self.take(part)),
            // Values, and parts whose schemas utoipa's reader reads.
            ("example" | "examples" | "encoding" | "prefixEncoding" | "itemEncoding", _) => {}
            ("links", Value::Object(links)) => {
                for link in links.values_mut().filter_map(Value::as_object_mut) {
                    // utoipa's reader requires them.
                    link.entry("parameters").or_insert_with(|| json!({}));
                }
            }
            _ => self.take(member),
        }
    }

    fn take_schema(&mut self, schema: &mut Value) {
        let number = self.0.len();
        self.0.push(std::mem::replace(schema, json!({ "$ref": number.to_string() })));
    }

    fn put(&mut self, place: &mut RefOr<openapi::Schema>) {
        let RefOr::Ref(reference) = place else { return };
        let taken = reference.ref_location.parse().ok().and_then(|number: usize| self.0.get_mut(number));
        if let Some(json) = taken {
            *place = of_json(json.take());
        }
    }
}

/// A schema in utoipa's model: as its reader has it where that loses nothing.
fn of_json(json: Value) -> RefOr<openapi::Schema> {
    let read = serde_json::from_value(json.clone()).ok();
    let is_whole = |read: &RefOr<openapi::Schema>| serde_json::to_value(read).is_ok_and(|written| written == json);
    read.filter(is_whole).unwrap_or_else(|| schema(&Schema::from(json)))
}

fn of_document(document: &mut OpenApi, schemas: &mut Schemas) {
    for item in document.paths.paths.values_mut() {
        of_item(item, schemas);
    }
    let Some(components) = &mut document.components else { return };
    components.schemas.values_mut().for_each(|schema| schemas.put(schema));
    inline(components.responses.values_mut()).for_each(|response| of_response(response, schemas));
    inline(components.parameters.values_mut()).for_each(|parameter| of_parameter(parameter, schemas));
    inline(components.request_bodies.values_mut()).for_each(|body| of_body(body, schemas));
    inline(components.headers.values_mut()).for_each(|header| of_header(header, schemas));
    inline(components.media_types.values_mut()).for_each(|content| of_content(content, schemas));
    components.path_items.values_mut().for_each(|item| of_item(item, schemas));
    let callbacks = inline(components.callbacks.values_mut());
    inline(callbacks.flat_map(BTreeMap::values_mut)).for_each(|item| of_item(item, schemas));
}

fn of_item(item: &mut PathItem, schemas: &mut Schemas) {
    inline(item.parameters.iter_mut().flatten()).for_each(|parameter| of_parameter(parameter, schemas));
    let PathItem { get, put, post, delete, options, head, patch, trace, query, additional_operations, .. } = item;
    let named = [get, put, post, delete, options, head, patch, trace, query].into_iter().filter_map(Option::as_mut);
    named.chain(additional_operations.values_mut()).for_each(|operation| of_operation(operation, schemas));
}

fn of_operation(operation: &mut Operation, schemas: &mut Schemas) {
    inline(operation.parameters.iter_mut().flatten()).for_each(|parameter| of_parameter(parameter, schemas));
    inline(operation.request_body.iter_mut()).for_each(|body| of_body(body, schemas));
    inline(operation.responses.responses.values_mut()).for_each(|response| of_response(response, schemas));
    let callbacks = inline(operation.callbacks.values_mut());
    inline(callbacks.flat_map(BTreeMap::values_mut)).for_each(|item| of_item(item, schemas));
}

fn of_parameter(parameter: &mut Parameter, schemas: &mut Schemas) {
    parameter.schema.iter_mut().for_each(|schema| schemas.put(schema));
    inline(parameter.content.values_mut()).for_each(|content| of_content(content, schemas));
}

fn of_body(body: &mut RequestBody, schemas: &mut Schemas) {
    inline(body.content.values_mut()).for_each(|content| of_content(content, schemas));
}

fn of_response(response: &mut Response, schemas: &mut Schemas) {
    inline(response.headers.values_mut()).for_each(|header| of_header(header, schemas));
    inline(response.content.values_mut()).for_each(|content| of_content(content, schemas));
}

fn of_header(header: &mut Header, schemas: &mut Schemas) {
    header.schema.iter_mut().for_each(|schema| schemas.put(schema));
    inline(header.content.values_mut()).for_each(|content| of_content(content, schemas));
}

fn of_content(content: &mut Content, schemas: &mut Schemas) {
    content.schema.iter_mut().chain(&mut content.item_schema).for_each(|schema| schemas.put(schema));
}

/// The parts that are not references.
fn inline<'p, T: 'p>(parts: impl Iterator<Item = &'p mut RefOr<T>>) -> impl Iterator<Item = &'p mut T> {
    parts.filter_map(|part| match part {
        RefOr::T(part) => Some(part),
        RefOr::Ref(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_read_whole() {
        let any = json!({ "description": "Any value." });
        let json = json!({
            "openapi": "3.1.0",
            "info": { "title": "Shop", "version": "1" },
            "paths": { "/schemas/{schema}": {
                "parameters": [{ "name": "schema", "in": "path", "required": true, "schema": any }],
                "get": {
                    "responses": { "200": {
                        "description": "The schema.",
                        "headers": { "ETag": { "schema": { "type": "string", "not": { "enum": ["a"] } } } },
                        "content": { "application/json": {
                            "schema": any, "itemSchema": { "$ref": "#/components/schemas/Any" },
                            "examples": { "one": { "value": { "schema": {}, "schemas": { "a": {} } } } },
                        } },
                        "links": { "next": { "operationId": "next" } },
                    } },
                },
            } },
            "components": { "schemas": { "Any": any, "Wide": { "allOf": [{ "minLength": 1 }], "if": {} } } },
        });
        let mut expected = json.clone();
        let wide = json!({ "allOf": [{ "minLength": 1 }, { "if": {} }] });
        expected["components"]["schemas"]["Wide"] = wide;
        assert_eq!(written(&document(json).expect("a document")), expected);
    }

    #[test]
    fn operations_are_changed_in_place() {
        let json = json!({
            "tags": [], "parameters": [{ "name": "a", "in": "query", "required": false, "schema": {} }],
            "responses": {}, "security": [], "x-b": 1, "x-a": 2,
        });
        let mut changed = json.clone();
        change(&mut changed, |operation| operation.summary = Some("Read".into()));
        let mut expected = json;
        expected["summary"] = "Read".into();
        assert_eq!(changed, expected);
    }
}
