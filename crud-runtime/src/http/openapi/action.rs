//! The program's own routes.

use axum::http::{Method, StatusCode};
use serde_json::{Map, Value, json};

use super::request::body;
use super::{DocumentedResource, access, describe, parameter, reference, response, schema};
use crate::http::action::MountedAction;
use crate::http::action::argument::DescribedReply;
use crate::model::descriptor::Descriptor;
use crate::model::problem::Code;

/// The paths of the documented routes.
pub(super) fn paths(
    resources: &[DocumentedResource<'_>],
    actions: &[MountedAction],
    secured: bool,
) -> Vec<(String, Value)> {
    let mut paths: Map<String, Value> = Map::new();
    for mounted in actions.iter().filter(|mounted| mounted.action.is_documented) {
        let path = paths.entry(&mounted.path).or_insert_with(|| json!({}));
        if let Some(resource) = mounted.resource.filter(|_| mounted.action.is_item) {
            path["parameters"] = json!([parameter::id(resource)]);
        }
        path[mounted.action.method.as_str().to_lowercase()] = operation(resources, mounted, secured);
    }
    paths.into_iter().collect()
}

/// The schemas of their bodies by name.
pub(super) fn schemas(actions: &[MountedAction]) -> Vec<(String, Value)> {
    let documented = actions.iter().filter(|mounted| mounted.action.is_documented);
    let bodies = documented.filter_map(|mounted| mounted.action.handler.0.describe().body);
    bodies.map(|descriptor| (schema_name(descriptor), schema::body(descriptor))).collect()
}

fn schema_name(descriptor: &Descriptor) -> String {
    format!("{}Body", descriptor.name)
}

fn operation(resources: &[DocumentedResource<'_>], mounted: &MountedAction, secured: bool) -> Value {
    let action = &*mounted.action;
    let described = action.handler.0.describe();
    let of = |name: &str, module: &str| {
        resources.iter().find(|resource| {
            let descriptor = resource.options.descriptor;
            descriptor.name == name && descriptor.module == module
        })
    };
    let record = |name: &str, module: &str| match of(name, module) {
        Some(resource) => reference("schemas", &resource.names.record()),
        None => json!({ "type": "object" }),
    };
    let own = match described.reply {
        DescribedReply::Nothing => vec![(StatusCode::NO_CONTENT, response::empty("It is done.", &[]))],
        DescribedReply::Json => vec![(StatusCode::OK, response::json_body("The result.", &json!({}), &[]))],
        DescribedReply::Record(name, module) => vec![
            (StatusCode::OK, response::json_body("The record.", &record(name, module), &["ETag"])),
            (StatusCode::NO_CONTENT, response::empty("It is done.", &["ETag", "Preference-Applied"])),
        ],
        DescribedReply::Created(name, module) => {
            let headers = &["Location", "ETag", "Preference-Applied"];
            vec![(StatusCode::CREATED, response::json_body("The created record.", &record(name, module), headers))]
        }
    };
    let mut problems = vec![Code::ValidationFailed];
    let mut parameters = Vec::new();
    if action.is_item || described.has_record {
        problems.push(Code::NotFound);
    }
    if action.method != Method::GET {
        problems.push(Code::Conflict);
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
        "tags": mounted.resource.and_then(|resource| of(resource.name, resource.module)).map_or_else(
            || vec![super::service::TAG.to_owned()],
            |resource| resource.options.tags.clone(),
        ),
        "summary": if action.summary.is_empty() { words(&action.path) } else { action.summary.clone() },
        "operationId": operation_id(mounted),
        "parameters": parameters,
        "responses": response::with_database_problems(own, &problems),
    });
    describe(&mut value, &action.description);
    if let Some(descriptor) = described.body {
        value["requestBody"] = body("The body.", &["application/json"], &schema_name(descriptor));
    }
    if secured {
        access::secure_by(&mut value, action.access);
    }
    value
}

/// The last segment as a phrase, such as `Take part`.
fn words(path: &str) -> String {
    let segment = path.rsplit('/').next().unwrap_or_default().replace(['-', '_', '.'], " ");
    let mut letters = segment.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The method and the path in camel case, such as `postPartsIdTake`.
fn operation_id(mounted: &MountedAction) -> String {
    let mut id = mounted.action.method.as_str().to_lowercase();
    for word in mounted.path.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        let mut letters = word.chars();
        id.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        id.push_str(letters.as_str());
    }
    id
}
