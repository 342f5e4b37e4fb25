//! [`Fetch`]: requests for documents of an issuer.

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::http::{Method, Request, StatusCode, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::Value as Json;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use url::{Host, Url};

use crate::storage::error::{Error, Result};

/// Time limit for a form and its answer.
const TIME_LIMIT: Duration = Duration::from_secs(5);

/// The largest size of a document, in bytes.
const MAX_BYTES: usize = 1024 * 1024;

/// An HTTP client for small documents: one request a connection, without redirects.
#[derive(Clone)]
pub(super) struct Fetch(TlsConnector);

/// A connection with or without TLS.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

impl Fetch {
    /// A client that trusts Mozilla's certificate authorities, and these in PEM.
    ///
    /// # Errors
    /// [`Error::Setup`] when a text has no certificate.
    pub(super) fn new(root_certificates: &[String]) -> Result<Self> {
        let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        for pem in root_certificates {
            let certificates: Vec<_> =
                CertificateDer::pem_slice_iter(pem.as_bytes()).filter_map(std::result::Result::ok).collect();
            if roots.add_parsable_certificates(certificates).0 == 0 {
                return Err(Error::Setup("`Issuer::root_certificates` is not a certificate in PEM".to_owned()));
            }
        }
        // The program may have set another provider for the process, or none.
        let provider = Arc::new(ring::default_provider());
        let versions = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let versions = versions.map_err(|error| Error::Setup(format!("TLS for issuers: {error}")))?;
        let config = versions.with_root_certificates(roots).with_no_client_auth();
        Ok(Self(TlsConnector::from(Arc::new(config))))
    }

    /// The document at a URL.
    ///
    /// # Errors
    /// When the URL may not be fetched, the connection fails, or the response is not 200 or too large.
    pub(super) async fn get(&self, url: &Url) -> std::result::Result<Bytes, String> {
        let (status, body) = self.send(url, Method::GET, Bytes::new()).await?;
        if status == StatusCode::OK {
            return Ok(body);
        }
        Err(format!("{url}: expected 200, found {status} (redirects are not followed)"))
    }

    /// Sends a form; returns the JSON of the answer, or `None` if the issuer refuses the form.
    ///
    /// # Errors
    /// When the URL may not be fetched, the connection fails or takes too long, or the response is neither JSON nor a
    /// refusal.
    pub(super) async fn post_form(
        &self,
        url: &Url,
        form: &HashMap<&str, &str>,
    ) -> std::result::Result<Option<Json>, String> {
        let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
        let sent = timeout(TIME_LIMIT, self.send(url, Method::POST, body.into())).await;
        let (status, body) = sent.map_err(|_| format!("{url}: no answer within {} s", TIME_LIMIT.as_secs()))??;
        if status.is_client_error() {
            tracing::warn!(%url, %status, "the issuer refuses a form");
            return Ok(None);
        }
        if status != StatusCode::OK {
            return Err(format!("{url}: expected 200, found {status} (redirects are not followed)"));
        }
        serde_json::from_slice(&body).map(Some).map_err(|_| format!("{url}: the answer is not JSON"))
    }

    async fn send(&self, url: &Url, method: Method, form: Bytes) -> std::result::Result<(StatusCode, Bytes), String> {
        check(url)?;
        let stream = self.connect(url).await.map_err(|error| format!("{url}: {error}"))?;
        let failed = |error: hyper::Error| format!("{url}: {error}");
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(failed)?;
        // Dropped with the response, which ends the connection.
        let mut background = JoinSet::new();
        background.spawn(connection);
        let target = &url[url::Position::BeforePath..url::Position::AfterQuery];
        let host = &url[url::Position::BeforeHost..url::Position::AfterPort];
        let request = Request::builder()
            .method(&method)
            .uri(target)
            .header(header::HOST, host)
            .header(header::ACCEPT, "application/json")
            .header(header::USER_AGENT, concat!("crud-runtime/", env!("CARGO_PKG_VERSION")));
        let request = match method {
            Method::POST => request.header(header::CONTENT_TYPE, "application/x-www-form-urlencoded"),
            _ => request,
        };
        let request = request.body(Full::new(form)).map_err(|error| format!("{url}: {error}"))?;
        let response = sender.send_request(request).await.map_err(failed)?;
        let status = response.status();
        let body = Limited::new(response.into_body(), MAX_BYTES).collect().await;
        Ok((status, body.map_err(|error| format!("{url}: {error}"))?.to_bytes()))
    }

    async fn connect(&self, url: &Url) -> io::Result<Box<dyn Stream>> {
        let stream = TcpStream::connect(&*addresses(url).await?).await?;
        stream.set_nodelay(true)?;
        if url.scheme() == "http" {
            return Ok(Box::new(stream));
        }
        let name = match url.host() {
            Some(Host::Domain(name)) => ServerName::try_from(name.to_owned()).map_err(io::Error::other)?,
            Some(Host::Ipv4(address)) => ServerName::from(std::net::IpAddr::V4(address)),
            Some(Host::Ipv6(address)) => ServerName::from(std::net::IpAddr::V6(address)),
            None => return Err(io::Error::other("the URL has no host")),
        };
        Ok(Box::new(self.0.connect(name, stream).await?))
    }
}

/// Checks that a URL may be fetched: `https`, or `http` on loopback.
///
/// # Errors
/// The reason, as a sentence.
pub(super) fn check(url: &Url) -> std::result::Result<(), String> {
    let is_loopback = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    match url.scheme() {
        "https" if url.host().is_some() => {}
        "http" if is_loopback => {}
        _ => return Err(format!("`{url}` must be `https`, or `http` on loopback")),
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("a URL of an issuer must have no user name and no password".to_owned());
    }
    Ok(())
}

/// The addresses of a URL's host; with `http`, loopback alone: the name `localhost` is what the system says it is.
async fn addresses(url: &Url) -> io::Result<Vec<SocketAddr>> {
    let port = url.port_or_known_default().unwrap_or(443);
    let found = match url.host() {
        Some(Host::Domain(name)) => lookup_host((name, port)).await?.collect(),
        Some(Host::Ipv4(address)) => vec![SocketAddr::from((address, port))],
        Some(Host::Ipv6(address)) => vec![SocketAddr::from((address, port))],
        None => Vec::new(),
    };
    let is_allowed = |address: &SocketAddr| url.scheme() == "https" || address.ip().is_loopback();
    Ok(found.into_iter().filter(is_allowed).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_is_for_loopback_alone() {
        for (url, expected) in [
            ("https://id.example/realms/shop", true),
            ("https://192.0.2.1:8443", true),
            ("http://127.0.0.1:8080/", true),
            ("http://127.9.9.9", true),
            ("http://[::1]:8080", true),
            ("http://localhost:8080", true),
            ("http://id.example", false),
            ("http://localhost.example", false),
            ("http://127.0.0.1.example", false),
            ("http://10.0.0.1", false),
            ("http://0.0.0.0", false),
            ("http://169.254.169.254/latest", false),
            ("ftp://id.example", false),
            ("file:///etc/passwd", false),
            ("https://user:password@id.example", false),
        ] {
            assert_eq!(check(&url.parse().unwrap()).is_ok(), expected, "{url}");
        }
    }
}
