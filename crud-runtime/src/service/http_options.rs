//! The paths, errors and origins of a service.

use super::builder::Service;
use crate::http::layer::cors::Cors;
use crate::http::layer::problem_format::ProblemFormat;
use crate::http::service_paths::ServicePaths;

/// # HTTP
///
/// Paths of the service's own routes, the format of errors, and origins.
impl Service {
    /// Sets the paths of the service's own routes, such as `/health`, and leaves some out.
    pub fn service_paths(mut self, paths: ServicePaths) -> Self {
        self.paths = paths;
        self
    }

    /// Sets the URL at which clients reach the service, such as `https://api.example.com`, from which computed fields make
    /// URLs ([`RequestContext::url`](crate::RequestContext::url)). If never called, it is the `Host` of each request; behind a
    /// proxy that the authentication names (`behind_tls_proxy`), `X-Forwarded-Proto` and `X-Forwarded-Host`.
    pub fn public_url(mut self, url: &str) -> Self {
        self.public_url = Some(url.trim_end_matches('/').into());
        self
    }

    /// Leaves paths that the service does not have to the application: axum's `Router::merge` refuses two routers that
    /// both have a fallback. If never called, they are 404 `route_not_found`.
    ///
    /// ```
    /// use crud_runtime::axum::Router;
    /// # use crud_runtime::prelude::*;
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let crud = Service::connect("sqlite::memory:").await?.without_fallback().into_router()?;
    /// let app: Router = Router::new().fallback(async || "a page of the application").merge(crud);
    /// # Ok(()) }
    /// ```
    pub fn without_fallback(mut self) -> Self {
        self.has_fallback = false;
        self
    }

    /// Writes errors in the program's own format, in place of problem documents.
    pub fn problem_format(mut self, format: ProblemFormat) -> Self {
        self.problem_format = Some(format);
        self
    }

    /// Lets web pages of other origins call the service; if never called, browsers refuse them. It holds for every route,
    /// in [`into_router`](Self::into_router) too, and for errors.
    pub fn cors(mut self, cors: Cors) -> Self {
        self.cors = Some(cors);
        self
    }
}
