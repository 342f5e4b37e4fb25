//! [`TestRequest`]: a request to a service under test.

use std::future::{Future, IntoFuture};
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, Request};
use axum::http::{HeaderName, HeaderValue, Method, Uri, header};
use axum::response::Response;
use http_body_util::BodyExt;
use serde::Serialize;
use tower::ServiceExt;

use super::answer::TestAnswer;
#[cfg(feature = "auth")]
use crate::http::principal_source::{TestPrincipal, TestToken};
#[cfg(feature = "auth")]
use crate::model::principal::Principal;

/// A request to a service under test, sent when it is awaited.
#[derive(Debug)]
#[must_use = "a request is sent when it is awaited"]
pub struct TestRequest {
    router: Router,
    request: Request,
}

impl TestRequest {
    pub(super) fn new(router: Router, method: Method, path: &str) -> Self {
        let uri: Uri = path.parse().unwrap_or_else(|error| panic!("`{path}` is not a path: {error}"));
        let mut request = Request::new(Body::empty());
        *request.method_mut() = method;
        *request.uri_mut() = uri;
        // The server sets an address too, by which limits count.
        request.extensions_mut().insert(ConnectInfo(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))));
        Self { router, request }
    }

    /// Makes the request a principal's, without a token.
    #[cfg(feature = "auth")]
    pub(super) fn acting_as(mut self, principal: Principal) -> Self {
        self.request.extensions_mut().insert(TestPrincipal(principal));
        self
    }

    /// Adds a token that the test has made.
    #[cfg(feature = "auth")]
    pub(super) fn with_test_token(mut self, scheme: &str, token: &str) -> Self {
        self.request.extensions_mut().insert(TestToken);
        self.header("authorization", format!("{scheme} {token}"))
    }

    /// Sets a header.
    ///
    /// # Panics
    /// When name or value are not those of a header.
    pub fn header(mut self, name: &str, value: impl AsRef<str>) -> Self {
        let name: HeaderName = name.parse().unwrap_or_else(|_| panic!("`{name}` is not the name of a header"));
        let value = value.as_ref();
        let value: HeaderValue = value.parse().unwrap_or_else(|_| panic!("`{value}` is not the value of a header"));
        self.request.headers_mut().insert(name, value);
        self
    }

    /// Sets a JSON body.
    ///
    /// # Panics
    /// When JSON cannot represent the value, such as a map whose keys are not texts.
    pub fn json(self, body: impl Serialize) -> Self {
        let bytes = serde_json::to_vec(&body).unwrap_or_else(|error| panic!("the body is not JSON: {error}"));
        self.body("application/json", bytes)
    }

    /// Sends the request for an answer that does not end by itself, such as a stream of events, which is read in parts.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// # use crud_runtime::axum::body::{Body, Bytes};
    /// # use crud_runtime::axum::response::Response;
    /// # use crud_runtime::routing::get;
    /// # use futures_util::{StreamExt, stream};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> crud_runtime::Result<()> {
    /// # async fn ticks() -> Response {
    /// #     let ticks = stream::iter([Ok::<_, std::io::Error>(Bytes::from("tick"))]);
    /// #     Response::new(Body::from_stream(ticks.chain(stream::pending())))
    /// # }
    /// # let service = Service::connect("sqlite::memory:").await?.route("/ticks", get(ticks));
    /// let mut ticks = service.test().await?.get("/ticks").open().await;
    /// assert_eq!((ticks.status(), ticks.next().await.as_deref()), (200, Some("tick")));
    /// # Ok(()) }
    /// ```
    pub async fn open(self) -> TestStream {
        let Ok(response) = self.router.oneshot(self.request).await;
        TestStream { response }
    }

    /// Sets a body of a media type.
    pub fn body(mut self, media_type: &'static str, bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        let headers = self.request.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
        headers.insert(header::CONTENT_LENGTH, bytes.len().into());
        *self.request.body_mut() = Body::from(bytes);
        self
    }
}

/// An answer that is read in parts: [`TestRequest::open`]. The request ends where it is dropped.
#[derive(Debug)]
pub struct TestStream {
    response: Response,
}

impl TestStream {
    /// The status, such as 200.
    pub fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// A header's value, if it is there and text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.response.headers().get(name).and_then(|value| value.to_str().ok())
    }

    /// The next part of the body as text, which may take time; `None` at its end.
    pub async fn next(&mut self) -> Option<String> {
        let frame = self.response.body_mut().frame().await?.ok()?;
        Some(String::from_utf8_lossy(frame.data_ref()?).into_owned())
    }
}

impl IntoFuture for TestRequest {
    type Output = TestAnswer;
    type IntoFuture = Pin<Box<dyn Future<Output = TestAnswer> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let name = format!("{} {}", self.request.method(), self.request.uri());
            let Ok(response) = self.router.oneshot(self.request).await;
            let (parts, body) = response.into_parts();
            let body = body.collect().await.unwrap_or_else(|error| panic!("{name}: the body broke off: {error}"));
            TestAnswer { name, status: parts.status, headers: parts.headers, body: body.to_bytes() }
        })
    }
}
