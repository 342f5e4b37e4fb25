//! [`Paths`]: the paths of resources. Records are read by them.

use std::collections::HashMap;

use crud_runtime::Model;
use crud_runtime::descriptor::Descriptor;
use crud_runtime::error::Problem;

use super::snapshot::address;

/// The paths of the resources of a service.
#[derive(Debug, Clone, Default)]
pub(crate) struct Paths(HashMap<usize, String>);

impl Paths {
    pub(crate) fn new(model: &Model) -> Self {
        Self(model.resources().map(|of| (address(of.descriptor()), of.prefix().to_owned())).collect())
    }

    /// The path of a resource.
    ///
    /// # Errors
    /// `internal` where the service has no such resource.
    pub(crate) fn of(&self, resource: &'static Descriptor) -> Result<&str, Problem> {
        let missing = || Problem::internal(format!("{} is no resource of the service", resource.name));
        self.0.get(&address(resource)).map(String::as_str).ok_or_else(missing)
    }

    /// The last part of a resource's path, which is its name in events: `products`.
    pub(crate) fn name(&self, resource: &'static Descriptor) -> &str {
        let path = self.0.get(&address(resource)).map_or(resource.prefix, String::as_str);
        path.rsplit('/').next().unwrap_or_default()
    }
}
