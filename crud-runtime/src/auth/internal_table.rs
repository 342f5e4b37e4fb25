//! Stores of the tables that authentication keeps in the service's database.

use std::sync::Arc;
use std::time::Duration;

use crate::model::resource::Resource;
use crate::storage::adapter::Adapter;
use crate::store::mounted_resource::MountedResource;
use crate::store::resource_options::ResourceOptions;
use crate::store::transaction::registry::TransactionRegistry;
use crate::store::typed_store::Store;

/// How long a change of such a table that takes a transaction may last.
const TRANSACTION_TIMEOUT: Duration = Duration::from_secs(1);

/// The store of a table with its default options.
pub(super) fn store<R: Resource>(adapter: Arc<dyn Adapter>) -> Store<R> {
    let mounted = Arc::new(MountedResource::of_derived(ResourceOptions::new(R::DESCRIPTOR)));
    Store::new(adapter, mounted, TransactionRegistry::default(), TRANSACTION_TIMEOUT)
}
