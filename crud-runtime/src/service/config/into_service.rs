//! [`IntoService`]: the result of the function that completes a configured service.

use crate::service::builder::Service;
use crate::storage::error::Result;

/// A completed service, or the error of a call that completes it: what the function of [`run`](super::run) returns.
///
/// ```no_run
/// use crud_runtime::Error;
/// use crud_runtime::prelude::*;
///
/// /// Names the service by a variable, and refuses to start without it.
/// fn complete(service: Service) -> crud_runtime::Result<Service> {
///     let shop = std::env::var("SHOP").map_err(|error| Error::Setup(format!("SHOP: {error}")))?;
///     Ok(service.title(shop))
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
