//! The paths of a resource, with their operations.

use serde_json::{Map, Value, json};

use super::documented_resource::DocumentedResource;
use super::{access, action, idempotency, parameter, response, session_token};
use crate::http::action::MountedAction;
use crate::http::operation;
use crate::http::operation::route::Route;
use crate::model::descriptor::Operation;
use crate::model::problem::Code;

/// The paths and operations that a resource offers: the same as the router's.
pub(crate) fn resource_paths(
    resource: &DocumentedResource<'_>,
    resources: &[DocumentedResource<'_>],
    actions: &[MountedAction],
) -> Vec<(String, Value)> {
    let paths = operation::paths_of(resource.options.descriptor).into_iter().filter(|(_, routes)| !routes.is_empty());
    let path = |(path, routes): (&str, Vec<Route>)| {
        let written = routes.iter().map(|route| {
            let mut value = operation_object(resource, route);
            if route.is_replaced {
                action::replace(&mut value, resource, resources, actions, route.operation);
            }
            (route.method.as_str().to_lowercase(), value)
        });
        let mut operations: Map<String, Value> = written.collect();
        if routes.iter().any(Route::is_of_record) {
            operations.shift_insert(0, "parameters".to_owned(), json!([parameter::id(resource.options.descriptor)]));
        }
        (format!("{}{path}", resource.options.prefix), operations.into())
    };
    paths.map(path).collect()
}

fn operation_object(resource: &DocumentedResource<'_>, route: &Route) -> Value {
    let operation = route.operation;
    let mut value = (route.document)(resource, route);
    match route.transition.and_then(|(_, transition)| transition.access) {
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
