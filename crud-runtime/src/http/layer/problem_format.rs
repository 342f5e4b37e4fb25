//! [`ProblemFormat`]: errors in the program's own format.

use std::fmt;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, Method, header};
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use serde_json::{Value, json};

use crate::model::problem::Problem;
use crate::response::WrittenProblem;

/// The format of the errors of a service, in place of problem documents (RFC 9457): for clients that expect another one.
///
/// Status and headers stay; the format makes the body. The document describes it.
///
/// ```
/// use crud_runtime::ProblemFormat;
/// # use crud_runtime::prelude::*;
/// use serde_json::json;
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let format = ProblemFormat::new(|problem| json!({ "error": { "code": problem.code().as_str(), "message": problem.detail() } }))
///     .schema(json!({ "type": "object", "required": ["error"] }));
/// let service = Service::connect("sqlite::memory:").await?.server(|server| server.problem_format(format));
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct ProblemFormat {
    pub(crate) media_type: &'static str,
    pub(crate) schema: Value,
    write: Arc<dyn Fn(&Problem) -> Value + Send + Sync>,
}

impl fmt::Debug for ProblemFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProblemFormat").field("media_type", &self.media_type).finish_non_exhaustive()
    }
}

impl ProblemFormat {
    /// Errors with the JSON that a function makes of each. The function does not see the cause of an internal error.
    pub fn new(write: impl Fn(&Problem) -> Value + Send + Sync + 'static) -> Self {
        Self { media_type: "application/json", schema: json!({}), write: Arc::new(write) }
    }

    crud_core::builder_setters! {
        /// Sets the media type; `application/json` if never called.
        #[must_use]
        media_type(media_type: &'static str) => media_type = media_type;

        /// Sets the JSON Schema that the document has for errors; any JSON if never called.
        #[must_use]
        schema(schema: Value) => schema = schema;
    }

    /// Puts the format around a router of the program. Its handlers are not routes of the service, but extractors and
    /// stores make problems there too.
    ///
    /// ```
    /// use crud_runtime::ProblemFormat;
    /// use crud_runtime::axum::Router;
    /// # use crud_runtime::prelude::*;
    /// use serde_json::json;
    ///
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let format = ProblemFormat::new(|problem| json!({ "error": problem.detail() }));
    /// let service = Service::connect("sqlite::memory:").await?.server(|server| server.problem_format(format.clone()));
    /// let program: Router = format.around(Router::new().nest("/api", service.into_router()?));
    /// # Ok(()) }
    /// ```
    pub fn around<S: Clone + Send + Sync + 'static>(self, router: Router<S>) -> Router<S> {
        router.layer(from_fn(move |request, next| self.clone().apply(request, next)))
    }

    async fn apply(self, request: Request, next: Next) -> Response {
        let is_head = request.method() == Method::HEAD;
        let mut response = next.run(request).await;
        self.write(is_head, &mut response);
        response
    }

    /// Writes a response, if it is a problem that no format has written, in this format.
    pub(crate) fn write(&self, is_head: bool, response: &mut Response) {
        let Some(WrittenProblem { problem, .. }) = response.extensions_mut().remove::<WrittenProblem>() else { return };
        let body = (self.write)(&problem).to_string();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.media_type));
        headers.remove(header::CONTENT_LENGTH);
        headers.remove(header::CONTENT_ENCODING);
        if is_head {
            headers.insert(header::CONTENT_LENGTH, body.len().into());
        } else {
            *response.body_mut() = Body::from(body);
        }
    }
}
