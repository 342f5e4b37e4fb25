//! Problem documents in place of the errors that axum and handlers of merged routes write as text.

use axum::body::{HttpBody, to_bytes};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::model::problem::{Code, FieldError, Problem};

/// The longest text that becomes the detail of a problem, in bytes; a longer text stays the program's own response.
const MAX_TEXT: usize = 4 * 1024;

/// The response, or a problem document where it has an error's status and a body of text or none. Its other headers
/// stay.
///
/// axum answers with text where an extractor refuses the request (400, 413, 415, 422), and where a path has other
/// methods (405).
pub(crate) async fn as_problem(response: Response) -> Response {
    let Some(code) = code(response.status()).filter(|_| is_text(&response)) else { return response };
    let (parts, body) = response.into_parts();
    let text = to_bytes(body, MAX_TEXT).await.unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let problem = match (code, text.trim()) {
        // The text is logged, and not returned.
        (Code::Internal, "") => Problem::internal("a merged route answered 500"),
        (Code::Internal, text) => Problem::internal(text.to_owned()),
        (Code::ValidationFailed, text) => Problem::validation([rejection(text)]),
        (code, "") => Problem::new(code, default_detail(code)),
        (code, text) => Problem::new(code, text),
    };
    let mut response = problem.into_response();
    for name in parts.headers.keys().filter(|name| ![header::CONTENT_TYPE, header::CONTENT_LENGTH].contains(name)) {
        response.headers_mut().remove(name);
        for value in parts.headers.get_all(name) {
            response.headers_mut().append(name, value.clone());
        }
    }
    response
}

/// The error that a text of status 422 reports; an error of axum's `Json` has its place in the body.
fn rejection(text: &str) -> FieldError {
    let rejected = text.strip_prefix("Failed to deserialize the JSON body into the target type: ");
    let Some(rejected) = rejected else {
        let text = if text.is_empty() { "was refused" } else { text };
        return FieldError::pointer("", "invalid", text);
    };
    let (error, _) = rejected.rsplit_once(" at line ").unwrap_or((rejected, ""));
    // `items[0].name: invalid type: …`, where the error is not of the whole body.
    match error.split_once(": ").filter(|(path, _)| !path.contains(' ')) {
        Some((path, error)) => {
            let path = path.replace(']', "").replace(['[', '.'], "/");
            FieldError::pointer(format!("/{}", path.trim_start_matches('/')), "type", error)
        }
        None => FieldError::pointer("", "type", error),
    }
}

/// The code of an error's status, if a problem has that status.
fn code(status: StatusCode) -> Option<Code> {
    Some(match status {
        StatusCode::BAD_REQUEST => Code::MalformedRequest,
        StatusCode::UNAUTHORIZED => Code::AuthenticationFailed,
        StatusCode::FORBIDDEN => Code::PermissionDenied,
        StatusCode::NOT_FOUND => Code::NotFound,
        StatusCode::METHOD_NOT_ALLOWED => Code::MethodNotAllowed,
        StatusCode::REQUEST_TIMEOUT => Code::RequestTimeout,
        StatusCode::CONFLICT => Code::Conflict,
        StatusCode::PRECONDITION_FAILED => Code::PreconditionFailed,
        StatusCode::PAYLOAD_TOO_LARGE => Code::BodyTooLarge,
        StatusCode::UNSUPPORTED_MEDIA_TYPE => Code::UnsupportedMediaType,
        StatusCode::UNPROCESSABLE_ENTITY => Code::ValidationFailed,
        StatusCode::TOO_MANY_REQUESTS => Code::TooManyRequests,
        StatusCode::INTERNAL_SERVER_ERROR => Code::Internal,
        StatusCode::SERVICE_UNAVAILABLE => Code::Unavailable,
        StatusCode::GATEWAY_TIMEOUT => Code::Timeout,
        _ => return None,
    })
}

/// Detail of a problem for a response without text.
const fn default_detail(code: Code) -> &'static str {
    match code {
        Code::MethodNotAllowed => "the method is not allowed on this route",
        Code::NotFound => "not found",
        Code::AuthenticationFailed | Code::PermissionDenied => code.detail(),
        Code::BodyTooLarge => "the body is too large",
        Code::Unavailable => "unavailable; try again later",
        _ => "the request was refused",
    }
}

/// Whether the body is plain text of a bounded length, or empty.
fn is_text(response: &Response) -> bool {
    let content_type = response.headers().get(header::CONTENT_TYPE).map(|value| value.to_str().unwrap_or_default());
    let is_plain = |media_type: &str| media_type.split(';').next().is_some_and(|it| it.trim() == "text/plain");
    let length = HttpBody::size_hint(response.body()).upper();
    match content_type {
        Some(content_type) => is_plain(content_type) && length.is_some_and(|length| length <= MAX_TEXT as u64),
        None => length == Some(0),
    }
}
