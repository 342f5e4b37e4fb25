//! A service's records, users and audit log, for the program's own code.

use std::any::TypeId;
use std::sync::Arc;
use std::time::Duration;

use super::builder::Service;
use crate::audit::AuditLog;
#[cfg(feature = "auth")]
use crate::auth::{OwnUsers, PasswordHasher, Users};
use crate::model::resource::{Resource, Tenancy};
use crate::storage::adapter::Adapter;
use crate::storage::error::Result;
use crate::storage::layers::table_overrides::OverriddenTables;
use crate::store::app::{App, AppStorage, Extensions};
#[cfg(feature = "migrations")]
use crate::store::data_migration::DataMigration;
use crate::store::mounted::options::ResourceOptions;
use crate::store::mounted::resource::MountedResource;
use crate::store::observer::Interests;
use crate::store::tables::secret::CursorSecret;
use crate::store::typed::tenant_store::{StoreFor, StoreOf};
use crate::store::writer::logged_dependants::LoggedDependants;

/// Time limit of a transaction where all other writers wait for it.
const ONE_WRITER_TIMEOUT: Duration = Duration::from_secs(1);

/// # Records
///
/// Stores, users and the audit log, for the program's own code.
impl Service {
    /// The typed store of a resource, for the program's own handlers and jobs: a [`Store`](crate::Store), or a
    /// [`TenantStore`](crate::TenantStore) where records have tenants.
    ///
    /// # Panics
    /// Never with a derived resource: the derive has compiled its patterns.
    pub fn store<R: Resource<Tenant: Tenancy<Kind: StoreOf>>>(&self) -> StoreFor<R> {
        self.app().store::<R>()
    }

    /// A handle to the service's storage, for the program's own handlers, hooks and jobs: stores and transactions.
    ///
    /// # Panics
    /// Never with derived resources: the derive has compiled their patterns.
    pub fn app(&self) -> App {
        let mounted = |options: ResourceOptions| Arc::new(MountedResource::of_derived(options));
        let mounted = self.resource_options().map(mounted).collect();
        self.app_with(self.adapter.clone(), mounted, self.logged_dependants(), self.effective_transaction_timeout())
    }

    /// A handle for descriptors that are not derived, whose patterns are checked.
    ///
    /// # Errors
    /// [`Error::Setup`](crate::Error::Setup) when a pattern does not compile.
    pub(super) fn checked_app(&self) -> Result<App> {
        let mounted = self.resource_options().map(|options| MountedResource::new(options).map(Arc::new));
        let mounted = mounted.collect::<Result<_>>()?;
        Ok(self.app_with(self.adapter.clone(), mounted, self.logged_dependants(), self.effective_transaction_timeout()))
    }

    /// The references by which removals change records with an audit log; also those of tables without routes.
    pub(super) fn logged_dependants(&self) -> LoggedDependants {
        LoggedDependants::new(self.tables().into_iter(), &self.effective_observers())
    }

    /// The options of the resources, with what the service sets for all of them.
    pub(super) fn resource_options(&self) -> impl Iterator<Item = ResourceOptions> + '_ {
        self.resources.iter().map(|options| ResourceOptions { text_limit: self.limits.text, ..options.clone() })
    }

    /// A handle to other storage, for data migrations: their structs describe the tables at a point of the history.
    #[cfg(feature = "migrations")]
    pub(super) fn app_on(&self, adapter: Arc<dyn Adapter>, transaction_timeout: Duration) -> App {
        let own = self.data_migrations.iter().flat_map(DataMigration::resources).map(ResourceOptions::new);
        let own = own.map(|options| ResourceOptions { text_limit: self.limits.text, ..options });
        let mounted = self.resource_options().chain(own).map(|options| Arc::new(MountedResource::of_derived(options)));
        // No dependants: the current structs would not fit the older tables of records that depend on a removed one.
        self.app_with(adapter, mounted.collect(), LoggedDependants::default(), transaction_timeout)
    }

    fn app_with(
        &self,
        adapter: Arc<dyn Adapter>,
        resources: Vec<Arc<MountedResource>>,
        dependants: LoggedDependants,
        transaction_timeout: Duration,
    ) -> App {
        self.learn_sharded_tables();
        App::new(AppStorage {
            adapter,
            resources,
            dependants,
            transactions: self.transactions.clone(),
            transaction_timeout,
            observers: self.effective_observers(),
            extensions: self.shared_values(),
            clock: self.clock.clone(),
            log: self.watched.log().clone(),
            #[cfg(feature = "jobs")]
            job_signal: self.job_signal.clone(),
            elsewhere: self.elsewhere(),
            shards: self.storage_of_shards(),
        })
    }

    /// Storage of each shard, where it has some.
    fn storage_of_shards(&self) -> Vec<Arc<dyn Adapter>> {
        let overridden = |adapter| Arc::new(OverriddenTables::new(adapter, self.overrides.clone())) as Arc<dyn Adapter>;
        self.administration.each_shard().into_iter().map(overridden).collect()
    }

    /// The observers of changes, where storage has transactions of several calls.
    fn effective_observers(&self) -> Interests {
        if self.adapter.capabilities().interactive { self.extended.observers.interests() } else { Interests::default() }
    }

    /// The program's own values, and the parts of the service's users.
    fn shared_values(&self) -> Extensions {
        let mut values = self.extensions.clone();
        #[cfg(feature = "auth")]
        if let Some(own) = self.own_users() {
            values.insert(TypeId::of::<OwnUsers>(), Arc::new(own));
        }
        if self.extended.has_keys {
            values.insert(TypeId::of::<CursorSecret>(), Arc::new(self.server.cursors.clone()));
        }
        values
    }

    /// Parts of the service's own users; none where they are elsewhere.
    #[cfg(feature = "auth")]
    fn own_users(&self) -> Option<OwnUsers> {
        let auth = self.auth.as_ref().filter(|auth| auth.keeps_users())?;
        let (password_hasher, hooks) = (auth.password_hasher().clone(), auth.user_hooks.clone());
        let (roles, beyond_tenants) = (self.access.roles.clone(), self.roles_beyond_tenants());
        Some(OwnUsers { password_hasher, hooks, memberships: self.memberships(), roles, beyond_tenants })
    }

    fn effective_transaction_timeout(&self) -> Duration {
        let default = if self.adapter.capabilities().one_writer { ONE_WRITER_TIMEOUT } else { self.limits.request };
        self.limits.transaction.unwrap_or(default)
    }

    /// The users in the service's own database. Their table exists if the service's authentication issues tokens.
    #[cfg(feature = "auth")]
    pub fn users(&self) -> Users {
        let hasher = self.auth.as_ref().map_or_else(PasswordHasher::new, |auth| auth.password_hasher().clone());
        let users = Users::new(self.adapter.clone(), &self.clock, hasher).with_access(
            self.memberships(),
            (self.access.roles.clone(), self.roles_beyond_tenants()),
            self.app(),
        );
        match self.auth.as_ref().and_then(|auth| auth.user_hooks.clone()) {
            Some(hooks) => users.with_hooks(hooks, self.app()),
            None => users,
        }
    }

    /// The audit log, for the program's own entries.
    pub fn audit_log(&self) -> AuditLog {
        let resources = self.resources.iter().map(|options| options.descriptor);
        let log = AuditLog::new(self.adapter.clone(), self.clock.clone(), resources);
        // All observers, even on storage without transactions: an erasure is not part of one.
        let resources = self.resources.iter().map(|options| options.descriptor).collect();
        log.observed(self.extended.observers.clone(), resources, self.app())
    }
}
