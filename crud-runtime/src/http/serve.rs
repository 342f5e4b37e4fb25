//! The HTTP/1 server: timeouts for slow clients, graceful shutdown, the default log.

use std::convert::Infallible;
use std::future::Future;
use std::io::IsTerminal;
use std::net::SocketAddr;
use std::pin::pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::Request;
use axum::response::Response;
use axum::routing::future::RouteFuture;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// The time that requests in flight have to finish after the stop signal.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(30);

/// The size of a request's head, in bytes, from which on no more of it is read: it is 431 if it is not complete. The
/// service reads some headers piece by piece.
const MAX_HEAD: usize = 128 * 1024;

/// Serves until `stop` resolves, then refuses connections and finishes the requests in flight.
pub(crate) async fn serve(
    router: Router,
    listener: TcpListener,
    head_timeout: Duration,
    stop: impl Future<Output = ()> + Send,
) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(head_timeout).max_buf_size(MAX_HEAD);
    let graceful = GracefulShutdown::new();
    if let Ok(address) = listener.local_addr() {
        tracing::info!("listening on http://{address}");
    }
    let mut stop = pin!(stop);
    loop {
        let (stream, peer) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Most likely out of file descriptors: wait for connections to close.
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            },
            () = &mut stop => break,
        };
        let connection = graceful.watch(connection(&http, stream, PeerRouter { router: router.clone(), peer }));
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection failed");
            }
        });
    }
    drop(listener);
    tracing::info!("stopping: no new connections, finishing the requests in flight");
    if tokio::time::timeout(SHUTDOWN_TIMEOUT, graceful.shutdown()).await.is_err() {
        tracing::warn!("requests in flight did not finish in time");
    }
}

fn connection(
    http: &http1::Builder,
    stream: TcpStream,
    router: PeerRouter,
) -> http1::Connection<TokioIo<TcpStream>, TowerToHyperService<PeerRouter>> {
    // Responses are written whole: Nagle's algorithm would only delay them. A failure here costs latency alone.
    let _ = stream.set_nodelay(true);
    http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
}

/// The router of one connection: adds the peer address to its requests.
#[derive(Clone)]
struct PeerRouter {
    router: Router,
    peer: SocketAddr,
}

impl tower::Service<Request<Incoming>> for PeerRouter {
    type Response = Response;
    type Error = Infallible;
    type Future = RouteFuture<Infallible>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        tower::Service::<Request<Incoming>>::poll_ready(&mut self.router, context)
    }

    fn call(&mut self, mut request: Request<Incoming>) -> Self::Future {
        request.extensions_mut().insert(ConnectInfo(self.peer));
        self.router.call(request)
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
