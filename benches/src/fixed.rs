//! One answer of axum's, for every request: without a log line or a check.

use axum::Router;
use axum::http::header;
use tokio::net::TcpListener;

const BODY: &str =
    r#"{"id":1,"name":"Oak Lamp 00001","description":"A lamp of oak","price":99.5,"stock":7,"category_id":1}"#;

/// Serves until `shutdown` completes.
pub(crate) async fn serve(
    listener: TcpListener,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> anyhow::Result<()> {
    let routes = Router::new().fallback(async || ([(header::CONTENT_TYPE, "application/json")], BODY));
    axum::serve(listener, routes).with_graceful_shutdown(shutdown).await?;
    Ok(())
}
