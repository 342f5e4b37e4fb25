//! [`Cors`]: which web pages of other origins may call the service.

use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, Method, header};
use axum::response::Response;
use crud_shared::origin;
use futures_util::future::Either;
use tower::{Layer, Service};
use tower_http::cors::{AllowOrigin, Any, CorsLayer};

use crate::http::operation::table;
use crate::http::state::ServiceState;
use crate::storage::error::{Error, Result};

/// The headers that a page may send, in addition to those that CORS always allows.
const REQUEST_HEADERS: [HeaderName; 9] = [
    header::AUTHORIZATION,
    header::CONTENT_TYPE,
    header::IF_MATCH,
    header::IF_NONE_MATCH,
    HeaderName::from_static("idempotency-key"),
    HeaderName::from_static("prefer"),
    HeaderName::from_static("x-request-id"),
    HeaderName::from_static("x-session-token"),
    HeaderName::from_static("x-tenant-id"),
];

/// The headers that a page may read, in addition to those that CORS always allows.
const RESPONSE_HEADERS: [HeaderName; 12] = [
    header::CONTENT_RANGE,
    header::ETAG,
    header::LINK,
    header::LOCATION,
    header::RETRY_AFTER,
    HeaderName::from_static("idempotency-replayed"),
    HeaderName::from_static("preference-applied"),
    HeaderName::from_static("ratelimit"),
    HeaderName::from_static("ratelimit-policy"),
    HeaderName::from_static("x-request-id"),
    HeaderName::from_static("x-session-token"),
    HeaderName::from_static("x-total-count"),
];

/// Cross-origin resource sharing (CORS, the Fetch standard): the web pages of other origins that may call the service.
///
/// Pages may use every method of the service, send the headers that its requests have, and read those of its responses.
///
/// ```
/// use crud_runtime::prelude::*;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> crud_runtime::Result<()> {
/// let cors = Cors::origins(["https://shop.example", "http://localhost:5173"]);
/// let service = Service::connect("sqlite::memory:").await?.server(|server| server.cors(cors));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Cors {
    /// `None` for any.
    origins: Option<Vec<String>>,
    credentials: bool,
    max_age: Duration,
}

impl Cors {
    /// Pages of these origins, such as `https://shop.example` or `http://localhost:5173`: as browsers send them, in lower
    /// case and without a path.
    pub fn origins<O: Into<String>>(origins: impl IntoIterator<Item = O>) -> Self {
        Self::new(Some(origins.into_iter().map(Into::into).collect()))
    }

    /// Pages of any origin, for a public API.
    pub fn any() -> Self {
        Self::new(None)
    }

    fn new(origins: Option<Vec<String>>) -> Self {
        Self { origins, credentials: false, max_age: Duration::from_hours(1) }
    }

    crud_core::builder_setters! {
        /// Lets browsers send cookies and client certificates, which a proxy in front of the service may read. Tokens
        /// do not need this. It cannot be combined with [`any`](Self::any).
        #[must_use]
        credentials() => credentials = true;

        /// Sets how long browsers may keep the answer to a preflight request; one hour if never called. Browsers have limits
        /// below a day.
        #[must_use]
        max_age(age: Duration) => max_age = age;
    }

    /// The origins whose pages may send cookies.
    pub(crate) fn credential_origins(&self) -> &[String] {
        self.origins.as_deref().filter(|_| self.credentials).unwrap_or_default()
    }

    /// Checks the origins.
    ///
    /// # Errors
    /// [`Error::Setup`] for the first that browsers do not send, and for credentials with any origin.
    pub(crate) fn check(&self) -> Result<()> {
        match &self.origins {
            None if self.credentials => Err(Error::Setup(
                "cross-origin requests with credentials need a list of origins: replace `Cors::any` by `Cors::origins`"
                    .to_owned(),
            )),
            None => Ok(()),
            Some(origins) => origins.iter().try_for_each(|origin| {
                origin::check(origin).map_err(|problem| Error::Setup(format!("an origin of `Cors` {problem}")))
            }),
        }
    }

    /// The layer of a service with this state, and with routes of the program for these methods.
    pub(crate) fn layer(&self, state: &ServiceState, own: &[Method]) -> PreflightLayer {
        let of_plugins = state.parts().list_headers.all.iter().map(|header| header.name.clone());
        let layer = CorsLayer::new()
            .allow_methods(methods(state, own))
            .allow_headers(REQUEST_HEADERS)
            .expose_headers(RESPONSE_HEADERS.into_iter().chain(of_plugins).collect::<Vec<_>>())
            .allow_credentials(self.credentials)
            .max_age(self.max_age)
            .vary([header::ORIGIN]);
        PreflightLayer(match &self.origins {
            None => layer.allow_origin(Any),
            Some(origins) => {
                let origins = origins.iter().filter_map(|origin| HeaderValue::from_str(origin).ok());
                layer.allow_origin(AllowOrigin::list(origins))
            }
        })
    }
}

/// The methods that the service has on any route.
fn methods(state: &ServiceState, own: &[Method]) -> Vec<Method> {
    let offers = |method: &Method| {
        let is_of_resource = state.mounted().iter().any(|mounted| {
            let mut routes = table::routes().iter();
            routes.any(|route| route.method == *method && mounted.resource().offers(route.operation))
        });
        // The service's own routes have no other methods.
        is_of_resource
            || own.contains(method)
            || *method == Method::GET
            || *method == Method::HEAD
            || *method == Method::POST && state.is_secured()
    };
    let all = [Method::GET, Method::HEAD, Method::QUERY, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];
    all.into_iter().filter(offers).collect()
}

/// `tower-http`'s layer for all but plain `OPTIONS` requests, which it would answer as preflight requests.
#[derive(Debug, Clone)]
pub(crate) struct PreflightLayer(CorsLayer);

/// The service of [`PreflightLayer`].
#[derive(Debug, Clone)]
pub(crate) struct PreflightService<S> {
    plain: S,
    cors: tower_http::cors::Cors<S>,
}

impl<S: Clone> Layer<S> for PreflightLayer {
    type Service = PreflightService<S>;

    fn layer(&self, inner: S) -> PreflightService<S> {
        PreflightService { cors: self.0.layer(inner.clone()), plain: inner }
    }
}

impl<S: Service<Request, Response = Response>> Service<Request> for PreflightService<S> {
    type Response = Response;
    type Error = S::Error;
    type Future = Either<S::Future, tower_http::cors::ResponseFuture<S::Future>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        match self.plain.poll_ready(context) {
            Poll::Ready(Ok(())) => self.cors.poll_ready(context),
            other => other,
        }
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let headers = request.headers();
        let is_preflight =
            headers.contains_key(header::ORIGIN) && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
        if *request.method() == Method::OPTIONS && !is_preflight {
            Either::Left(self.plain.call(request))
        } else {
            Either::Right(self.cors.call(request))
        }
    }
}
