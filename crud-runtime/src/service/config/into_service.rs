//! [`IntoService`]: the result of the function that completes a configured service.

use crate::service::builder::Service;
use crate::storage::error::Result;

/// A completed service, or the error of a call that completes it.
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
