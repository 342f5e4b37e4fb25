//! The resources of a service.

use super::builder::Service;
use crate::model::descriptor::Descriptor;
use crate::model::resource::Resource;
use crate::store::mounted::options::ResourceOptions;

/// # Resources
///
/// Resources, whose routes, tables and documents the service has.
impl Service {
    /// Adds a resource with the options of its attributes.
    pub fn resource<R: Resource>(self) -> Self {
        self.described_resource(R::DESCRIPTOR)
    }

    /// Adds a resource with some of its attributes overridden.
    pub fn resource_with<R: Resource>(mut self, configure: impl FnOnce(ResourceOptions) -> ResourceOptions) -> Self {
        let options = configure(self.options_of(R::DESCRIPTOR));
        self.resources.push(options);
        self
    }

    /// Adds a resource by its description: tests of many resources have ones that no derive made.
    #[doc(hidden)]
    pub fn described_resource(mut self, descriptor: &'static Descriptor) -> Self {
        let options = self.options_of(descriptor);
        self.resources.push(options);
        self
    }

    /// The descriptions of the service's resources: tests write documents of some of them.
    #[doc(hidden)]
    pub fn descriptors(&self) -> impl Iterator<Item = &'static Descriptor> {
        self.resources.iter().map(|options| options.descriptor)
    }

    /// The options of a resource with the service's page limits, before the program changes them.
    fn options_of(&self, descriptor: &'static Descriptor) -> ResourceOptions {
        let mut options = ResourceOptions::new(descriptor);
        if options.pagination.is_some() {
            if let Some(limit) = self.limits.max_page {
                options = options.max_limit(limit);
            }
            if let Some(limit) = self.limits.default_page {
                options = options.default_limit(limit);
            }
        }
        options
    }
}
