//! [`Client`]: sends requests to a service and checks each [`Answer`].

use std::future::IntoFuture;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Method;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

use crate::answer::Answer;
use crate::openapi::OpenApi;

/// Request timeout: longer than any response may take.
const REQUEST_TIMEOUT: Duration = Duration::from_mins(2);

/// A client of one service.
#[derive(Debug, Clone)]
pub struct Client {
    origin: String,
    http: reqwest::Client,
    secrets: Vec<String>,
    whole_service: bool,
    openapi: Option<Arc<OpenApi>>,
}

impl Client {
    /// A client for an origin such as `http://127.0.0.1:8000`; no answer may contain one of the secrets.
    ///
    /// # Panics
    /// When the HTTP client cannot be built.
    pub fn new(origin: String, secrets: Vec<String>) -> Self {
        let http =
            reqwest::Client::builder().no_proxy().timeout(REQUEST_TIMEOUT).redirect(reqwest::redirect::Policy::none());
        // Otherwise a body that a service reads in parts is given up after 30 s in which it works on one.
        #[cfg(target_os = "linux")]
        let http = http.tcp_user_timeout(None::<Duration>);
        let http = http.build().expect("an HTTP client");
        Self { origin, http, secrets, whole_service: true, openapi: None }
    }

    /// A client for a program that mounts a service's routes among its own.
    pub fn of_program(origin: String, secrets: Vec<String>) -> Self {
        Self { whole_service: false, ..Self::new(origin, secrets) }
    }

    /// Checks every later answer against this OpenAPI document.
    pub(crate) fn check_against(&mut self, document: Arc<OpenApi>) {
        self.openapi = Some(document);
    }

    /// The service's origin.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// A request of any method.
    pub fn request(&self, method: Method, target: impl Into<String>) -> Request<'_> {
        Request { client: self, method, target: target.into(), headers: HeaderMap::new(), body: None }
    }

    /// `GET`
    pub fn get(&self, target: impl Into<String>) -> Request<'_> {
        self.request(Method::GET, target)
    }

    /// `HEAD`
    pub fn head(&self, target: impl Into<String>) -> Request<'_> {
        self.request(Method::HEAD, target)
    }

    /// `OPTIONS`
    pub fn options(&self, target: impl Into<String>) -> Request<'_> {
        self.request(Method::OPTIONS, target)
    }

    /// `DELETE`
    pub fn delete(&self, target: impl Into<String>) -> Request<'_> {
        self.request(Method::DELETE, target)
    }

    /// `POST` with a JSON body.
    pub fn post(&self, target: impl Into<String>, body: &Value) -> Request<'_> {
        self.request(Method::POST, target).json(body)
    }

    /// `PUT` with a JSON body.
    pub fn put(&self, target: impl Into<String>, body: &Value) -> Request<'_> {
        self.request(Method::PUT, target).json(body)
    }

    /// `PATCH` with a JSON body.
    pub fn patch(&self, target: impl Into<String>, body: &Value) -> Request<'_> {
        self.request(Method::PATCH, target).json(body)
    }

    /// `POST` with any bytes as a body, sent as `application/json`.
    pub fn post_bytes(&self, target: impl Into<String>, body: impl Into<Vec<u8>>) -> Request<'_> {
        self.request(Method::POST, target).body("application/json", body)
    }

    /// A `GET` whose response is read in chunks, without checks.
    ///
    /// # Panics
    /// When no response arrives.
    pub async fn stream(&self, target: &str) -> reqwest::Response {
        // A list of millions takes what time it takes: its case has a limit.
        let request = self.http.get(format!("{}{target}", self.origin)).timeout(Duration::from_hours(1));
        request.send().await.expect("an answer")
    }
}

/// A request that is sent when awaited.
#[derive(Debug)]
#[must_use = "a request is sent when it is awaited"]
pub struct Request<'a> {
    client: &'a Client,
    method: Method,
    target: String,
    headers: HeaderMap,
    body: Option<Vec<u8>>,
}

impl Request<'_> {
    /// Adds a header.
    ///
    /// # Panics
    /// When the name or the value is not valid in a header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        let name = HeaderName::try_from(name).expect("a header's name");
        self.headers.append(name, HeaderValue::from_str(value).expect("a header's value"));
        self
    }

    /// Sets a JSON body.
    pub fn json(self, body: &Value) -> Self {
        self.body("application/json", body.to_string())
    }

    /// Sets a body of any bytes with a media type; an empty media type is not sent.
    pub fn body(mut self, media_type: &str, body: impl Into<Vec<u8>>) -> Self {
        self.body = Some(body.into());
        if media_type.is_empty() { self } else { self.header("content-type", media_type) }
    }

    /// Sends the request to a service that may end at any moment; `None` when no complete response arrives.
    pub async fn attempt(self) -> Option<Answer> {
        self.exchange().await.ok()
    }

    async fn send(self) -> Answer {
        self.exchange().await.unwrap_or_else(|fault| panic!("{fault}"))
    }

    async fn exchange(self) -> Result<Answer, String> {
        let Self { client, method, target, headers, body } = self;
        let shown = body.as_deref().map(|body| String::from_utf8_lossy(body).chars().take(500).collect::<String>());
        let request = format!("{method} {target} {headers:?} {}", shown.unwrap_or_default());
        let (verb, path) = (method.to_string(), target.clone());
        let mut builder = client.http.request(method, format!("{}{target}", client.origin)).headers(headers);
        if let Some(body) = body {
            builder = builder.body(body);
        }
        let response = builder.send().await.map_err(|error| format!("no answer to {request}: {error:?}"))?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = response.bytes().await.map_err(|error| format!("incomplete answer to {request}: {error:?}"))?;
        let answer = Answer::new(request, status, headers, body.into());
        if let Some(openapi) = &client.openapi {
            answer.check_documented(openapi, &verb, &path);
        }
        Ok(answer.check(&client.secrets, client.whole_service))
    }
}

impl<'a> IntoFuture for Request<'a> {
    type Output = Answer;
    type IntoFuture = Pin<Box<dyn Future<Output = Answer> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

/// A path with these parameters as its percent-encoded query string.
pub fn query<V: AsRef<str>>(path: &str, parameters: impl IntoIterator<Item = (impl AsRef<str>, V)>) -> String {
    let encode = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let pairs =
        parameters.into_iter().map(|(name, value)| format!("{}={}", encode(name.as_ref()), encode(value.as_ref())));
    format!("{path}?{}", pairs.collect::<Vec<_>>().join("&"))
}
