//! The HTTP/1 server: limits on connections and slow clients, graceful shutdown, the default log.

use std::convert::Infallible;
use std::future::Future;
use std::io::{self, ErrorKind, IsTerminal};
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderValue, Request, Version, header};
use axum::response::IntoResponse;
use futures_util::future::{Either, ready};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tower::Service;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use super::connections::{Connections, OpenConnection};
use super::drain::Drain;
use super::in_flight::{InFlight, InFlightBody};
use super::log_format::{FieldsWithId, JsonWithId, TextWithId};
use super::request_body::{BodyLength, RequestBody};
use super::write_timeout::WriteTimeout;
use crate::model::problem::{Code, Problem};
use crate::storage::adapter::BoxFuture;

/// The pause after an error of the system, which is most likely out of descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The time that requests in flight have to finish after the stop signal.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(30);

/// Limits of a server's connections.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConnectionLimits {
    /// Connections open at a time.
    pub(crate) connections: u32,
    /// Time for a request's head to arrive, idle time between requests included.
    pub(crate) head: Duration,
    /// Time in which a write succeeds.
    pub(crate) write: Duration,
}

/// The largest size of a request's head, in bytes: the service reads some headers piece by piece.
const MAX_HEAD: usize = 32 * 1024;

/// The size of a head at which hyper stops reading: hyper answers by itself, with 431 and without a body.
const MAX_READ: usize = 2 * MAX_HEAD;

/// Logs `what`, with the URL of `path` on a listener: `listening on http://127.0.0.1:8000`.
pub(crate) fn log_url(what: &str, listener: &TcpListener, path: &str) {
    if let Ok(address) = listener.local_addr() {
        tracing::info!("{what} on http://{address}{path}");
        if address.ip().is_unspecified() {
            tracing::info!(
                "every network of this machine reaches this address: bind 127.0.0.1 to serve this machine only"
            );
        }
    }
}

/// Serves until `stop` resolves and its drain is over, then refuses connections and finishes the requests in flight.
pub(crate) async fn serve(
    router: Router,
    listener: TcpListener,
    limits: ConnectionLimits,
    drain: Drain,
    stop: impl Future<Output = ()> + Send,
) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.head).max_buf_size(MAX_READ);
    let mut connections = Connections::new(limits.connections);
    let spawn = |(stream, peer): (TcpStream, SocketAddr), open: OpenConnection| {
        let stream = WriteTimeout::new(stream, limits.write, open.state.clone());
        tokio::spawn(serve_connection(http.clone(), stream, open, router.clone(), peer));
    };
    let mut stop = pin!(async {
        stop.await;
        drain.run().await;
    });
    // A connection that waits for others to end, at the limit.
    let mut waiting = None;
    loop {
        let next = async {
            if waiting.is_none() {
                waiting = Some(accept(&listener, &connections).await);
            }
            connections.add().await
        };
        // The stop is polled first: the program handles its signals before the first request is answered.
        let open = tokio::select! {
            biased;
            () = &mut stop => break,
            open = next => open,
        };
        if let Some(accepted) = waiting.take() {
            spawn(accepted, open);
        }
    }
    let accepted: Vec<_> = waiting.into_iter().chain(backlog(listener)).collect();
    tracing::info!("stopping: no new connections, finishing the requests in flight");
    let finish = async {
        connections.close();
        for accepted in accepted {
            let open = connections.add().await;
            open.state.close();
            spawn(accepted, open);
        }
        connections.closed().await;
    };
    if tokio::time::timeout(SHUTDOWN_TIMEOUT, finish).await.is_err() {
        tracing::warn!("requests in flight did not finish in time");
    }
}

/// The next connection. Without a descriptor for it, a connection that waits for its client is closed.
async fn accept(listener: &TcpListener, connections: &Connections) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            Err(error) if has_given_up(&error) => {}
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                connections.close_one();
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// The connections that the system has accepted already: closing the listener would reset them. The system itself is
/// asked for them, since the runtime's listener may not know of them yet.
fn backlog(listener: TcpListener) -> impl Iterator<Item = (TcpStream, SocketAddr)> {
    let listener = listener.into_std();
    let accepted = std::iter::from_fn(move || {
        loop {
            match listener.as_ref().ok()?.accept() {
                Ok(accepted) => return Some(accepted),
                Err(error) if has_given_up(&error) => {}
                Err(_) => return None,
            }
        }
    });
    accepted.filter_map(|(stream, peer)| {
        stream.set_nonblocking(true).ok()?;
        Some((TcpStream::from_std(stream).ok()?, peer))
    })
}

/// Whether the client gave up before its connection was accepted.
fn has_given_up(error: &io::Error) -> bool {
    [ErrorKind::ConnectionAborted, ErrorKind::ConnectionReset].contains(&error.kind())
}

