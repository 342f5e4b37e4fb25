//! [`Client`]: sends one request to a destination, and reads the beginning of its answer.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use crud_runtime::axum::http::response::Parts;
use crud_runtime::axum::http::{Request, header};
use crud_runtime::{Error, Result};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use url::Host;

use super::destination::{Destination, Destinations};

/// Time limit of an attempt, from its start to the head of the answer.
const TIME_LIMIT: Duration = Duration::from_secs(15);

/// Time limit for connecting to one address.
const CONNECT_LIMIT: Duration = Duration::from_secs(5);

/// Time limit for reading the answer's body, after its head.
const BODY_LIMIT: Duration = Duration::from_secs(1);

/// The largest head of an answer, in bytes: the smallest limit that hyper accepts.
const MAX_HEAD: usize = 8 * 1024;

/// Limit of the headers of an answer.
const MAX_HEADERS: usize = 64;

/// Number of bytes of an answer's body that are read.
const MAX_BODY: usize = 512;

/// The HTTP client of webhooks: one connection for each request, without redirects, cookies or proxies.
#[derive(Clone)]
pub(crate) struct Client {
    destinations: Destinations,
    tls: TlsConnector,
}

/// A message to a receiver.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    pub(crate) id: String,
    pub(crate) timestamp: i64,
    pub(crate) signatures: String,
    pub(crate) body: Bytes,
}

/// An answer of a receiver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) retry_after: Option<String>,
    /// The first bytes of the body, as text.
    pub(crate) body: String,
}

/// A connection with or without TLS.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

impl Client {
    /// A client that trusts Mozilla's certificate authorities and `root_certificates`, which are in PEM.
    ///
    /// # Errors
    /// [`Error::Setup`] for a text without a certificate.
    pub(crate) fn new(destinations: Destinations, root_certificates: &[String]) -> Result<Self> {
        let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        for pem in root_certificates {
            let found = CertificateDer::pem_slice_iter(pem.as_bytes()).filter_map(std::result::Result::ok);
            if roots.add_parsable_certificates(found.collect::<Vec<_>>()).0 == 0 {
                return Err(Error::Setup("`Webhooks::root_certificate` is not a certificate in PEM".to_owned()));
            }
        }
        // The provider is named here: the process's default may be another one, or missing.
        let versions = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let versions = versions.with_safe_default_protocol_versions();
        let versions = versions.map_err(|error| Error::Setup(format!("TLS of webhooks: {error}")))?;
        let tls = TlsConnector::from(Arc::new(versions.with_root_certificates(roots).with_no_client_auth()));
        Ok(Self { destinations, tls })
    }

    /// The URLs that the client may send to.
    pub(crate) const fn destinations(&self) -> &Destinations {
        &self.destinations
    }

    /// Sends a message to a URL.
    ///
    /// # Errors
    /// A sentence, if the URL is not allowed, the connection fails, or there is no answer in time.
    pub(crate) async fn send(&self, url: &str, message: Message) -> std::result::Result<Answer, String> {
        let destination = self.destinations.parse(url).map_err(|reason| format!("the URL {reason}"))?;
        let until = Instant::now() + TIME_LIMIT;
        let mut connection = JoinSet::new();
        let sent = timeout_at(until, self.head(&destination, message, &mut connection)).await;
        let (head, body) = sent.map_err(|_| format!("no answer within {} s", TIME_LIMIT.as_secs()))??;
        let retry_after = head.headers.get(header::RETRY_AFTER).and_then(|value| value.to_str().ok());
        Ok(Answer {
            status: head.status.as_u16(),
            retry_after: retry_after.map(str::to_owned),
            body: piece(body, until.min(Instant::now() + BODY_LIMIT)).await,
        })
        // `connection` is dropped here, which ends the task of the connection.
    }

    /// The head of the answer, and the body, which is not read yet.
    async fn head(
        &self,
        destination: &Destination,
        message: Message,
        connections: &mut JoinSet<hyper::Result<()>>,
    ) -> std::result::Result<(Parts, Incoming), String> {
        let addresses = self.destinations.addresses(destination).await?;
        let stream = self.connect(destination, &addresses).await.map_err(|error| format!("no connection: {error}"))?;
        let failed = |error: hyper::Error| format!("no answer: {error}");
        let mut builder = http1::Builder::new();
        builder.max_buf_size(MAX_HEAD).max_headers(MAX_HEADERS);
        let (mut sender, connection) = builder.handshake(TokioIo::new(stream)).await.map_err(failed)?;
        connections.spawn(connection);
        let request = request(destination, message).map_err(|error| error.to_string())?;
        sender.send_request(request).await.map(crud_runtime::axum::http::Response::into_parts).map_err(failed)
    }

    /// A connection to the first address that accepts one.
    async fn connect(&self, destination: &Destination, addresses: &[SocketAddr]) -> io::Result<Box<dyn Stream>> {
        let mut stream = Err(io::ErrorKind::AddrNotAvailable.into());
        for address in addresses {
            stream = match timeout(CONNECT_LIMIT, TcpStream::connect(*address)).await {
                Ok(Ok(stream)) => return self.secured(destination, stream).await,
                Ok(Err(error)) => Err(error),
                Err(_) => Err(io::ErrorKind::TimedOut.into()),
            };
        }
        stream
    }

    /// The connection, with TLS for the host's name if the URL is `https`.
    async fn secured(&self, destination: &Destination, stream: TcpStream) -> io::Result<Box<dyn Stream>> {
        stream.set_nodelay(true)?;
        if !destination.is_tls() {
            return Ok(Box::new(stream));
        }
        let name = match destination.url.host() {
            Some(Host::Domain(name)) => ServerName::try_from(name.to_owned()).map_err(io::Error::other)?,
            Some(Host::Ipv4(address)) => ServerName::from(IpAddr::V4(address)),
            Some(Host::Ipv6(address)) => ServerName::from(IpAddr::V6(address)),
            None => return Err(io::Error::other("the URL has no host")),
        };
        Ok(Box::new(self.tls.connect(name, stream).await?))
    }
}

fn request(destination: &Destination, message: Message) -> crud_runtime::axum::http::Result<Request<Full<Bytes>>> {
    Request::post(destination.target())
        .header(header::HOST, destination.host())
        .header(header::USER_AGENT, concat!("crud-events/", env!("CARGO_PKG_VERSION")))
        .header(header::CONTENT_TYPE, "application/json")
        .header("webhook-id", message.id)
        .header("webhook-timestamp", message.timestamp)
        .header("webhook-signature", message.signatures)
        .body(Full::new(message.body))
}

/// The first bytes of a body, as far as they arrive in time. They are for people only: the status alone decides.
async fn piece(mut body: Incoming, until: Instant) -> String {
    let mut bytes = BytesMut::new();
    while bytes.len() < MAX_BODY {
        let Ok(Some(Ok(frame))) = timeout_at(until, body.frame()).await else { break };
        if let Ok(data) = frame.into_data() {
            bytes.extend_from_slice(&data[..data.len().min(MAX_BODY - bytes.len())]);
        }
    }
    // PostgreSQL's texts cannot contain zero bytes.
    String::from_utf8_lossy(&bytes).replace('\0', "\u{fffd}")
}
