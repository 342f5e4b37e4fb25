//! The paths of a resource, with their operations.

use axum::http::{Method, StatusCode};
use serde_json::{Map, Value, json};

use super::request::body;
use super::schema::has_cursors;
use super::wording::plural;
use super::{
    DocumentedResource, access, action, audit, batch, deletion, idempotency, import, link, parameter, reference,
    response, search, session_token, transition, wording,
};
use crate::http::action::MountedAction;
use crate::http::routes::ResourcePath;
use crate::model::descriptor::{Descriptor, Operation};
use crate::model::problem::Code;
use crate::store::resource_options::ResourceOptions;

/// The paths and operations that a resource offers: the same as the router's.
pub(super) fn resource_paths(
    resource: &DocumentedResource<'_>,
    resources: &[DocumentedResource<'_>],
    actions: &[MountedAction],
) -> Vec<(String, Value)> {
    let paths = ResourcePath::paths_of(resource.options.descriptor).map(|path| {
        let offered = path.methods().iter().filter(|(_, operation)| resource.offers(*operation));
        let mut operations: Map<String, Value> = offered
            .map(|(method, operation)| {
                let mut value = operation_object(resource, path, method, *operation);
                if !matches!(path, ResourcePath::Transition(_)) {
                    action::replace(&mut value, resource, resources, actions, *operation);
                }
                (method.as_str().to_lowercase(), value)
            })
            .collect();
        if !operations.is_empty() && path.path().contains("{id}") {
            operations.shift_insert(0, "parameters".to_owned(), json!([parameter::id(resource.options.descriptor)]));
        }
        (format!("{}{}", resource.options.prefix, path.path()), operations)
    });
    paths.filter(|(_, operations)| !operations.is_empty()).map(|(path, operations)| (path, operations.into())).collect()
}

fn operation_object(
    resource: &DocumentedResource<'_>,
    path: ResourcePath,
    method: &Method,
    operation: Operation,
) -> Value {
    let route = match path {
        ResourcePath::Transition(path) => resource.options.descriptor.transitions().nth(path.index),
        _ => None,
    };
    let mut value = match route {
        Some((column, route)) => transition::operation(resource, &resource.options.descriptor.columns[column], route),
        None => base_operation(resource, path, method, operation),
    };
    match route.and_then(|(_, transition)| transition.access) {
        Some(own) => access::restrict_transition(resource, own, &mut value),
        None => access::restrict(resource, operation, &mut value),
    }
    if resource.options.descriptor.hooks.is_some() && !operation.is_read() {
        add_problem(&mut value, Code::Conflict);
    }
    let expands = matches!(operation, Operation::List | Operation::Get | Operation::Create | Operation::Update);
    if expands && !resource.relations {
        add_problem(&mut value, Code::UnsupportedHere);
    }
    idempotency::describe(resource, operation, &mut value);
    session_token::describe(resource, operation, &mut value);
    value
}

/// Adds a problem: `conflict`, which hooks usually refuse a change with, for example.
fn add_problem(value: &mut Value, code: Code) {
    if let Some(responses) = value["responses"].as_object_mut() {
        response::add_problems(responses, &[code]);
    }
}

fn base_operation(
    resource: &DocumentedResource<'_>,
    path: ResourcePath,
    method: &Method,
    operation: Operation,
) -> Value {
    match operation {
        Operation::List if path == ResourcePath::Search => search::operation(resource),
        Operation::List if path == ResourcePath::Export => export(resource),
        Operation::List => list(resource),
        Operation::Get => get(resource),
        Operation::Create if path == ResourcePath::Import => import::operation(resource),
        Operation::Create => create(resource),
        Operation::Update if method == Method::PATCH => patch(resource),
        Operation::Update => put(resource),
        Operation::Delete => delete(resource),
        Operation::Restore => deletion::restore(resource),
        Operation::RestoreMany => deletion::restore_many(resource),
        Operation::Purge => deletion::purge(resource),
        Operation::PurgeMany => deletion::purge_many(resource),
        Operation::BatchCreate | Operation::BatchUpdate | Operation::BatchDelete => {
            batch::operation(resource, operation, path)
        }
        Operation::History => audit::history(resource),
    }
}

fn list(resource: &DocumentedResource<'_>) -> Value {
    let DocumentedResource { options, names, .. } = resource;
    let mut parameters = parameter::list(options, &names.condition());
    let schema = if options.pagination.is_some() {
        reference("schemas", &names.list())
    } else {
        json!({ "type": "array", "items": reference("schemas", &names.record()) })
    };
    let headers = list_headers(options);
    parameters.push(reference("parameters", "PreferList"));
    let description = if options.pagination.is_some() {
        "A page of the records that satisfy all filters."
    } else {
        "Every record that satisfies all filters."
    };
    json!({
        "tags": options.tags,
        "summary": format!("List {}", plural(resource)),
        "description": description,
        "operationId": names.operation_id(Operation::List),
        "parameters": parameters,
        "responses": response::with_database_problems(
            [(StatusCode::OK, response::json_body("The records.", &schema, &headers))],
            &resource.list_problems(),
        ),
    })
}

fn export(resource: &DocumentedResource<'_>) -> Value {
    let DocumentedResource { options, names, .. } = resource;
    let mut answer = response::empty("The file. A failure midway closes the connection before its end.", &[]);
    answer["content"] = json!({
        "application/x-ndjson": { "schema": { "type": "string" } },
        "text/csv": { "schema": { "type": "string" } },
    });
    json!({
        "tags": options.tags,
        "summary": format!("Export {}", plural(resource)),
        "description": "Every record of the list, as a file with a line for each.",
        "operationId": names.export_operation_id(),
        "parameters": parameter::export(options, &names.condition()),
        "responses": response::with_database_problems([(StatusCode::OK, answer)], &resource.list_problems()),
    })
}

/// The headers of a list.
pub(super) fn list_headers(options: &ResourceOptions) -> Vec<&'static str> {
    let mut headers = vec!["X-Total-Count", "Content-Range", "Preference-Applied"];
    if has_cursors(options) {
        headers.push("Link");
    }
    headers
}

