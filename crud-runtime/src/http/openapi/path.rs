//! The paths of a resource, with their operations.

use axum::http::StatusCode;

use super::{access, own_route};
use crate::http::description::documented_resource::DocumentedResource;
use crate::http::description::operation_doc::{Answer, OperationDoc, Path};
use crate::http::description::value_schema;
use crate::http::operation::route::{Extent, OperationRoute};
use crate::http::operation::{links, table};
use crate::http::param::header::{idempotency_key, session_token};
use crate::http::routing::mounted::MountedRoute;
use crate::model::descriptor::Operation;
use crate::model::problem::Code;

/// The paths and operations that a resource offers: the same as the router's.
pub(crate) fn resource_paths(
    resource: &DocumentedResource<'_>,
    resources: &[DocumentedResource<'_>],
    own_routes: &[MountedRoute],
) -> Vec<Path> {
    let descriptor = resource.options.descriptor;
    let paths = table::paths_of(descriptor).into_iter().filter(|(_, routes)| !routes.is_empty());
    let path = |(path, routes): (&str, Vec<OperationRoute>)| {
        let is_of_record = routes.iter().any(OperationRoute::is_of_record);
        let operations = routes.iter().map(|route| {
            let mut words = words(resource, resources, route);
            if route.is_replaced {
                own_route::replace(&mut words, resource, resources, own_routes, route.operation);
            }
            (route.method.clone(), words)
        });
        Path {
            template: format!("{}{path}", resource.options.prefix),
            parameters: {
                let id = is_of_record.then(|| value_schema::id_parameter(descriptor));
                id.into_iter().chain(links::linked_parameter(path, &routes, descriptor)).collect()
            },
            operations: operations.collect(),
            resource: Some(descriptor),
        }
    };
    paths.map(path).collect()
}

fn words(
    resource: &DocumentedResource<'_>,
    resources: &[DocumentedResource<'_>],
    route: &OperationRoute,
) -> OperationDoc {
    let operation = route.operation;
    let words = match route.links {
        Some(many) => links::document(resource, resources, route, many),
        None => (route.document)(resource, route),
    };
    let descriptor = resource.options.descriptor;
    // Hooks usually refuse a change with a conflict.
    let has_hooks = descriptor.hooks.is_some() && route.links.is_none();
    let expands = matches!(operation, Operation::List | Operation::Get | Operation::Create | Operation::Update);
    let mut words = words
        .of_database()
        .problem_if(has_hooks && !operation.is_read(), Code::Conflict)
        .problem_if(expands && !resource.relations, Code::UnsupportedHere);
    words.tags.clone_from(&resource.options.tags);
    words.id = resource.names.operation_id(&route.id);
    access::restrict(resource, route, &mut words);
    if let Some(options) = descriptor.idempotency_of(operation) {
        words.parameters.push(idempotency_key::document(options));
        words.problems.extend([Code::IdempotencyKeyReused, Code::IdempotencyInFlight]);
        words.problems.extend(options.required.then_some(Code::IdempotencyKeyRequired));
        // A replay of a large answer reads the record again, which may be gone.
        if route.extent == Extent::One && words.answers.iter().all(|(status, _)| *status != StatusCode::NO_CONTENT) {
            let gone =
                Answer::empty("A replay: the record was removed since.").headers(&["Location", "Preference-Applied"]);
            words = words.answer(StatusCode::NO_CONTENT, gone);
        }
        // Only the operation's own answers are replayed.
        words.header("Idempotency-Replayed");
    }
    words.limit_requests(resource.options.rate_limit.is_some());
    words.deprecate(descriptor.deprecation);
    match (resource.service.has_replicas, operation.is_read()) {
        (true, true) => words.parameters.push(session_token::document()),
        (true, false) => words.header("X-Session-Token"),
        (false, _) => {}
    }
    words
}
