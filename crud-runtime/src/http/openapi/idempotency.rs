//! Idempotency keys: their header, the answers to them, the header of a replayed answer.

use super::DocumentedResource;
use super::json_schema::Schema;
use super::words::{OwnParameter, Parameter, Place, Words};
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
pub(crate) fn describe(resource: &DocumentedResource<'_>, operation: Operation, words: &mut Words) {
    let Some(options) = resource.options.descriptor.idempotency_of(operation) else { return };
    words.parameters.push(Parameter::Shared(parameter(options)));
    words.problems.extend([Code::IdempotencyKeyReused, Code::IdempotencyInFlight]);
    if options.required {
        words.problems.push(Code::IdempotencyKeyRequired);
    }
    // Only the operation's own answers are replayed.
    words.header(REPLAYED);
}

/// The keys' parameters, for the components.
pub(crate) fn parameters(resources: &[DocumentedResource<'_>]) -> Vec<(&'static str, OwnParameter)> {
    let is_offered = |resource: &DocumentedResource<'_>, operation| {
        resource.offers(operation).then(|| resource.options.descriptor.idempotency_of(operation)).flatten()
    };
    let offered = resources
        .iter()
        .flat_map(|resource| Operation::ALL.into_iter().filter_map(move |operation| is_offered(resource, operation)));
    offered.map(|options| (parameter(options), key(options))).collect()
}

/// The header of a replayed answer, for the components.
pub(crate) fn header() -> (&'static str, &'static str, Schema) {
    let description = "`true` where an earlier request with the key was carried out, and this is its answer.";
    (REPLAYED, description, Schema::choice(["true"]))
}

fn key(options: Idempotency) -> OwnParameter {
    let description = "The request's own key, such as a UUID: a request that is repeated with it is carried out once, and \
                       gets the first one's answer.";
    let schema = Schema::text().with("minLength", 1).with("maxLength", 257);
    OwnParameter { is_required: options.required, ..OwnParameter::new(Place::Header, KEY, description, schema) }
}
