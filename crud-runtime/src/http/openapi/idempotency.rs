//! Idempotency keys: their header, the answers to them, the header of a replayed answer.

use serde_json::{Value, json};

use super::{DocumentedResource, reference, response};
use crate::model::descriptor::{Idempotency, Operation};
use crate::model::problem::Code;

/// The name of the request's header.
const KEY: &str = "Idempotency-Key";

/// The name of the answer's header.
const REPLAYED: &str = "Idempotency-Replayed";

/// The component key of the parameter.
const fn parameter(options: Idempotency) -> &'static str {
    if options.required { "RequiredIdempotencyKey" } else { "IdempotencyKey" }
}

/// Adds the key to an operation that takes one.
pub(crate) fn describe(resource: &DocumentedResource<'_>, operation: Operation, value: &mut Value) {
    let Some(options) = resource.options.descriptor.idempotency_of(operation) else { return };
    let mut parameters = value["parameters"].as_array().cloned().unwrap_or_default();
    parameters.push(reference("parameters", parameter(options)));
    value["parameters"] = parameters.into();
    let mut problems = vec![Code::IdempotencyKeyReused, Code::IdempotencyInFlight];
    if options.required {
        problems.push(Code::IdempotencyKeyRequired);
    }
    let Some(responses) = value["responses"].as_object_mut() else { return };
    response::add_problems(responses, &problems);
    // Only the operation's own answers are replayed, and problems are references.
    for headers in responses.values_mut().filter_map(|response| response.get_mut("headers")?.as_object_mut()) {
        headers.insert(REPLAYED.to_owned(), reference("headers", REPLAYED));
    }
}

/// Adds the parameters and the header to the components, where a resource has them.
pub(crate) fn add_components(resources: &[DocumentedResource<'_>], components: &mut Value) {
    let is_offered = |resource: &DocumentedResource<'_>, operation| {
        resource.offers(operation).then(|| resource.options.descriptor.idempotency_of(operation)).flatten()
    };
    let offered = resources
        .iter()
        .flat_map(|resource| Operation::ALL.into_iter().filter_map(move |operation| is_offered(resource, operation)));
    for options in offered {
        components["parameters"][parameter(options)] = key(options);
        components["headers"][REPLAYED] = json!({
            "description": "`true` where an earlier request with the key was carried out, and this is its answer.",
            "schema": { "type": "string", "enum": ["true"] },
        });
    }
}

fn key(options: Idempotency) -> Value {
    let mut parameter = json!({
        "name": KEY,
        "in": "header",
        "description": "The request's own key, such as a UUID: a request that is repeated with it is carried out once, and \
                        gets the first one's answer.",
        "schema": { "type": "string", "minLength": 1, "maxLength": 257 },
    });
    if options.required {
        parameter["required"] = true.into();
    }
    parameter
}