fn create(resource: &DocumentedResource<'_>) -> Value {
    let DocumentedResource { options, names, .. } = resource;
    let record = reference("schemas", &names.record());
    let headers = &["Location", "ETag", "Preference-Applied"];
    let mut parameters = change_parameters(options.descriptor, &["PreferChange"]);
    let upserts = parameter::upsert(options.descriptor);
    let mut created = response::json_body("The created record.", &record, headers);
    let links = link::of_new_record(resource);
    if !links.is_empty() {
        created["links"] = links.into();
    }
    let mut responses = vec![(StatusCode::CREATED, created)];
    let conflicts = resource.conflicts(!upserts.is_empty());
    let mut problems = [&response::BODY[..], &conflicts, &[Code::ConstraintFailed]].concat();
    let description = if upserts.is_empty() {
        "Creates a record of the fields in the body; the service sets the others."
    } else {
        "Creates a record of the fields in the body; the service sets the others. With `on_conflict`, changes the record \
         that has the same values instead."
    };
    if !upserts.is_empty() {
        parameters.extend(upserts);
        let found = "The record that had the values of `on_conflict`, changed unless `conflict` is `ignore`.";
        responses.push((StatusCode::OK, response::json_body(found, &record, &["ETag"])));
        let minimal = &["ETag", "Preference-Applied"];
        responses.push((StatusCode::NO_CONTENT, response::empty("The record is changed.", minimal)));
        problems.push(Code::PreconditionFailed);
    }
    json!({
        "tags": options.tags,
        "summary": format!("Create {}", wording::with_article(options.descriptor.name)),
        "description": description,
        "operationId": names.operation_id(Operation::Create),
        "parameters": parameters,
        "requestBody": body("The record to create.", &["application/json"], &names.create()),
        "responses": response::with_database_problems(responses, &problems),
    })
}

/// The parameters of a change whose response has a record: those of the components, and `expand`.
fn change_parameters(descriptor: &'static Descriptor, shared: &[&str]) -> Vec<Value> {
    let shared = shared.iter().map(|name| reference("parameters", name));
    shared.chain(parameter::expand(descriptor)).collect()
}

