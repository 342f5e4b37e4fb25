//! The server.

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use crud_runtime::Background;
use tokio::net::TcpListener;
use tokio::time::sleep;

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
    let (stopping, stopped) = (background.stopping(), background.stopping());
    // The address of the peer, for the proxy and for limits.
    let router = router.into_make_service_with_connect_info::<SocketAddr>();
    let server = axum::serve(listener, router).with_graceful_shutdown(stopping);
    // A client that never ends its request, or does not read its response, would hold axum's stop for ever.
    let end = async {
        stopped.await;
        sleep(grace).await;
    };
    let server = async {
        tokio::select! {
            served = server.into_future() => served?,
            () = end => tracing::warn!("some requests were still in flight at the end of the stop"),
        }
        Ok::<(), BoxError>(())
    };
    let work = async { Ok(background.run(stop).await?) };
    tokio::try_join!(server, work)?;
    Ok(())
}
