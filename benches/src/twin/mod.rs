//! The twin: the benchmark's products, written by hand with axum, sqlx and serde, as their documentation shows. What
//! does not depend on SQL is shared by both databases.

mod article;
mod cursor;
pub(crate) mod error;
mod from_row;
pub(crate) mod model;
pub(crate) mod page;
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
