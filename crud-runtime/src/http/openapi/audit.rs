//! The audit log: its schemas and paths.

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::example::{self, MOMENT};
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
    let (mut entry, mut page) = (entry_schema(), schema::page(SCHEMAS[0], false));
    let example = resources.iter().find_map(entry_example);
    let listed = example.as_ref().map(|entry| {
        json!({
            "data": [entry], "total": 1, "total_relation": "eq", "page": 1, "pages": 1, "limit": DEFAULT_LIMIT, "skip": 0,
        })
    });
    example::add(&mut entry, example);
    example::add(&mut page, listed);
    vec![(SCHEMAS[0].to_owned(), entry), (SCHEMAS[1].to_owned(), page)]
}

/// The entry of a create, where the log keeps what was created and when.
fn entry_example(resource: &DocumentedResource<'_>) -> Option<Value> {
    let descriptor = resource.options.descriptor;
    descriptor.audit.filter(|audit| audit.track_changes && audit.track_timestamp && audit.track_user)?;
    let actor = if resource.secured { json!("1") } else { Value::Null };
    let user = if resource.secured { json!(1) } else { Value::Null };
    Some(json!({
        "id": 1,
        "entity_type": descriptor.name,
        "entity_id": resource.examples.id()?,
        "action": Action::Create.as_str(),
        "user_id": user,
        "actor": actor,
        "changes": resource.examples.record()?,
        "timestamp": MOMENT,
    }))
}

fn entry_schema() -> Value {
    json!({
        "description": "A change of a record.",
        "type": "object",
        "required": ["id", "entity_type", "entity_id", "action"],
        "properties": {
            "id": { "description": "The key of the entry.", "type": "integer", "format": "int64" },
            "entity_type": { "description": "The type of the record, such as `Product`.", "type": "string" },
            "entity_id": {
                "description": "The key of the record.",
                "oneOf": [{ "type": "integer", "format": "int64" }, { "type": "string" }],
            },
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
            "description": "The changes of all audited records, the oldest first.",
            "operationId": "listAuditLogs",
            "parameters": names.map(parameter).collect::<Vec<_>>(),
            "responses": response::with_database_problems(
                [(StatusCode::OK, response::json_body("The entries, the oldest first.", &reference("schemas", SCHEMAS[1]), &[]))],
                &[Code::ValidationFailed],
            ),
        });
        if let Some(security) = security {
            access::secure_log(&mut get, &security.audit_role, resources);
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
        "description": "The changes of the record from the audit log, the oldest first.",
        "operationId": names.operation_id(Operation::History),
        "parameters": PARAMETERS.map(parameter),
        "responses": response::with_database_problems(
            [(StatusCode::OK, response::json_body("The entries, the oldest first.", &reference("schemas", SCHEMAS[1]), &[]))],
            &[Code::ValidationFailed, Code::NotFound],
        ),
    })
}

fn parameter(name: &'static str) -> Value {
    let moment = json!({ "type": "string", "examples": ["2026-01-31", "2026-01-31T12:00:00Z"] });
    let text = json!({ "type": "string", "pattern": schema::PLAIN_TEXT });
    let (description, schema) = match name {
        "entity_type" => ("The type of the record, such as `Product`.", text),
        "entity_id" => ("The key of the record.", text),
        "action" => ("The action, such as `update`.", text),
        "user_id" => ("The actor's id.", json!({ "type": "integer", "format": "int64" })),
        "start_date" => ("Changes since this time (RFC 3339), or from this day.", moment),
        "end_date" => ("Changes until this time (RFC 3339), or until the end of this day.", moment),
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
