//! The shop's products as a good Rust developer writes them by hand: axum, sqlx and serde, each the way
//! its documentation shows. What SQL has no part in is the same for both databases.

mod error;
mod model;
mod page;
pub(crate) mod postgres;
pub(crate) mod sqlite;

use axum::Router;
use tower_http::trace::{DefaultMakeSpan, DefaultOnResponse, TraceLayer};
use tracing::Level;

/// Logs a line for each request.
fn log<S: Clone + Send + Sync + 'static>(routes: Router<S>) -> Router<S> {
    let trace = TraceLayer::new_for_http()
        .make_span_with(DefaultMakeSpan::new().level(Level::INFO))
        .on_response(DefaultOnResponse::new().level(Level::INFO));
    routes.layer(trace)
}
