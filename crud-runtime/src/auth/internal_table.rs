//! Stores of the tables that authentication keeps in the service's database.

use std::sync::Arc;

use crate::model::resource::Resource;
use crate::storage::adapter::Adapter;
use crate::store::mounted_resource::MountedResource;
use crate::store::resource_options::ResourceOptions;
use crate::store::typed_store::Store;

/// The store of a table with its default options.
pub(super) fn store<R: Resource>(adapter: Arc<dyn Adapter>) -> Store<R> {
    let mounted = MountedResource::new(ResourceOptions::new(R::DESCRIPTOR));
    Store::new(adapter, Arc::new(mounted.expect("the derive's patterns compile")))
}
