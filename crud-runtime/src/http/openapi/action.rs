//! The program's own routes.

use axum::http::{Method, StatusCode};
use serde_json::{Map, Value, json};

use super::request::body;
use super::{DocumentedResource, access, describe, parameter, reference, response, schema};
use crate::http::action::MountedAction;
use crate::http::action::argument::DescribedReply;
use crate::http::param::list::{self, Purpose};
use crate::model::descriptor::{Descriptor, Operation};
use crate::model::problem::Code;

/// The problems of the changes that a handler may make.
const CHANGE: [Code; 6] = [
    Code::Conflict,
    Code::ReferenceNotFound,
    Code::Referenced,
    Code::NotDeleted,
    Code::IllegalTransition,
    Code::ConstraintFailed,
];

/// The paths of the documented routes.
pub(crate) fn paths(
    resources: &[DocumentedResource<'_>],
    actions: &[MountedAction],
    secured: bool,
) -> Vec<(String, Value)> {
    let mut paths: Map<String, Value> = Map::new();
    let own = actions.iter().filter(|mounted| mounted.replaces.is_none() && mounted.action.is_documented);
    for mounted in own {
        let path = paths.entry(&mounted.path).or_insert_with(|| json!({}));
        let names = mounted.path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'));
        let parameters: Vec<Value> = names.map(parameter::path).collect();
        if !parameters.is_empty() {
            path["parameters"] = parameters.into();
        }
        if let Some(resource) = mounted.resource.filter(|_| mounted.action.is_item) {
            path["parameters"] = json!([parameter::id(resource)]);
        }
        path[mounted.action.method.as_str().to_lowercase()] = operation(resources, mounted, secured);
    }
    paths.into_iter().collect()
}

/// The schemas of their bodies by name.
pub(crate) fn schemas(actions: &[MountedAction]) -> Vec<(String, Value)> {
    let documented = actions.iter().filter(|mounted| mounted.action.is_documented);
    let bodies = documented.filter_map(|mounted| mounted.action.handler.0.describe().body);
    bodies.map(|descriptor| (schema_name(descriptor), schema::body(descriptor))).collect()
}

fn schema_name(descriptor: &Descriptor) -> String {
    format!("{}Body", descriptor.name)
}

/// The resource of a descriptor, in the document.
fn documented<'r, 'o>(
    resources: &'r [DocumentedResource<'o>],
    name: &str,
    module: &str,
) -> Option<&'r DocumentedResource<'o>> {
    resources.iter().find(|resource| {
        let descriptor = resource.options.descriptor;
        descriptor.name == name && descriptor.module == module
    })
}

