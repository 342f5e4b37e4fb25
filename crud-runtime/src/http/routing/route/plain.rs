//! Routes of axum's own handlers.

use axum::handler::Handler as AxumHandler;
use axum::http::Method;

use super::Route;
use crate::http::routing::handler::Handler;

/// A route for `GET`, and `HEAD` with it.
///
/// ```
/// use crud_runtime::axum::response::IntoResponse;
/// use crud_runtime::routing::{Route, plain};
///
/// async fn logo() -> impl IntoResponse {
///     ([("content-type", "image/svg+xml")], "<svg/>")
/// }
///
/// let route: Route = plain::get(logo);
/// ```
pub fn get<S: Clone + Send + Sync + 'static, T: 'static>(handler: impl AxumHandler<T, S>) -> Route<S> {
    on(Method::GET, handler)
}

/// A route for `POST`.
///
/// ```
/// use crud_runtime::axum::body::Bytes;
/// use crud_runtime::axum::http::StatusCode;
/// use crud_runtime::axum::response::IntoResponse;
/// use crud_runtime::routing::{Route, plain};
///
/// async fn accept(event: Bytes) -> impl IntoResponse {
///     (StatusCode::ACCEPTED, format!("{} bytes", event.len()))
/// }
///
/// let route: Route = plain::post(accept).describe(|operation| operation.summary = Some("Accept an event".to_owned()));
/// ```
pub fn post<S: Clone + Send + Sync + 'static, T: 'static>(handler: impl AxumHandler<T, S>) -> Route<S> {
    on(Method::POST, handler)
}

/// A route for `PUT`.
///
/// ```
/// use crud_runtime::axum::body::Bytes;
/// use crud_runtime::routing::{Route, plain};
///
/// let route: Route = plain::put(async |photo: Bytes| format!("{} bytes", photo.len()));
/// ```
pub fn put<S: Clone + Send + Sync + 'static, T: 'static>(handler: impl AxumHandler<T, S>) -> Route<S> {
    on(Method::PUT, handler)
}

/// A route for `PATCH`.
///
/// ```
/// use crud_runtime::axum::body::Bytes;
/// use crud_runtime::routing::{Route, plain};
///
/// let route: Route = plain::patch(async |change: Bytes| format!("{} bytes", change.len()));
/// ```
pub fn patch<S: Clone + Send + Sync + 'static, T: 'static>(handler: impl AxumHandler<T, S>) -> Route<S> {
    on(Method::PATCH, handler)
}

/// A route for `DELETE`.
///
/// ```
/// use crud_runtime::axum::http::StatusCode;
/// use crud_runtime::routing::{Route, plain};
///
/// let route: Route = plain::delete(async || StatusCode::NO_CONTENT);
/// ```
pub fn delete<S: Clone + Send + Sync + 'static, T: 'static>(handler: impl AxumHandler<T, S>) -> Route<S> {
    on(Method::DELETE, handler)
}

/// A route for any method.
///
/// ```
/// use crud_runtime::axum::http::{Method, StatusCode};
/// use crud_runtime::routing::{Route, plain};
///
/// let route: Route = plain::on(Method::TRACE, async || StatusCode::NO_CONTENT);
/// ```
pub fn on<S: Clone + Send + Sync + 'static, T: 'static>(method: Method, handler: impl AxumHandler<T, S>) -> Route<S> {
    Route::new(method, Handler::of_axum(handler))
}
