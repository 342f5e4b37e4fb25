//! Responses of JSON-RPC.

use crud_runtime::axum::Json as JsonBody;
use crud_runtime::axum::http::StatusCode;
use crud_runtime::axum::response::{IntoResponse, Response};
use serde_json::{Value as Json, json};

use crate::fault::Fault;
use crate::revision::Revision;

/// The response with a result.
pub(crate) fn result(id: &Json, result: &Json) -> Response {
    JsonBody(json!({ "jsonrpc": "2.0", "id": id, "result": result })).into_response()
}

/// The response with an error. In earlier revisions, the status is 200 once the request was parsed.
pub(crate) fn fault(id: &Json, fault: Fault, revision: Option<Revision>) -> Response {
    let Fault { code, status, message, data } = fault;
    let mut error = json!({ "code": code, "message": message });
    if let Some(data) = data {
        error["data"] = data;
    }
    let status = if revision == Some(Revision::Earlier) { StatusCode::OK } else { status };
    (status, JsonBody(json!({ "jsonrpc": "2.0", "id": id, "error": error }))).into_response()
}

/// The response to a notification.
pub(crate) fn accepted() -> Response {
    StatusCode::ACCEPTED.into_response()
}
