//! The resources of a service.

use super::builder::Service;
use crate::http::limits::Limits;
use crate::model::descriptor::Descriptor;
use crate::model::resource::Resource;
use crate::store::resource_options::ResourceOptions;

/// # Resources
///
/// Resources, whose routes, tables and documents the service has.
impl Service {
    /// Adds a resource with the options of its attributes.
    pub fn resource<R: Resource>(self) -> Self {
        self.resource_with::<R>(|options| options)
    }

    /// Adds a resource with some of its attributes overridden.
    pub fn resource_with<R: Resource>(mut self, configure: impl FnOnce(ResourceOptions) -> ResourceOptions) -> Self {
        let options = with_page_limits(self.limits, ResourceOptions::new(R::DESCRIPTOR));
        self.resources.push(configure(options));
        self
    }

    /// Adds a resource by its description, which no derive made: for tests of many resources.
    #[doc(hidden)]
    pub fn described_resource(mut self, descriptor: &'static Descriptor) -> Self {
        self.resources.push(with_page_limits(self.limits, ResourceOptions::new(descriptor)));
        self
    }
}

/// Applies the service's page limits to a resource with pagination.
fn with_page_limits(limits: Limits, mut options: ResourceOptions) -> ResourceOptions {
    if options.pagination.is_some() {
        if let Some(limit) = limits.max_page {
            options = options.max_limit(limit);
        }
        if let Some(limit) = limits.default_page {
            options = options.default_limit(limit);
        }
    }
    options
}
