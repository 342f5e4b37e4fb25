//! The jobs of the service.

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::{DocumentedResource, Security, access, response, service};
use crate::http::param;
use crate::http::param::jobs::PARAMETERS;
use crate::model::problem::Code;
use crate::store::jobs::queue::JobState;

/// The path of the list.
pub(crate) fn path(resources: &[DocumentedResource<'_>], security: Option<&Security>) -> (String, Value) {
    let time = json!({ "type": "string", "format": "date-time" });
    let (text, number) = (json!({ "type": "string" }), json!({ "type": "integer", "minimum": 0 }));
    let states = json!({ "type": "string", "enum": JobState::ALL.map(JobState::as_str) });
    let job = json!({
        "type": "object",
        "required": ["id", "kind", "state", "payload", "run_at", "unique_key", "attempts", "last_error", "created_at", "tenant"],
        "properties": {
            "id": { "type": "integer", "format": "int64" }, "kind": text, "state": states, "payload": {},
            "run_at": time, "unique_key": { "type": ["string", "null"] }, "attempts": number,
            "last_error": { "type": ["string", "null"] }, "created_at": time,
            "tenant": { "description": "The tenant of the principal that enqueued it.", "type": ["string", "null"] },
        },
    });
    let page = json!({
        "type": "object",
        "required": ["data", "total", "total_relation", "page", "pages", "limit", "skip"],
        "properties": {
            "data": { "type": "array", "items": job }, "total": number,
            "total_relation": { "type": "string", "const": "eq" }, "page": number, "pages": number,
            "limit": number, "skip": number,
        },
    });
    let mut get = json!({
        "tags": [service::TAG],
        "summary": "List the jobs that are not done",
        "description": "The jobs that wait, run or have failed, the next to run first.",
        "operationId": "listServiceJobs",
        "parameters": param::document(&[PARAMETERS]),
        "responses": response::with_database_problems(
            [(StatusCode::OK, response::json_body("The jobs, the next to run first.", &page, &[]))],
            &[Code::ValidationFailed],
        ),
    });
    if let Some(security) = security {
        access::secure_log(&mut get, &security.audit_role, resources);
    }
    ("/_service/jobs".to_owned(), json!({ "get": get }))
}
