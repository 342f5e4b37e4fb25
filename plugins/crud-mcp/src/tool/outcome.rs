//! Results of tools.

use std::fmt::Write;

use crud_runtime::axum::body::to_bytes;
use crud_runtime::axum::response::IntoResponse;
use crud_runtime::error::Code;
use crud_runtime::prelude::*;
use serde_json::{Value as Json, json};

/// The result of a successful call. Records are structured content too, so that a client can tell them from the
/// service's own texts.
pub(super) fn done(content: &Json) -> Json {
    json!({
        "content": [{ "type": "text", "text": content.to_string() }],
        "structuredContent": content,
        "isError": false,
    })
}

/// The result of a problem: a text for the model, and the problem document that a route would return.
pub(super) async fn refused(problem: Problem) -> Json {
    let text = words(&problem);
    let response = problem.into_response();
    let wait = response.headers().get("retry-after").and_then(|wait| wait.to_str().ok()).map(str::to_owned);
    let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap_or_default();
    let document: Json = serde_json::from_slice(&bytes).unwrap_or_default();
    let text = wait.map_or_else(|| text.clone(), |wait| format!("{text}\nRetry in {wait} seconds."));
    json!({ "content": [{ "type": "text", "text": text }], "structuredContent": document, "isError": true })
}

/// The text of a problem: which input is wrong, and which tool to call next.
fn words(problem: &Problem) -> String {
    let mut words = problem.detail().to_owned();
    // A single error is in the detail already.
    let several = problem.errors().iter().filter(|_| problem.errors().len() > 1);
    for error in several {
        // Writing to a string cannot fail.
        let _ = match error.location() {
            Some(location) => write!(words, "\n- {location}: {}", error.detail()),
            None => write!(words, "\n- {}", error.detail()),
        };
    }
    if let Some(hint) = hint(problem.code()) {
        let _ = write!(words, "\n{hint}");
    }
    words
}

/// The next step after a problem; `None` if the detail says it.
fn hint(code: Code) -> Option<&'static str> {
    match code {
        Code::ValidationFailed => Some("`describe` says which fields, filters and values the resource has."),
        Code::PermissionDenied => Some("Your user may not do this. Another call will not change that: tell the user."),
        Code::MethodNotAllowed => Some("`describe` says which operations and actions the resource has."),
        Code::PreconditionFailed => Some("The record has changed since it was read: `get` it again, then decide anew."),
        Code::IllegalTransition => {
            Some("`get` the record for its state, and `describe` for the actions that leave it.")
        }
        _ => None,
    }
}
