//! [`App`]: a handle to a service's storage, for the program's own handlers, hooks and jobs.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::mounted_resource::MountedResource;
use super::resource_options::ResourceOptions;
use super::transaction::registry::TransactionRegistry;
use super::typed_store::Store;
use crate::model::actor::Actor;
use crate::model::resource::Resource;
use crate::storage::adapter::Adapter;

/// A handle to a service's storage: its stores and transactions. Cheap to clone;
/// [`Service::app`](crate::Service::app) gives it.
#[derive(Clone)]
pub struct App {
    storage: Arc<AppStorage>,
    actor: Option<Actor>,
}

/// What the handles of a service share.
pub(crate) struct AppStorage {
    pub(crate) adapter: Arc<dyn Adapter>,
    pub(crate) resources: Vec<Arc<MountedResource>>,
    pub(crate) transactions: TransactionRegistry,
    /// How long a transaction may take.
    pub(crate) transaction_timeout: Duration,
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App")
            .field("adapter", &self.storage.adapter)
            .field("actor", &self.actor)
            .finish_non_exhaustive()
    }
}

impl App {
    pub(crate) fn new(storage: AppStorage) -> Self {
        Self { storage: Arc::new(storage), actor: None }
    }

    /// The same handle, whose audit entries name this actor: an [`Actor`], or a reference to a principal or a
    /// `CurrentUser`.
    #[must_use]
    pub fn acting_as(&self, actor: impl Into<Actor>) -> Self {
        Self { actor: Some(actor.into()), ..self.clone() }
    }

    /// The typed store of a resource.
    ///
    /// # Panics
    /// Never with a derived resource: the derive has compiled its patterns.
    pub fn store<R: Resource>(&self) -> Store<R> {
        let AppStorage { adapter, transactions, transaction_timeout, .. } = &*self.storage;
        Store::new(adapter.clone(), self.mounted::<R>(), transactions.clone(), *transaction_timeout)
            .acting_as_maybe(self.actor.clone())
    }

    pub(super) fn storage(&self) -> &AppStorage {
        &self.storage
    }

    pub(super) fn actor(&self) -> Option<&Actor> {
        self.actor.as_ref()
    }

    /// A resource with the service's options.
    pub(super) fn mounted<R: Resource>(&self) -> Arc<MountedResource> {
        let is_wanted = |mounted: &&Arc<MountedResource>| std::ptr::eq(mounted.resource(), R::DESCRIPTOR);
        match self.storage.resources.iter().find(is_wanted) {
            Some(mounted) => mounted.clone(),
            None => Arc::new(MountedResource::of_derived(ResourceOptions::new(R::DESCRIPTOR))),
        }
    }
}
