//! [`TenantStore`]: the store of a resource with tenants, before the program says whose records it reads and writes.

use std::fmt;

use super::store::Store;
use crate::model::column::{Column, IntoColumn};
use crate::model::principal::Principal;
use crate::model::resource::{NoTenant, OfTenants, Resource, Tenancy};
use crate::store::app::App;

impl App {
    /// The typed store of a resource: a [`Store`], or a [`TenantStore`] where records have tenants.
    ///
    /// # Panics
    /// Never with a derived resource: the derive has compiled its patterns.
    pub fn store<R: Resource<Tenant: Tenancy<Kind: StoreOf>>>(&self) -> StoreFor<R> {
        <R::Tenant as Tenancy>::Kind::of(self.own_store())
    }
}

/// The store of a resource whose records have tenants. It becomes a [`Store`] when the program says whose records it is
/// for, so that none is read or written across tenants by mistake.
///
/// ```
/// # use crud_runtime::prelude::*;
/// # use crud_runtime::auth::{Auth, Principal};
/// #[derive(Debug, Clone, Resource)]
/// struct Ticket { id: i64, #[crud(tenant)] shop_id: i64, title: String }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> crud_runtime::Result<()> {
/// # let auth = Auth::builder().secret("a secret of at least thirty-two bytes").tenant_claim("shop").build()?;
/// # let service = Service::connect("sqlite::memory:").await?.auth(auth).resource::<Ticket>().migrate().await?;
/// let tickets = service.store::<Ticket>();
/// let ticket = tickets.tenant(1).create(NewTicket::new("Broken screen")).await?;
/// assert_eq!(ticket.shop_id, 1);
/// assert!(tickets.tenant(2).find(ticket.id).await?.is_none());
///
/// let ann = Principal::new("7").with_tenant(1);
/// assert_eq!(tickets.of(&ann).count(Select::all()).await?, 1);
/// assert_eq!(tickets.across_tenants().count(Select::all()).await?, 1);
/// # Ok(()) }
/// ```
#[must_use = "say whose records it is for: `of`, `tenant` or `across_tenants`"]
pub struct TenantStore<R>(Store<R>);

impl<R> Clone for TenantStore<R> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<R: Resource> fmt::Debug for TenantStore<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TenantStore").field(&R::DESCRIPTOR.name).finish()
    }
}

impl<R: Resource> TenantStore<R> {
    /// The records that a principal sees over HTTP: see [`Store::of`].
    pub fn of(&self, principal: &Principal) -> Store<R> {
        self.0.of(principal)
    }

    /// The records of one tenant: see [`Store::tenant`].
    pub fn tenant(&self, tenant: impl IntoColumn<R::Tenant>) -> Store<R>
    where
        R::Tenant: Column,
    {
        self.0.tenant(tenant)
    }

    /// The records of every tenant; a new record names its own: see [`Store::across_tenants`].
    pub fn across_tenants(&self) -> Store<R> {
        self.0.across_tenants()
    }
}

/// A store of a resource with tenants that says whose records it is for: a [`TenantStore`] does not.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say whose records it reads and writes",
    label = "whose records?",
    note = "call `.tenant(id)`, `.of(&principal)` or `.across_tenants()` before"
)]
pub trait RequiresTenant {}

super::unsaid::methods_before!(RequiresTenant, impl[R: Resource] for TenantStore<R>);

/// The store that [`Service::store`](crate::Service::store) returns for a resource: a [`Store`], or a [`TenantStore`]
/// where records have tenants.
#[doc(hidden)]
pub trait StoreOf {
    /// The store.
    type Store<R: Resource>;

    /// The store, from a store that is not limited to a tenant yet.
    fn of<R: Resource>(store: Store<R>) -> Self::Store<R>;
}

/// The store of a resource: see [`StoreOf`].
pub(crate) type StoreFor<R> = <<<R as Resource>::Tenant as Tenancy>::Kind as StoreOf>::Store<R>;

impl StoreOf for NoTenant {
    type Store<R: Resource> = Store<R>;

    fn of<R: Resource>(store: Store<R>) -> Store<R> {
        store
    }
}

impl StoreOf for OfTenants {
    type Store<R: Resource> = TenantStore<R>;

    fn of<R: Resource>(store: Store<R>) -> TenantStore<R> {
        TenantStore(store)
    }
}
