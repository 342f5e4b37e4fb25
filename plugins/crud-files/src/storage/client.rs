//! The HTTP client of buckets: hyper, with the cryptography of database connections.

use std::pin::Pin;
use std::time::Duration;

use http_body_util::BodyExt;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector as TcpConnector;
use hyper_util::rt::TokioExecutor;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody, HttpResponse, HttpResponseBody,
    HttpService,
};
use tokio::time::timeout;

/// Time limit for connecting.
const CONNECT: Duration = Duration::from_secs(5);

/// Time limit of a request, until the head of its answer. A part has 5 MiB.
const ANSWER: Duration = Duration::from_mins(1);

/// Creates HTTP clients for `object_store`.
#[derive(Debug)]
pub(super) struct Connector;

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        let mut tcp = TcpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(CONNECT));
        let provider = rustls::crypto::ring::default_provider();
        let failed = |error: rustls::Error| object_store::Error::Generic { store: "S3", source: error.into() };
        let tls = HttpsConnectorBuilder::new().with_provider_and_webpki_roots(provider).map_err(failed)?;
        let connector = tls.https_or_http().enable_http1().wrap_connector(tcp);
        Ok(HttpClient::new(Pooled(Client::builder(TokioExecutor::new()).build(connector))))
    }
}

/// A client with a pool of connections.
#[derive(Debug)]
struct Pooled(Client<HttpsConnector<TcpConnector>, HttpRequestBody>);

impl Pooled {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let answer = timeout(ANSWER, self.0.request(request)).await;
        let answer = answer.map_err(|late| HttpError::new(HttpErrorKind::Timeout, late))?.map_err(|error| {
            let kind = if error.is_connect() { HttpErrorKind::Connect } else { HttpErrorKind::Request };
            HttpError::new(kind, error)
        })?;
        let broken = |error| HttpError::new(HttpErrorKind::Interrupted, error);
        Ok(answer.map(|body| HttpResponseBody::new(body.map_err(broken))))
    }
}

impl HttpService for Pooled {
    fn call<'service, 'call>(
        &'service self,
        request: HttpRequest,
    ) -> Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'call>>
    where
        'service: 'call,
        Self: 'call,
    {
        Box::pin(self.send(request))
    }
}
