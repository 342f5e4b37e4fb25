//! The server.

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use crud_runtime::Background;
use tokio::net::TcpListener;

use crate::error::BoxError;

/// Serves until `stop` resolves; requests in flight have `grace` then.
///
/// # Errors
/// Errors of the server, and of the work beside it.
pub async fn serve(
    listener: TcpListener,
    (router, background): (Router, Background),
    stop: impl Future<Output = ()> + Send,
    grace: Duration,
) -> Result<(), BoxError> {
    // The address of the peer, for the proxy and for limits.
    let router = router.into_make_service_with_connect_info::<SocketAddr>();
    let server = axum::serve(listener, router).with_graceful_shutdown(background.stopping());
    background.run_beside(server, grace, stop).await?;
    Ok(())
}
