//! The paths of a resource and their operations.

use axum::http::StatusCode;
use serde_json::{Map, Value, json};

use crate::descriptor::Operation;
use crate::error::Code;
use crate::openapi::{Mounted, name, parameter, reference, response};

/// The paths of a resource, with the operations that it offers.
pub(super) fn of_resource(resource: &Mounted<'_>) -> Vec<(String, Value)> {
    let prefix = &resource.options.prefix;
    let collection = offered(resource, &[("get", Operation::List, list), ("post", Operation::Create, create)]);
    let mut record = offered(
        resource,
        &[
            ("get", Operation::Get, get),
            ("put", Operation::Update, put),
            ("patch", Operation::Update, patch),
            ("delete", Operation::Delete, delete),
        ],
    );
    if !record.is_empty() {
        record.shift_insert(0, "parameters".to_owned(), json!([parameter::id(resource.options.descriptor)]));
    }
    [(prefix.clone(), collection), (format!("{prefix}/{{id}}"), record)]
        .into_iter()
        .filter(|(_, operations)| !operations.is_empty())
        .map(|(path, operations)| (path, operations.into()))
        .collect()
}

/// An operation's method, what it is, and what writes it.
type Row = (&'static str, Operation, fn(&Mounted<'_>) -> Value);

fn offered(resource: &Mounted<'_>, rows: &[Row]) -> Map<String, Value> {
    let rows = rows.iter().filter(|(_, operation, _)| resource.offers(*operation));
    rows.map(|(method, _, write)| ((*method).to_owned(), write(resource))).collect()
}

fn list(resource: &Mounted<'_>) -> Value {
    let Mounted { options, names } = resource;
    let mut parameters = parameter::list(options);
    let schema = if options.pagination.is_some() {
        reference("schemas", &names.list())
    } else {
        json!({ "type": "array", "items": reference("schemas", &names.record()) })
    };
    let headers = &["X-Total-Count", "Content-Range", "Preference-Applied"];
    parameters.push(reference("parameters", "PreferList"));
    json!({
        "tags": options.tags,
        "summary": format!("List {}", plural(resource)),
        "operationId": names.operation_id(Operation::List),
        "parameters": parameters,
        "responses": response::all(
            [(StatusCode::OK, response::json_body("The records.", &schema, headers))],
            &[Code::ValidationFailed],
        ),
    })
}

fn create(resource: &Mounted<'_>) -> Value {
    let Mounted { options, names } = resource;
    let record = reference("schemas", &names.record());
    let headers = &["Location", "ETag", "Preference-Applied"];
    json!({
        "tags": options.tags,
        "summary": format!("Create {}", name::one(options.descriptor.name)),
        "operationId": names.operation_id(Operation::Create),
        "parameters": [reference("parameters", "PreferChange")],
        "requestBody": body("The record to create.", &["application/json"], &names.create()),
        "responses": response::all(
            [(StatusCode::CREATED, response::json_body("The created record.", &record, headers))],
            &[&response::BODY[..], &[Code::Conflict]].concat(),
        ),
    })
}

fn get(resource: &Mounted<'_>) -> Value {
    let Mounted { options, names } = resource;
    let record = reference("schemas", &names.record());
    json!({
        "tags": options.tags,
        "summary": format!("Get {}", name::one(options.descriptor.name)),
        "operationId": names.operation_id(Operation::Get),
        "parameters": [reference("parameters", "IfNoneMatch")],
        "responses": response::all(
            [
                (StatusCode::OK, response::json_body("The record.", &record, &["ETag"])),
                (StatusCode::NOT_MODIFIED, response::empty("The client has this version.", &["ETag"])),
            ],
            &[Code::ValidationFailed, Code::NotFound],
        ),
    })
}

fn put(resource: &Mounted<'_>) -> Value {
    let id = resource.names.operation_id(Operation::Update);
    update(resource, &id, &["application/json"])
}

fn patch(resource: &Mounted<'_>) -> Value {
    let id = resource.names.patch_operation_id();
    update(resource, &id, &["application/json", "application/merge-patch+json"])
}

fn update(resource: &Mounted<'_>, operation_id: &str, media_types: &[&str]) -> Value {
    let Mounted { options, names } = resource;
    let record = reference("schemas", &names.record());
    let minimal = &["ETag", "Preference-Applied"];
    json!({
        "tags": options.tags,
        "summary": format!("Update {}", name::one(options.descriptor.name)),
        "description": "Changes the fields that the body has; the others stay as they are. PUT and PATCH do the same.",
        "operationId": operation_id,
        "parameters": [reference("parameters", "IfMatch"), reference("parameters", "PreferChange")],
        "requestBody": body("The fields to change.", media_types, &names.patch()),
        "responses": response::all(
            [
                (StatusCode::OK, response::json_body("The updated record.", &record, &["ETag"])),
                (StatusCode::NO_CONTENT, response::empty("The record is updated.", minimal)),
            ],
            &[&response::BODY[..], &[Code::NotFound, Code::Conflict, Code::PreconditionFailed]].concat(),
        ),
    })
}

fn delete(resource: &Mounted<'_>) -> Value {
    let Mounted { options, names } = resource;
    let record = reference("schemas", &names.record());
    json!({
        "tags": options.tags,
        "summary": format!("Delete {}", name::one(options.descriptor.name)),
        "operationId": names.operation_id(Operation::Delete),
        "parameters": [reference("parameters", "IfMatch"), reference("parameters", "PreferChange")],
        "responses": response::all(
            [
                (StatusCode::OK, response::json_body("The record as it was.", &record, &[])),
                (StatusCode::NO_CONTENT, response::empty("The record is deleted.", &["Preference-Applied"])),
            ],
            &[Code::ValidationFailed, Code::NotFound, Code::Referenced, Code::PreconditionFailed],
        ),
    })
}

fn body(description: &str, media_types: &[&str], schema: &str) -> Value {
    let media_type = json!({ "schema": reference("schemas", schema) });
    let content: Map<_, _> = media_types.iter().map(|&name| (name.to_owned(), media_type.clone())).collect();
    json!({ "description": description, "required": true, "content": content })
}

/// The resource's records in words, such as `order items`: as the prefix calls them.
fn plural(resource: &Mounted<'_>) -> String {
    name::words(resource.options.prefix.rsplit('/').next().unwrap_or_default())
}
