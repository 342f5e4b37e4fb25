//! The session token, where a service has read replicas.

use super::DocumentedResource;
use super::json_schema::Schema;
use super::words::{OwnParameter, Parameter, Place, Words};
use crate::model::descriptor::Operation;

/// The name of the header.
const HEADER: &str = "X-Session-Token";

/// The component key of the parameter.
const PARAMETER: &str = "SessionToken";

/// Adds the session token to an operation: a parameter of reads, a header of changes.
pub(crate) fn describe(resource: &DocumentedResource<'_>, operation: Operation, words: &mut Words) {
    if resource.has_replicas && operation.is_read() {
        add_parameter(words);
    } else if resource.has_replicas {
        words.header(HEADER);
    }
}

/// Adds the session token as a parameter.
pub(crate) fn add_parameter(words: &mut Words) {
    words.parameters.push(Parameter::Shared(PARAMETER));
}

/// The parameter, for the components.
pub(crate) fn parameter() -> (&'static str, OwnParameter) {
    let description = "The session token of the last change, or of several separated by commas: the response shows these \
                       changes.";
    (PARAMETER, OwnParameter::new(Place::Header, HEADER, description, Schema::text()))
}

/// The response header, for the components.
pub(crate) fn header() -> (&'static str, &'static str, Schema) {
    let description = "The session token of this change: the response to a request that sends it shows the change.";
    (HEADER, description, Schema::text())
}
