//! The audit log: its schemas and paths.

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::example::{self, MOMENT};
use super::{DocumentedResource, Security, access, reference, response, schema, session_token};
use crate::http::param;
use crate::http::param::log::{DEFAULT_LIMIT, ENTITY_PARAMETERS, PARAMETERS};
use crate::model::problem::Code;
use crate::store::audit_record::Action;

/// The tag of the log of all resources.
pub(crate) const TAG: &str = "Audit";

/// The schemas' names.
pub(crate) const SCHEMAS: [&str; 2] = ["AuditLog", "AuditLogList"];

/// Whether a resource is audited.
pub(crate) fn is_audited(resources: &[DocumentedResource<'_>]) -> bool {
    resources.iter().any(|resource| resource.options.descriptor.audit.is_some())
}

/// The tag and its description.
pub(crate) fn tag() -> Value {
    json!({ "name": TAG, "description": "The audit log." })
}

/// The schemas by name, where a resource is audited.
pub(crate) fn schemas(resources: &[DocumentedResource<'_>]) -> Vec<(String, Value)> {
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
pub(crate) fn path(resources: &[DocumentedResource<'_>], security: Option<&Security>) -> Option<(String, Value)> {
    is_audited(resources).then(|| {
        let mut get = json!({
            "tags": [TAG],
            "summary": "List the audit log",
            "description": "The changes of all audited records, the oldest first.",
            "operationId": "listAuditLogs",
            "parameters": param::document(&[ENTITY_PARAMETERS, PARAMETERS]),
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
