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

    /// Adds a table without routes: a struct with `#[crud(internal)]`, whose records the program's own code reads and
    /// writes by [`store`](Self::store). Migrations and checks treat it like a resource's table; the document does not
    /// show it.
    ///
    /// The name of a [plugin](crate::Plugin)'s table begins with the plugin's: `board_card` of the plugin `board`.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// /// The last number that a supplier has sent.
    /// #[derive(Debug, Clone, Resource)]
    /// #[crud(table = "supplier_state", internal)]
    /// struct SupplierState { id: i64, last_number: i64 }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> crud_runtime::Result<()> {
    /// let service = Service::connect("sqlite::memory:").await?.table::<SupplierState>().migrate().await?;
    /// service.store::<SupplierState>().create(NewSupplierState { last_number: 7 }).await?;
    /// # Ok(()) }
    /// ```
    pub fn table<R: Resource>(mut self) -> Self {
        // The path of the table's name, not of the struct's: a resource of the program may have a struct of this name.
        let prefix = format!("/{}", R::DESCRIPTOR.table);
        self.resources.push(ResourceOptions { is_table: true, prefix, ..ResourceOptions::new(R::DESCRIPTOR) });
        self
    }

    /// Adds a resource by its description, for tests of many resources without a derive.
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
