//! [`Failed`]: the mark of a response that rolls the request's transaction back.

use axum::response::Response;

/// A mark in the extensions of a response: the handler failed, whatever the status. The mark passes through the layers
/// of the route.
#[derive(Debug, Clone, Copy)]
struct Failed;

/// Marks a response.
pub(in crate::http::routing) fn mark(mut response: Response) -> Response {
    response.extensions_mut().insert(Failed);
    response
}

/// Whether a response is marked.
pub(in crate::http::routing) fn is_marked(response: &Response) -> bool {
    response.extensions().get::<Failed>().is_some()
}
