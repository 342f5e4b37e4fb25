//! The HTTP/1 server: limits on connections and slow clients, graceful shutdown, the default log.

use std::convert::Infallible;
use std::future::Future;
use std::io::{ErrorKind, IsTerminal};
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::Request;
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
use super::exchange::{Exchange, ExchangeBody};
use super::write_timeout::WriteTimeout;

/// The pause after an error of the system, most likely that it is out of descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The time that requests in flight have to finish after the stop signal.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(30);

/// What limits the connections of a server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConnectionLimits {
    /// Connections open at a time.
    pub(crate) connections: u32,
    /// Time for a request's head to arrive, idle time between requests included.
    pub(crate) head: Duration,
    /// Time in which a write succeeds.
    pub(crate) write: Duration,
}

/// The size of a request's head, in bytes, from which on no more of it is read: it is 431 if it is not complete. The
/// service reads some headers piece by piece.
const MAX_HEAD: usize = 128 * 1024;

/// Serves until `stop` resolves, then refuses connections and finishes the requests in flight.
pub(crate) async fn serve(
    router: Router,
    listener: TcpListener,
    limits: ConnectionLimits,
    stop: impl Future<Output = ()> + Send,
) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.head).max_buf_size(MAX_HEAD);
    let mut connections = Connections::new(limits.connections);
    if let Ok(address) = listener.local_addr() {
        tracing::info!("listening on http://{address}");
    }
    let mut stop = pin!(stop);
    loop {
        let next = async {
            let (stream, peer) = accept(&listener, &connections).await;
            (stream, peer, connections.add().await)
        };
        let (stream, peer, open) = tokio::select! {
            next = next => next,
            () = &mut stop => break,
        };
        let stream = WriteTimeout::new(stream, limits.write, open.state.clone());
        tokio::spawn(serve_connection(http.clone(), stream, open, router.clone(), peer));
    }
    drop(listener);
    tracing::info!("stopping: no new connections, finishing the requests in flight");
    if tokio::time::timeout(SHUTDOWN_TIMEOUT, connections.close()).await.is_err() {
        tracing::warn!("requests in flight did not finish in time");
    }
}

/// The next connection. Without a descriptor for it, a connection that waits for its client is closed.
async fn accept(listener: &TcpListener, connections: &Connections) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            // The client gave up before the connection was accepted.
            Err(error) if [ErrorKind::ConnectionAborted, ErrorKind::ConnectionReset].contains(&error.kind()) => {}
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                connections.close_one();
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
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
        let exchange = Exchange::begin(state.clone());
        let response = router.clone().call(request);
        async move { Ok::<_, Infallible>(response.await?.map(|body| ExchangeBody::new(body, exchange))) }
    });
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service));
    let result = tokio::select! {
        biased;
        result = connection.as_mut() => result,
        () = state.closing() => {
            connection.as_mut().graceful_shutdown();
            tokio::select! {
                // First, so that an idle connection ends as it should.
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

/// Resolves on SIGINT or SIGTERM.
pub(crate) async fn stop_signal() {
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
}

/// Installs a log to standard output, unless the program has installed a subscriber.
pub(crate) fn install_default_log() {
    if tracing::dispatcher::has_been_set() {
        return;
    }
    let filter = std::env::var("RUST_LOG").ok().and_then(|text| text.parse::<Targets>().ok());
    let filter = filter.unwrap_or_else(|| Targets::new().with_default(tracing::Level::INFO));
    // Fails when another thread has installed a subscriber by now, which then stays.
    let lines = tracing_subscriber::fmt::layer().with_ansi(std::io::stdout().is_terminal());
    drop(tracing_subscriber::registry().with(lines).with(filter).try_init());
}
