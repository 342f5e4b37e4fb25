//! [`IntoService`]: the result of the function that completes a configured service.

use crate::service::builder::Service;
use crate::storage::error::Result;

/// A completed service, or the error of a call that completes it: what the function of [`run`](super::run) returns.
///
/// ```no_run
/// use crud_runtime::Error;
/// use crud_runtime::prelude::*;
///
/// /// Has pages of the size in the variable `PAGE`, and does not start where that is no number.
/// fn complete(service: Service) -> crud_runtime::Result<Service> {
///     let page = std::env::var("PAGE").unwrap_or_else(|_| "20".to_owned());
///     let page = page.parse::<u32>().map_err(|error| Error::Setup(format!("PAGE: {error}")))?;
///     Ok(service.limits(|limits| limits.default_limit(page)))
/// }
///
/// #[tokio::main]
/// async fn main() -> crud_runtime::Result<()> {
///     crud_runtime::config::run(complete).await
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "expected `Service` or `crud_runtime::Result<Service>`, found `{Self}`",
    label = "not a service",
    note = "another error becomes one of the service by `.map_err(|error| crud_runtime::Error::Setup(error.to_string()))?`"
)]
pub trait IntoService {
    /// The service.
    ///
    /// # Errors
    /// The error of the call.
    fn into_service(self) -> Result<Service>;
}

impl IntoService for Service {
    fn into_service(self) -> Result<Service> {
        Ok(self)
    }
}

impl IntoService for Result<Service> {
    fn into_service(self) -> Result<Service> {
        self
    }
}
