//! Parameters that operations share, and those in paths.

use super::json_schema::Schema;
use super::schema;
use super::schema::is_client_key;
use super::words::{OwnParameter, Place};
use crate::model::descriptor::{ColumnDescriptor, Descriptor};

/// The record's key, in the path.
pub(crate) fn id(descriptor: &Descriptor) -> OwnParameter {
    let column = descriptor.id_column();
    let mut schema = schema::value_schema(column);
    if is_client_key(column) {
        schema.set("minLength", 1);
    }
    OwnParameter::new(Place::Path, "id", format!("The `{}` of the record.", column.json), schema)
}

/// A parameter in the path of a route of the program.
pub(crate) fn path(name: &str) -> OwnParameter {
    OwnParameter::new(Place::Path, name, "", Schema::text().with("minLength", 1))
}

/// A parameter of a route of the program.
pub(crate) fn of_query(column: &ColumnDescriptor) -> OwnParameter {
    let parameter = OwnParameter::query(column.json, column.doc.trim(), schema::parameter(column));
    OwnParameter { is_required: column.is_required(), ..parameter }
}

/// The request headers that operations share, as components.
///
/// Without examples, which Swagger UI would send with every request.
pub(crate) fn components() -> Vec<(&'static str, OwnParameter)> {
    let headers = [
        (
            "IfNoneMatch",
            "If-None-Match",
            "Entity tags of versions that the client has: the response to one of them is 304.",
        ),
        (
            "IfMatch",
            "If-Match",
            "Entity tags of versions, one of which the record must have: otherwise the response is 412.",
        ),
        (
            "PreferList",
            "Prefer",
            "`count=capped` counts up to a limit and `count=none` not at all, never more precisely than the resource does; \
             `handling=lenient` ignores unknown parameters (RFC 7240).",
        ),
        ("PreferChange", "Prefer", "`return=minimal` asks for a response without a body (RFC 7240)."),
    ];
    let header = |(key, name, description)| (key, OwnParameter::new(Place::Header, name, description, Schema::text()));
    headers.into_iter().map(header).collect()
}