/// The responses of a handler that succeeds; none where the handler makes them itself.
fn successes(resources: &[DocumentedResource<'_>], reply: DescribedReply) -> Vec<(StatusCode, Value)> {
    let record = |name: &str, module: &str| match documented(resources, name, module) {
        Some(resource) => reference("schemas", &resource.names.record()),
        None => json!({ "type": "object" }),
    };
    match reply {
        DescribedReply::Any => Vec::new(),
        DescribedReply::Nothing => vec![(StatusCode::NO_CONTENT, response::empty("It is done.", &[]))],
        DescribedReply::Json => vec![(StatusCode::OK, response::json_body("The result.", &json!({}), &[]))],
        DescribedReply::Record(name, module) => vec![
            (StatusCode::OK, response::json_body("The record.", &record(name, module), &["ETag"])),
            (StatusCode::NO_CONTENT, response::empty("It is done.", &["ETag", "Preference-Applied"])),
        ],
        DescribedReply::Records(name, module) => {
            let schema = json!({ "type": "array", "items": record(name, module) });
            vec![(StatusCode::OK, response::json_body("The records.", &schema, &[]))]
        }
        DescribedReply::Page(name, module) => {
            let schema = page(documented(resources, name, module));
            vec![(StatusCode::OK, response::json_body("The records.", &schema, &["X-Total-Count", "Content-Range"]))]
        }
        DescribedReply::Created(name, module) => {
            let headers = &["Location", "ETag", "Preference-Applied"];
            vec![(StatusCode::CREATED, response::json_body("The created record.", &record(name, module), headers))]
        }
    }
}

/// The schema of a page: the resource's own, or where its lists have cursors or no pages, one in place.
fn page(resource: Option<&DocumentedResource<'_>>) -> Value {
    match resource {
        Some(resource) if resource.options.pagination.is_some_and(|pages| !pages.cursor) => {
            reference("schemas", &resource.names.list())
        }
        Some(resource) => schema::page(&resource.names.record(), false),
        None => json!({ "type": "object" }),
    }
}

/// Describes what a handler in place of a generated operation takes and gives.
pub(crate) fn replace(
    value: &mut Value,
    resource: &DocumentedResource<'_>,
    resources: &[DocumentedResource<'_>],
    actions: &[MountedAction],
    operation: Operation,
) {
    let is_own = |action: &&MountedAction| {
        action.replaces == Some(operation)
            && action.resource.is_some_and(|own| std::ptr::eq(own, resource.options.descriptor))
    };
    let Some(action) = actions.iter().find(is_own) else { return };
    let described = action.action.handler.0.describe();
    if let Some(descriptor) = described.body {
        value["requestBody"] = body("The body.", &["application/json"], &schema_name(descriptor));
    } else if let (false, Some(object)) = (described.has_generated, value.as_object_mut()) {
        object.shift_remove("requestBody");
    }
    let own = successes(resources, described.reply);
    if let (false, Some(responses)) = (own.is_empty(), value["responses"].as_object_mut()) {
        responses.retain(|status, _| !status.starts_with('2') && !status.starts_with('3'));
        for (status, response) in own.into_iter().rev() {
            responses.shift_insert(0, status.as_str().to_owned(), response);
        }
    }
}

fn operation(resources: &[DocumentedResource<'_>], mounted: &MountedAction, secured: bool) -> Value {
    let action = &*mounted.action;
    let described = action.handler.0.describe();
    let mut own = successes(resources, described.reply);
    if own.is_empty() {
        own = successes(resources, DescribedReply::Json);
    }
    let mut problems = vec![Code::ValidationFailed];
    let mut parameters = Vec::new();
    parameters.extend(described.query.iter().flat_map(|query| query.columns).map(parameter::of_query));
    if let Some(resource) = described.list.and_then(|list| documented(resources, list.name, list.module)) {
        parameters.extend(list::document(resource.options, Purpose::Program, &resource.names.condition()));
    }
    if action.is_item || described.has_record {
        problems.push(Code::NotFound);
    }
    if action.method != Method::GET {
        problems.extend(CHANGE);
    }
    if described.has_record {
        problems.push(Code::PreconditionFailed);
        parameters.push(reference("parameters", "IfMatch"));
    }
    if matches!(described.reply, DescribedReply::Record(..) | DescribedReply::Created(..)) {
        parameters.push(reference("parameters", "PreferChange"));
    }
    if described.body.is_some() {
        problems.extend(response::BODY);
    }
    let mut value = json!({
        "tags": mounted.resource.and_then(|resource| documented(resources, resource.name, resource.module)).map_or_else(
            || vec![super::service::TAG.to_owned()],
            |resource| resource.options.tags.clone(),
        ),
        "summary": if action.summary.is_empty() { words(&action.path) } else { action.summary.clone() },
        "operationId": operation_id(resources, mounted),
        "parameters": parameters,
        "responses": response::with_database_problems(own, &problems),
    });
    let description = if action.description.is_empty() {
        format!("`{} {}`, a route of the program.", action.method, mounted.path)
    } else {
        action.description.clone()
    };
    describe(&mut value, &description);
    if let Some(descriptor) = described.body {
        let mut request = body("The body.", &["application/json"], &schema_name(descriptor));
        if let Some(name) = action.envelope {
            let properties = json!({ name: reference("schemas", &schema_name(descriptor)) });
            request["content"]["application/json"]["schema"] = json!({
                "type": "object", "required": [name], "properties": properties, "additionalProperties": false,
            });
        }
        value["requestBody"] = request;
    }
    if secured {
        access::secure_by(&mut value, mounted.access, mounted.resource);
    }
    value
}

/// The last segment as a phrase, such as `Take part`.
fn words(path: &str) -> String {
    let segment = path.rsplit('/').next().unwrap_or_default().replace(['-', '_', '.'], " ");
    let mut letters = segment.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The id of a route: of one below a resource's, the resource's own; else the method and the path in camel case, such as
/// `getReportsTop`.
fn operation_id(resources: &[DocumentedResource<'_>], mounted: &MountedAction) -> String {
    let of_resource = mounted.resource.and_then(|resource| {
        let names = &documented(resources, resource.name, resource.module)?.names;
        let action = &mounted.action;
        names.action_operation_id(&action.method, &action.path, action.is_item)
    });
    of_resource.unwrap_or_else(|| path_operation_id(mounted))
}

fn path_operation_id(mounted: &MountedAction) -> String {
    let mut id = mounted.action.method.as_str().to_lowercase();
    for word in mounted.path.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        let mut letters = word.chars();
        id.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        id.push_str(letters.as_str());
    }
    id
}
