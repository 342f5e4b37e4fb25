//! [`RequestPolicy`]: the steps around the handler of every operation.

use std::future::Future;
use std::pin::pin;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use tokio::time::error::Elapsed;
use tokio::time::{Instant, timeout_at};

use super::handler::response;
use super::server::memory_budget::{CHUNK, ClientBudget};
use super::state::ServiceState;
use crate::http::param::query_string;
use crate::model::problem::{Code, Problem};
use crate::storage::back_off;

/// Requirements of an operation for the steps around its handler. All operations have the steps in one order: method,
/// admission, bounds of the query string, the handler within the request timeout, memory and headers of the response.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact by itself")]
pub(crate) struct RequestPolicy {
    /// Whether the operation changes nothing.
    is_read: bool,
    /// Whether the request timeout applies to the operation as a whole.
    is_timed: bool,
    /// Whether the operation is a stream, which lasts as long as its client likes. It holds no request permit, and no
    /// memory before its chunks.
    is_stream: bool,
    /// Whether caches must not store its responses.
    no_store: bool,
}

impl RequestPolicy {
    /// The policy of a reading or a changing operation.
    pub(crate) const fn new(is_read: bool) -> Self {
        Self { is_read, is_timed: true, is_stream: false, no_store: false }
    }

    /// The policy of an operation of several parts: the request timeout applies to each part.
    pub(crate) const fn untimed(self) -> Self {
        Self { is_timed: false, ..self }
    }

    /// Sets whether the operation's request or response is a stream.
    pub(crate) const fn streaming(self, is_stream: bool) -> Self {
        Self { is_timed: self.is_timed && !is_stream, is_stream, ..self }
    }

    /// Sets whether caches must not store its responses (RFC 6749, section 5.1), which are then never compressed.
    pub(crate) const fn no_store(self, no_store: bool) -> Self {
        Self { no_store, ..self }
    }

    /// Answers a request by a handler, which gets the deadline.
    pub(crate) async fn answer<F>(
        self,
        state: &ServiceState,
        request: Request,
        handler: impl FnOnce(Request, Instant) -> F,
    ) -> Response
    where
        F: Future<Output = Result<Response, Problem>>,
    {
        let head = request.method() == Method::HEAD;
        let memory = state.memory_of(request.headers(), request.extensions());
        let respond = async {
            // A stream is refused where the service is full; once admitted, it holds no permit.
            let _permit = Some(state.admit()?).filter(|_| !self.is_stream);
            query_string::check_bounds(request.uri().query())?;
            let deadline = Instant::now() + state.limits().request;
            let answered = {
                // Pinned: otherwise the futures around would move it, kilobytes each time.
                let handled = pin!(handler(request, deadline));
                if self.is_timed {
                    timeout_at(deadline, back_off::until(deadline.into_std(), handled)).await
                } else {
                    Ok(handled.await)
                }
            };
            Ok(self.finish(state, &memory, head, answered).await)
        };
        let mut response = respond.await.unwrap_or_else(Problem::into_response);
        state.parts().principals.keep_private(&mut response);
        if self.no_store {
            response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        }
        if head { response::without_body(response) } else { response }
    }

    /// Completes an answer: counts the memory that it holds and, after a change, adds the session token.
    async fn finish(
        self,
        state: &ServiceState,
        memory: &ClientBudget,
        head: bool,
        answered: Result<Result<Response, Problem>, Elapsed>,
    ) -> Response {
        let mut response = match answered {
            Ok(Ok(response)) => response,
            Ok(Err(problem)) => {
                if let Some(schema) = state.schema().filter(|_| problem.is_of_schema()) {
                    schema.suspect();
                }
                problem.into_response()
            }
            Err(_) if self.is_read => Problem::of(Code::Timeout).into_response(),
            // The change may have been committed: a commit that waits for a standby, for example, is not undone.
            Err(_) => {
                let detail = "the request took too long; its change may have been applied, or may still be";
                Problem::new(Code::Timeout, detail).into_response()
            }
        };
        if !head {
            let unsized_holds = if self.is_stream { 0 } else { CHUNK };
            let counted = memory.count(response, unsized_holds, self.is_read).await;
            response = counted.unwrap_or_else(Problem::into_response);
        }
        let authorized = !matches!(response.status(), StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
        // After a failure too: a change may have been committed, or another client's change caused the failure and
        // reads must show it.
        if authorized && !self.is_read {
            state.add_session_token(&mut response).await;
        }
        response
    }
}

/// The method whose handler answers a request: the handler of `GET` answers `HEAD` too.
pub(crate) fn method(request: &Request) -> &Method {
    if request.method() == Method::HEAD { &Method::GET } else { request.method() }
}

/// The response to a method that a path does not have: 204 to `OPTIONS`, 405 to others, both with `Allow`.
pub(crate) fn not_allowed<'m>(methods: impl IntoIterator<Item = &'m Method>, method: &Method) -> Response {
    let mut allowed = Vec::new();
    for method in methods {
        allowed.push(method.as_str());
        if method == Method::GET {
            allowed.push("HEAD");
        }
    }
    allowed.push("OPTIONS");
    let allowed = allowed.join(", ");
    let mut response = if method == Method::OPTIONS {
        (StatusCode::NO_CONTENT, Body::empty()).into_response()
    } else {
        let detail = format!("{method} is not allowed on this route; allowed methods are {allowed}");
        Problem::new(Code::MethodNotAllowed, detail).into_response()
    };
    if let Ok(allowed) = HeaderValue::from_str(&allowed) {
        response.headers_mut().insert(header::ALLOW, allowed);
    }
    response
}
