//! Errors of stores whose resource the service does not have.

use super::app::App;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::problem::Problem;

/// Whether a resource of this module is a table of the service itself, such as the log, which no program registers.
pub(crate) fn is_internal(module: &str) -> bool {
    module.split("::").next() == Some(env!("CARGO_CRATE_NAME"))
}

impl App {
    /// The problem that reports an adapter's error to a client. A missing table is that of a resource that the service does
    /// not have, if it has not.
    pub(super) fn problem(&self, resource: &'static Descriptor, error: AdapterError) -> Problem {
        match error {
            AdapterError::MissingTable(_) if !self.has(resource) => Problem::internal(format!(
                "{0} has no table, and is not a resource of the service: add `Service::resource::<{0}>()`",
                resource.name
            )),
            error => Problem::from_adapter(resource, error),
        }
    }

    fn has(&self, resource: &'static Descriptor) -> bool {
        is_internal(resource.module)
            || self.resources().iter().any(|mounted| std::ptr::eq(mounted.resource(), resource))
    }
}