async fn serve_connection(
    http: http1::Builder,
    stream: WriteTimeout,
    open: OpenConnection,
    router: Router,
    peer: SocketAddr,
) {
    let state = &open.state;
    let service = service_fn(|mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        let in_flight = InFlight::begin(state.clone(), BodyLength::of(request.body()));
        let (head, body) = request.into_parts();
        let (body, unread) = RequestBody::new(body, &head.headers);
        let response = match check_head(&head) {
            Ok(()) => Either::Left(router.clone().call(Request::from_parts(head, body))),
            Err(problem) => Either::Right(ready(Ok(problem.into_response()))),
        };
        async move {
            let mut response = response.await?;
            if !unread.discard().await {
                state.leave_body();
                response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            }
            Ok::<_, Infallible>(response.map(|body| InFlightBody::new(body, in_flight)))
        }
    });
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service));
    let result = tokio::select! {
        biased;
        result = connection.as_mut() => result,
        () = state.closing() => {
            connection.as_mut().graceful_shutdown();
            tokio::select! {
                // The connection is polled first, so that an idle one ends in the regular way.
                biased;
                result = connection.as_mut() => result,
                () = state.abandoned() => Ok(()),
            }
        }
    };
    if let Err(error) = result {
        tracing::debug!(error = &error as &dyn std::error::Error, "a connection failed");
    }
}

/// Checks the parts of a head that hyper does not check.
fn check_head(head: &Parts) -> Result<(), Problem> {
    let target = head.uri.path().len() + head.uri.query().map_or(0, str::len);
    let headers: usize = head.headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    if target + headers > MAX_HEAD {
        return Err(Problem::new(Code::HeadTooLarge, format!("the head must have at most {MAX_HEAD} bytes")));
    }
    check_host(head)
}

/// Requires the one `Host` that a request has, with the name of a host (RFC 9112, section 3.2): with two, a proxy may
/// have routed the request by the other one.
fn check_host(head: &Parts) -> Result<(), Problem> {
    let hosts = head.headers.get_all(header::HOST);
    let found = hosts.iter().count();
    let expected = if head.version == Version::HTTP_10 { 0..=1 } else { 1..=1 };
    if !expected.contains(&found) {
        let detail = format!("the request must have one `Host` header, found {found}");
        return Err(Problem::new(Code::MalformedRequest, detail));
    }
    match hosts.iter().next() {
        Some(host) if !is_host(host.as_bytes()) => {
            Err(Problem::new(Code::MalformedRequest, "`Host` must be a host such as `api.example.com:8000`"))
        }
        _ => Ok(()),
    }
}

/// Whether a value of `Host` is valid: `uri-host [ ":" port ]`, which may be empty (RFC 9110, section 7.2).
fn is_host(host: &[u8]) -> bool {
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    // An authority may have a user before its host, too.
    let is_whole = |authority: &Authority| {
        let rest = authority.as_str().strip_prefix(authority.host());
        rest.is_some_and(|rest| rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port))
    };
    host.is_empty() || Authority::try_from(host).is_ok_and(|authority| is_whole(&authority))
}

/// Resolves on SIGINT or SIGTERM.
pub(crate) fn stop_signal() -> BoxFuture<'static, ()> {
    Box::pin(async {
        let interrupt = async {
            if let Err(error) = tokio::signal::ctrl_c().await {
                tracing::warn!(%error, "cannot listen for SIGINT");
                std::future::pending::<()>().await;
            }
        };
        #[cfg(unix)]
        let terminate = async {
            match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
                Ok(mut signal) => drop(signal.recv().await),
                Err(error) => {
                    tracing::warn!(%error, "cannot listen for SIGTERM");
                    std::future::pending::<()>().await;
                }
            }
        };
        #[cfg(not(unix))]
        let terminate = std::future::pending::<()>();
        tokio::select! {
            () = interrupt => {}
            () = terminate => {}
        }
    })
}

/// Installs a log to standard output, unless the program has installed a subscriber. `filter`: the filter of the
/// configuration; without it, the variable `RUST_LOG` applies.
pub(crate) fn install_default_log(json: bool, filter: Option<&str>) {
    if tracing::dispatcher::has_been_set() {
        return;
    }
    let filter = filter.map(str::to_owned).or_else(|| std::env::var("RUST_LOG").ok());
    let (filter, malformed) = match filter.map(|text| text.parse::<Targets>()) {
        Some(Ok(filter)) => (Some(filter), None),
        Some(Err(error)) => (None, Some(error)),
        None => (None, None),
    };
    let filter = filter.unwrap_or_else(|| Targets::new().with_default(tracing::Level::INFO));
    // Fails when another thread has installed a subscriber by now, which then stays.
    let text = (!json).then(|| {
        let layer = tracing_subscriber::fmt::layer().with_ansi(std::io::stdout().is_terminal());
        layer.map_event_format(TextWithId).fmt_fields(FieldsWithId::new())
    });
    let json = json.then(|| tracing_subscriber::fmt::layer().json().flatten_event(true).map_event_format(JsonWithId));
    drop(tracing_subscriber::registry().with(text).with(json).with(filter).try_init());
    if let Some(error) = malformed {
        tracing::warn!("the filter of the log is malformed, and `info` is used instead: {error}");
    }
}