fn get(resource: &DocumentedResource<'_>) -> Value {
    let DocumentedResource { options, names, .. } = resource;
    let record = reference("schemas", &names.record());
    let mut parameters = vec![reference("parameters", "IfNoneMatch")];
    parameters.extend(parameter::record(options.descriptor));
    let problems: &[Code] = if options.descriptor.audit.is_some() {
        &[Code::ValidationFailed, Code::NotFound, Code::HistoryIncomplete]
    } else {
        &[Code::ValidationFailed, Code::NotFound]
    };
    json!({
        "tags": options.tags,
        "summary": format!("Get {}", wording::with_article(options.descriptor.name)),
        "description": "The record with this key, and the entity tag of its version.",
        "operationId": names.operation_id(Operation::Get),
        "parameters": parameters,
        "responses": response::with_database_problems(
            [
                (StatusCode::OK, response::json_body("The record.", &record, &["ETag"])),
                (StatusCode::NOT_MODIFIED, response::empty("The client's version is current.", &["ETag"])),
            ],
            problems,
        ),
    })
}

fn put(resource: &DocumentedResource<'_>) -> Value {
    let id = resource.names.operation_id(Operation::Update);
    let mut operation = update(resource, &id, &["application/json"]);
    if resource.options.descriptor.creates_by_put() {
        if let Some(parameters) = operation["parameters"].as_array_mut() {
            parameters.push(parameter::allow_missing());
        }
        let record = reference("schemas", &resource.names.record());
        let headers = &["Location", "ETag", "Preference-Applied"];
        operation["responses"]["201"] = response::json_body("The created record.", &record, headers);
    }
    operation
}

fn patch(resource: &DocumentedResource<'_>) -> Value {
    let id = resource.names.patch_operation_id();
    update(resource, &id, &["application/json", "application/merge-patch+json"])
}

fn update(resource: &DocumentedResource<'_>, operation_id: &str, media_types: &[&str]) -> Value {
    let DocumentedResource { options, names, .. } = resource;
    let record = reference("schemas", &names.record());
    let minimal = &["ETag", "Preference-Applied"];
    json!({
        "tags": options.tags,
        "summary": format!("Update {}", wording::with_article(options.descriptor.name)),
        "description": "Changes the fields in the body; the others keep their values. PUT and PATCH are equivalent.",
        "operationId": operation_id,
        "parameters": change_parameters(options.descriptor, &["IfMatch", "PreferChange"]),
        "requestBody": body("The fields to change.", media_types, &names.patch()),
        "responses": response::with_database_problems(
            [
                (StatusCode::OK, response::json_body("The updated record.", &record, &["ETag"])),
                (StatusCode::NO_CONTENT, response::empty("The record is updated.", minimal)),
            ],
            &[
                &response::BODY[..],
                &resource.conflicts(true),
                &[Code::NotFound, Code::PreconditionFailed, Code::ConstraintFailed],
            ]
            .concat(),
        ),
    })
}

fn delete(resource: &DocumentedResource<'_>) -> Value {
    let DocumentedResource { options, names, .. } = resource;
    let record = reference("schemas", &names.record());
    let soft = options.descriptor.soft_delete.is_some();
    let (answer, description) = if soft {
        ("The record, marked as deleted.", "Marks the record as deleted: lists leave it out from then on.")
    } else {
        ("The removed record.", "Removes the record.")
    };
    let mut problems = vec![Code::ValidationFailed, Code::NotFound, Code::PreconditionFailed];
    if !soft && resource.is_kept {
        problems.push(Code::Referenced);
    }
    json!({
        "tags": options.tags,
        "summary": format!("Delete {}", wording::with_article(options.descriptor.name)),
        "description": description,
        "operationId": names.operation_id(Operation::Delete),
        "parameters": [reference("parameters", "IfMatch"), reference("parameters", "PreferChange")],
        "responses": response::with_database_problems(
            [
                (StatusCode::OK, response::json_body(answer, &record, &[])),
                (StatusCode::NO_CONTENT, response::empty("The record is deleted.", &["Preference-Applied"])),
            ],
            &problems,
        ),
    })
}
