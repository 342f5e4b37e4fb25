//! [`Rejected`]: the refusal of a request by an extractor.

use axum::response::{IntoResponse, Response};

use crate::http::layer::plain_errors::as_problem;
use crate::http::routing::answer::failed;
use crate::http::routing::route_context::RouteContext;

/// The response of an extractor that refused the request.
#[derive(Debug)]
pub struct Rejected(Response);

impl Rejected {
    pub(super) fn new(rejection: impl IntoResponse) -> Self {
        Self(rejection.into_response())
    }

    /// The response. A text, such as that of axum's extractors, becomes a problem; other responses are the program's
    /// own.
    pub(in crate::http::routing) async fn answer(self, context: &RouteContext) -> Response {
        // The body's own problem is more precise than the extractor's.
        let response = match context.take_body_problem() {
            Some(problem) => problem.into_response(),
            None => as_problem(self.0).await,
        };
        failed::mark(response)
    }
}
