//! [`RouteLayer`]: layers of tower's around routes.

use std::convert::Infallible;

use axum::Router;
use axum::extract::Request;
use axum::response::IntoResponse;
use axum::routing::Route;
use tower::Layer;

/// A tower layer around routes: any layer from requests to responses that cannot fail.
///
/// ```
/// use crud_runtime::axum::extract::Request;
/// use crud_runtime::axum::middleware::{Next, from_fn};
/// use crud_runtime::axum::response::Response;
/// # use crud_runtime::prelude::*;
///
/// async fn noted(request: Request, next: Next) -> Response {
///     println!("{} {}", request.method(), request.uri());
///     next.run(request).await
/// }
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.layer(from_fn(noted));
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "expected a layer of tower's, found `{Self}`",
    note = "a function is a layer by `axum::middleware::from_fn`; a layer whose errors are not `Infallible` needs \
            `axum::error_handling::HandleErrorLayer` around it"
)]
pub trait RouteLayer: Send + Sync + 'static {
    /// Puts the layer around the routes of a router.
    #[doc(hidden)]
    fn put_around(self, router: Router) -> Router;
}

impl<L> RouteLayer for L
where
    L: Layer<Route> + Clone + Send + Sync + 'static,
    L::Service: tower::Service<Request> + Clone + Send + Sync + 'static,
    <L::Service as tower::Service<Request>>::Response: IntoResponse + 'static,
    <L::Service as tower::Service<Request>>::Error: Into<Infallible> + 'static,
    <L::Service as tower::Service<Request>>::Future: Send + 'static,
{
    fn put_around(self, router: Router) -> Router {
        router.layer(self)
    }
}
