//! The session token, where a service has read replicas.

use serde_json::{Value, json};

use super::{DocumentedResource, reference};
use crate::model::descriptor::Operation;

/// The name of the header.
const HEADER: &str = "X-Session-Token";

/// The component key of the parameter.
const PARAMETER: &str = "SessionToken";

/// Adds the session token to an operation: a parameter of reads, a header of changes.
pub(crate) fn describe(resource: &DocumentedResource<'_>, operation: Operation, value: &mut Value) {
    if resource.has_replicas && operation.is_read() {
        add_parameter(value);
    } else if resource.has_replicas {
        add_header(value);
    }
}

/// Adds the session token as a parameter.
pub(crate) fn add_parameter(value: &mut Value) {
    if let Some(parameters) = value["parameters"].as_array_mut() {
        parameters.push(reference("parameters", PARAMETER));
    }
}

/// Adds the session token as a response header.
fn add_header(value: &mut Value) {
    let responses = value["responses"].as_object_mut().into_iter().flat_map(|responses| responses.values_mut());
    for headers in responses.filter_map(|response| response.get_mut("headers")?.as_object_mut()) {
        headers.insert(HEADER.to_owned(), reference("headers", HEADER));
    }
}

/// Adds the parameter and the header to the components.
pub(crate) fn add_components(components: &mut Value) {
    let schema = json!({ "type": "string" });
    components["parameters"][PARAMETER] = json!({
        "name": HEADER,
        "in": "header",
        "description": "The session token of the last change, or of several separated by commas: the response shows these changes.",
        "schema": schema,
    });
    components["headers"][HEADER] = json!({
        "description": "The session token of this change: the response to a request that sends it shows the change.",
        "schema": schema,
    });
}
