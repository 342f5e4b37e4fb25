//! The audit log: its schemas and paths.

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::parameter::query_parameter;
use super::{DocumentedResource, Security, access, reference, response, schema, session_token, wording};
use crate::audit::{DEFAULT_LIMIT, ENTITY_PARAMETERS, MAX_LIMIT, PARAMETERS};
use crate::model::descriptor::Operation;
use crate::model::problem::Code;
use crate::store::audit_record::Action;

/// The tag of the log of all resources.
pub(super) const TAG: &str = "Audit";

/// The schemas' names.
pub(super) const SCHEMAS: [&str; 2] = ["AuditLog", "AuditLogList"];

/// Whether a resource is audited.
pub(super) fn is_audited(resources: &[DocumentedResource<'_>]) -> bool {
    resources.iter().any(|resource| resource.options.descriptor.audit.is_some())
}

/// The tag and its description.
pub(super) fn tag() -> Value {
    json!({ "name": TAG, "description": "The audit log." })
}

/// The schemas by name, where a resource is audited.
pub(super) fn schemas(resources: &[DocumentedResource<'_>]) -> Vec<(String, Value)> {
    if !is_audited(resources) {
        return Vec::new();
    }
    vec![(SCHEMAS[0].to_owned(), entry_schema()), (SCHEMAS[1].to_owned(), schema::page(SCHEMAS[0], false))]
}

fn entry_schema() -> Value {
    json!({
        "description": "A change of a record.",
        "type": "object",
        "required": ["id", "entity_type", "entity_id", "action"],
        "properties": {
            "id": { "description": "The key of the entry.", "type": "integer", "format": "int64" },
            "entity_type": { "description": "The type of the record, such as `Product`.", "type": "string" },
            "entity_id": { "description": "The key of the record.", "type": ["integer", "string"] },
            "action": {
                "description": "The action. A program can write entries with other actions.",
                "type": "string",
                "examples": Action::ALL.map(Action::as_str),
            },
            "user_id": {
                "description": "The actor's id, where it is an integer.",
                "type": ["integer", "null"],
                "format": "int64",
            },
            "actor": { "description": "The actor.", "type": ["string", "null"] },
            "changes": {
                "description": "All fields of a created record, the new values of an updated one's changed fields.",
                "type": "object",
            },
            "previous": {
                "description": "The old values of an updated record's changed fields, the whole of a deleted one.",
                "type": "object",
            },
            "timestamp": { "description": "The time of the change.", "type": "string", "format": "date-time" },
            "tenant": { "description": "The tenant of the record, where records have tenants.", "type": "string" },
        },
    })
}

/// The path of the log of all resources, where one is audited.
pub(super) fn path(resources: &[DocumentedResource<'_>], security: Option<&Security>) -> Option<(String, Value)> {
    is_audited(resources).then(|| {
        let names = ENTITY_PARAMETERS.into_iter().chain(PARAMETERS);
        let mut get = json!({
            "tags": [TAG],
            "summary": "List the audit log",
            "operationId": "listAuditLogs",
            "parameters": names.map(parameter).collect::<Vec<_>>(),
            "responses": response::with_database_problems(
                [(StatusCode::OK, response::json_body("The entries, the oldest first.", &reference("schemas", SCHEMAS[1]), &[]))],
                &[Code::ValidationFailed],
            ),
        });
        if let Some(security) = security {
            access::secure(&mut get, &[format!("the role `{}`", security.audit_role)]);
        }
        if resources.iter().any(|resource| resource.has_replicas) {
            session_token::add_parameter(&mut get);
        }
        ("/audit-logs".to_owned(), json!({ "get": get }))
    })
}

/// The operation that reads the log of one record.
pub(super) fn history(resource: &DocumentedResource<'_>) -> Value {
    let DocumentedResource { options, names, .. } = resource;
    json!({
        "tags": options.tags,
        "summary": format!("List the changes of {}", wording::with_article(options.descriptor.name)),
        "operationId": names.operation_id(Operation::History),
        "parameters": PARAMETERS.map(parameter),
        "responses": response::with_database_problems(
            [(StatusCode::OK, response::json_body("The entries, the oldest first.", &reference("schemas", SCHEMAS[1]), &[]))],
            &[Code::ValidationFailed, Code::NotFound],
        ),
    })
}

fn parameter(name: &'static str) -> Value {
    let moment = json!({
        "type": "string",
        "anyOf": [{ "format": "date" }, { "format": "date-time" }],
    });
    let text = json!({ "type": "string", "pattern": schema::PLAIN_TEXT });
    let (description, schema) = match name {
        "entity_type" => ("The type of the record, such as `Product`.", text),
        "entity_id" => ("The key of the record.", text),
        "action" => ("The action, such as `update`.", text),
        "user_id" => ("The actor's id.", json!({ "type": "integer", "format": "int64" })),
        "start_date" => ("Changes since this time, or from this day.", moment),
        "end_date" => ("Changes until this time, or until the end of this day.", moment),
        "skip" => (
            "The number of entries to skip.",
            json!({ "type": "integer", "format": "int64", "minimum": 0, "maximum": i64::MAX, "default": 0 }),
        ),
        _ => (
            "The maximum number of entries to return.",
            json!({ "type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT }),
        ),
    };
    query_parameter(name, description, &schema)
}
