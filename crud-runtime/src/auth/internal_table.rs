//! Stores of the tables that authentication keeps in the service's database.

use std::sync::Arc;

use crate::model::clock::Clock;
use crate::model::resource::Resource;
use crate::storage::adapter::Adapter;
use crate::store::app::{App, AppStorage};
use crate::store::typed::store::Store;

/// The store of a table with its default options.
pub(super) fn store<R: Resource>(adapter: Arc<dyn Adapter>, clock: &Clock) -> Store<R> {
    App::new(AppStorage::internal(adapter, clock)).own_store()
}
