//! [`Deferred`]: an answer that is written once the caller's visibility is known.

use std::sync::{Arc, Mutex, PoisonError};

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::http::routing::route_context::RouteContext;
use crate::model::problem::Problem;
use crate::response::PROBLEM_JSON;

/// The body of the response outside of a route of the service.
const OUTSIDE: &str = r#"{"type":"about:blank","title":"Internal Server Error","status":500,"code":"internal","detail":"a record is written by routes of `Service::route` alone"}"#;

type Write = Box<dyn FnOnce(&RouteContext) -> Result<Response, Problem> + Send>;

/// The function that writes an answer, in the extensions of a placeholder response. The frame of the route runs the
/// function, so that axum's tuples, results and layers work with such answers.
#[derive(Clone)]
struct Deferred(Arc<Mutex<Option<Write>>>);

/// A placeholder for the response that a function writes.
pub(super) fn response(write: impl FnOnce(&RouteContext) -> Result<Response, Problem> + Send + 'static) -> Response {
    let content_type = [(header::CONTENT_TYPE, PROBLEM_JSON)];
    let mut response = (StatusCode::INTERNAL_SERVER_ERROR, content_type, OUTSIDE).into_response();
    response.extensions_mut().insert(Deferred(Arc::new(Mutex::new(Some(Box::new(write))))));
    response
}

/// Writes the answer in place of a placeholder, and adds the status and headers that the placeholder got.
pub(in crate::http::routing) fn write(mut response: Response, context: &RouteContext) -> Result<Response, Problem> {
    let Some(Deferred(write)) = response.extensions_mut().remove::<Deferred>() else { return Ok(response) };
    let Some(write) = write.lock().unwrap_or_else(PoisonError::into_inner).take() else { return Ok(response) };
    let mut written = write(context)?;
    if response.status() != StatusCode::INTERNAL_SERVER_ERROR {
        *written.status_mut() = response.status();
    }
    let (parts, _) = response.into_parts();
    for (name, value) in &parts.headers {
        if *name != header::CONTENT_TYPE && *name != header::CONTENT_LENGTH {
            written.headers_mut().insert(name, value.clone());
        }
    }
    written.extensions_mut().extend(parts.extensions);
    Ok(written)
}
