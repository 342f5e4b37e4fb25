//! What carries a client's writes to its reads, where a service has replicas.

use serde_json::{Value, json};

use super::{Mounted, reference};
use crate::model::descriptor::Operation;

/// The name of the header, as it is written.
const HEADER: &str = "X-Session-Token";

/// The key of the parameter.
const PARAMETER: &str = "SessionToken";

/// Says of an operation that its answer has a session token, or that it takes one.
pub(super) fn carry(resource: &Mounted<'_>, operation: Operation, value: &mut Value) {
    if resource.replicated && operation.is_read() {
        take(value);
    } else if resource.replicated {
        tell(value);
    }
}

/// Says of an operation that it takes a session token.
pub(super) fn take(value: &mut Value) {
    if let Some(parameters) = value["parameters"].as_array_mut() {
        parameters.push(reference("parameters", PARAMETER));
    }
}

/// Says of an operation that its answers have a session token.
fn tell(value: &mut Value) {
    let answers = value["responses"].as_object_mut().into_iter().flat_map(|answers| answers.values_mut());
    for headers in answers.filter_map(|answer| answer.get_mut("headers")?.as_object_mut()) {
        headers.insert(HEADER.to_owned(), reference("headers", HEADER));
    }
}

/// Adds the parameter and the header to the components.
pub(super) fn add(components: &mut Value) {
    let schema = json!({ "type": "string" });
    components["parameters"][PARAMETER] = json!({
        "name": HEADER,
        "in": "header",
        "description": "The token of the last change, or of several, with commas between: the answer shows them.",
        "schema": schema,
    });
    components["headers"][HEADER] = json!({
        "description": "What a later request sends so that its answer shows this change.",
        "schema": schema,
    });
}
