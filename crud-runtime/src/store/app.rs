//! [`App`]: a handle to a service's storage, for the program's own handlers, hooks and jobs.

use std::any::{Any, TypeId, type_name};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::sync::watch;

use super::mounted::options::ResourceOptions;
use super::mounted::resource::MountedResource;
use super::observer::interest::Interests;
use super::scope::caller::Caller;
use super::scope::store_scope::StoreScope;
use super::transaction::registry::TransactionRegistry;
use super::transaction::shared::SharedTransaction;
use super::writer::kept_role::KeptRole;
use super::writer::logged_dependants::{Dependants, LoggedDependants};
use crate::model::adapter_error::AdapterError;
use crate::model::clock::Clock;
use crate::model::descriptor::Descriptor;
use crate::model::principal::Principal;
use crate::model::problem::Problem;
use crate::model::resource::Resource;
use crate::model::value::Value;
use crate::query::claims::claim_text;
use crate::storage::adapter::Adapter;
use crate::storage::capabilities::Capabilities;
use crate::storage::layers::tenant_read_audit::{AuditedReads, TenantReadAudit};
use crate::storage::layers::write_epoch::LogSignal;
use crate::storage::session_variables::SessionVariables;

/// A handle to a service's storage: its stores and transactions. Cheap to clone;
/// [`Service::app`](crate::Service::app) gives it.
///
/// ```
/// # use crud_runtime::prelude::*;
/// #[derive(Debug, Clone, Resource)]
/// struct Part { id: i64, stock: i32 }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.resource::<Part>().migrate().await?;
/// let app = service.app();
/// let part = app.store::<Part>().create(NewPart { stock: 5 }).await?;
/// app.transaction(async |tx| tx.store::<Part>().update(part.id, PartPatch::default().stock(4)).await).await?;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct App {
    storage: Arc<AppStorage>,
    /// Storage under the session variables of one caller, in place of the service's.
    session: Option<Arc<dyn Adapter>>,
    /// Storage that reports reads, around the service's or that of a caller.
    observed: Option<Arc<dyn Adapter>>,
    /// The author of the handle's changes.
    actor: Option<Arc<Principal>>,
    /// Scope of the records that the handle's stores read and write.
    scope: StoreScope,
    /// Whether changes of the handle's stores have audit entries.
    is_audited: bool,
}

/// State that the handles of a service share.
pub(crate) struct AppStorage {
    pub(crate) adapter: Arc<dyn Adapter>,
    pub(crate) resources: Vec<Arc<MountedResource>>,
    /// References by which removals change other records with audit entries.
    pub(crate) dependants: LoggedDependants,
    pub(crate) transactions: TransactionRegistry,
    /// Time limit of a transaction.
    pub(crate) transaction_timeout: Duration,
    /// Observers of changes; none on storage without transactions of several calls.
    pub(crate) observers: Interests,
    /// The program's own values, by their types.
    pub(crate) extensions: Extensions,
    pub(crate) clock: Clock,
    /// Changes with each write that has entries of the audit log.
    pub(crate) log: LogSignal,
    /// Wakes the worker when a job is enqueued.
    #[cfg(feature = "jobs")]
    pub(crate) job_signal: Arc<tokio::sync::Notify>,
    /// The tables that no foreign key refers to, on storage that has foreign keys to others.
    pub(crate) elsewhere: Vec<&'static Descriptor>,
    /// Storage of each shard alone; none where the records of all tenants are in one database.
    pub(crate) shards: Vec<Arc<dyn Adapter>>,
}

/// A signal of changes with entries of the audit log: [`App::log_changes`].
#[derive(Debug)]
pub struct LogChanges {
    changed: watch::Receiver<()>,
}

impl LogChanges {
    /// Resolves when something was committed since the last call, or since the signal was made; never again after the
    /// service has ended.
    pub async fn next(&mut self) {
        if self.changed.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// The program's own values, by their types.
pub(crate) type Extensions = HashMap<TypeId, Arc<dyn Any + Send + Sync>>;

impl App {
    /// A handle without resources, to the tables that the service keeps for itself.
    pub(crate) fn internal(adapter: Arc<dyn Adapter>, clock: &Clock) -> Self {
        Self::new(AppStorage {
            adapter,
            resources: Vec::new(),
            dependants: LoggedDependants::default(),
            transactions: TransactionRegistry::default(),
            // The limit of an internal table's change that takes a transaction.
            transaction_timeout: Duration::from_secs(1),
            observers: Interests::default(),
            extensions: Extensions::new(),
            clock: clock.clone(),
            log: LogSignal::default(),
            #[cfg(feature = "jobs")]
            job_signal: Arc::default(),
            elsewhere: Vec::new(),
            shards: Vec::new(),
        })
    }

    /// Handles to the tables that the service keeps for itself, one for each shard: if one shard is unreachable, work
    /// on the rows of all tenants goes on in the others. Without shards, the handle itself.
    pub(crate) fn each_shard(&self) -> Vec<Self> {
        match self.storage.shards.as_slice() {
            [] => vec![self.clone()],
            shards => shards.iter().map(|shard| Self::internal(shard.clone(), self.clock())).collect(),
        }
    }
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App").field("adapter", self.adapter()).field("actor", &self.actor).finish_non_exhaustive()
    }
}

impl App {
    pub(crate) fn new(storage: AppStorage) -> Self {
        let (session, observed, actor) = (None, None, None);
        let scope = StoreScope::default();
        Self { storage: Arc::new(storage), session, observed, actor, scope, is_audited: true }
    }

    /// A copy of the handle, whose audit entries name this principal, as the author of changes. Its stores have the
    /// principal's tenant and the program's visibility; [`Store::of`](crate::Store::of) has the principal's visibility.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// # #[derive(Debug, Clone, Resource)]
    /// # #[crud(audit)]
    /// # struct Part { id: i64, stock: i32 }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> crud_runtime::Result<()> {
    /// # let service = Service::connect("sqlite::memory:").await?.resource::<Part>().migrate().await?;
    /// let app = service.app().acting_as(Principal::new("stocktaking"));
    /// // `GET /parts/1/history` names `stocktaking`.
    /// app.store::<Part>().create(NewPart { stock: 5 }).await?;
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn acting_as(&self, actor: impl Into<Principal>) -> Self {
        Self { actor: Some(Arc::new(actor.into())), ..self.clone() }
    }

    /// A copy of the handle with the program's own visibility: its stores are not limited to the records that the
    /// sender of a request owns or has claims to, and show every field and deleted records. They stay within the
    /// sender's tenant.
    ///
    /// It is for handlers, whose [`Context::app`](crate::routing::Context::app) has these limits; other handles have
    /// none.
    #[must_use]
    pub fn unscoped(&self) -> Self {
        self.scoped(self.scope.as_program())
    }

    /// Handle with the program's own visibility, limited to the tenant of a changed record, if it has one.
    pub(super) fn of_program(&self, tenant: Option<&Value>) -> Self {
        let scope = self.scope.as_program();
        self.scoped(tenant.map_or_else(|| scope.clone(), |tenant| scope.in_tenant(tenant.clone())))
    }

    /// Handle of a data migration: its stores have the records of every tenant.
    #[cfg(feature = "migrations")]
    pub(super) fn of_migration(&self, is_audited: bool) -> Self {
        Self { is_audited, ..self.scoped(self.scope.as_program().across_tenants()) }
    }

    /// Whether changes of the handle's stores have audit entries.
    pub(super) const fn is_audited(&self) -> bool {
        self.is_audited
    }

    /// The references by which a removal of a resource's records changes records with audit entries.
    pub(super) fn logged_dependants(&self, resource: &Descriptor) -> impl Iterator<Item = Dependants> {
        let is_observed = |of: &Dependants| self.observers().observe(of.resource, of.observed_kind());
        let dependants = self.storage.dependants.of(resource);
        dependants.filter(move |of| self.is_audited || KeptRole::of(of.resource).is_some() || is_observed(of))
    }

    /// The changes that observers ask for.
    pub(crate) fn observers(&self) -> &Interests {
        &self.storage.observers
    }

    /// Whether a removal of a resource's records may change records with audit entries.
    pub(crate) fn has_logged_dependants(&self, resource: &Descriptor) -> bool {
        self.logged_dependants(resource).next().is_some()
    }

    /// A value of the program: see [`Service::extension`](crate::Service::extension).
    ///
    /// # Errors
    /// `internal` when the service has none of this type.
    pub fn extension<T: Send + Sync + 'static>(&self) -> Result<&T, Problem> {
        let missing =
            || format!("the service has no extension `{0}`: call `Service::extension` with one", type_name::<T>());
        self.shared_value().ok_or_else(|| Problem::internal(missing()))
    }

    /// A value that the handles of the service share, by its type.
    pub(super) fn shared_value<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.storage.extensions.get(&TypeId::of::<T>())?.downcast_ref()
    }

    /// The current time by the service's [`Clock`], which a test can set.
    pub fn now(&self) -> DateTime<Utc> {
        self.storage.clock.now()
    }

    /// A signal of changes with entries of the audit log that this process has committed, for code that follows the
    /// log. It tells neither which changes they were nor how many, and ignores changes of other processes.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// # #[derive(Debug, Clone, Resource)]
    /// # #[crud(audit)]
    /// # struct Part { id: i64, stock: i32 }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> crud_runtime::Result<()> {
    /// # let service = Service::connect("sqlite::memory:").await?.resource::<Part>().migrate().await?;
    /// let app = service.app();
    /// let mut changes = app.log_changes();
    /// app.store::<Part>().create(NewPart { stock: 5 }).await?;
    /// changes.next().await;
    /// # Ok(()) }
    /// ```
    pub fn log_changes(&self) -> LogChanges {
        LogChanges { changed: self.storage.log.subscribe() }
    }

    /// Capabilities of the storage, such as transactions of several calls.
    pub fn capabilities(&self) -> Capabilities {
        self.storage.adapter.capabilities()
    }

    /// The service's clock.
    pub(crate) fn clock(&self) -> &Clock {
        &self.storage.clock
    }

    /// Begins a transaction of the current task.
    pub(crate) async fn start_transaction(&self) -> Result<Arc<SharedTransaction>, AdapterError> {
        self.start(false).await
    }

    /// Starts a transaction that waits for nothing but storage: see [`Adapter::begin_short`].
    pub(crate) async fn start_short_transaction(&self) -> Result<Arc<SharedTransaction>, AdapterError> {
        self.start(true).await
    }

    async fn start(&self, is_short: bool) -> Result<Arc<SharedTransaction>, AdapterError> {
        let AppStorage { transactions, transaction_timeout, .. } = &*self.storage;
        SharedTransaction::start(&**self.adapter(), is_short, Some(transactions.register()), *transaction_timeout).await
    }

    /// The storage that the handle works in: the service's, or that under the variables of a caller.
    pub(crate) fn adapter(&self) -> &Arc<dyn Adapter> {
        self.observed.as_ref().or(self.session.as_ref()).unwrap_or(&self.storage.adapter)
    }

    /// A copy of the handle whose reads are reported.
    pub(crate) fn reporting(&self, observer: Arc<dyn TenantReadAudit>) -> Self {
        let observed = AuditedReads::new(self.adapter().clone(), observer);
        Self { observed: Some(Arc::new(observed)), ..self.clone() }
    }

    /// A copy of the handle whose stores and transactions work under these variables, in place of those of a caller:
    /// for jobs, schedules and other work of the program, which has no variables by default
    /// ([`AccessOptions::session_variables`](crate::AccessOptions::session_variables)).
    ///
    /// ```no_run
    /// use crud_runtime::prelude::*;
    /// use crud_runtime::SessionVariables;
    /// # #[derive(Debug, Clone, Resource)]
    /// # struct Note { id: i64 }
    /// # async fn of(app: App, owner: i64) -> crud_runtime::Result<()> {
    /// let app = app.with_session_variables(SessionVariables::new().set("app.user", owner))?;
    /// let seen = app.store::<Note>().count(Select::all()).await?;
    /// # let _ = seen; Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `unsupported_here` on storage without such variables: others than PostgreSQL.
    pub fn with_session_variables(&self, variables: SessionVariables) -> Result<Self, Problem> {
        let session = self.storage.adapter.session(&Arc::new(variables));
        let unsupported = || Problem::from_storage(AdapterError::Unsupported { what: "session variables" });
        Ok(Self { session: Some(session.ok_or_else(unsupported)?), observed: None, ..self.clone() })
    }

    /// The tables that no foreign key refers to, on storage that has foreign keys to others.
    pub(crate) fn elsewhere(&self) -> &[&'static Descriptor] {
        &self.storage.elsewhere
    }

    /// Whether the handle works under the variables of a caller.
    pub(crate) const fn is_in_session(&self) -> bool {
        self.session.is_some()
    }

    /// A copy of the handle on other storage.
    pub(crate) fn in_session(&self, session: Arc<dyn Adapter>) -> Self {
        Self { session: Some(session), observed: None, ..self.clone() }
    }

    #[cfg(feature = "jobs")]
    pub(super) fn job_signal(&self) -> &Arc<tokio::sync::Notify> {
        &self.storage.job_signal
    }

    /// The service's resources.
    pub(crate) fn resources(&self) -> &[Arc<MountedResource>] {
        &self.storage.resources
    }

    /// Refuses to work outside of a transaction that the current task has open.
    pub(crate) fn refuse_inside_transaction(&self) -> Result<(), Problem> {
        self.storage.transactions.refuse_inside()
    }

    /// A copy of the handle for another actor, or none.
    pub(super) fn acting_as_maybe(&self, actor: Option<&Arc<Principal>>) -> Self {
        Self { actor: actor.cloned(), ..self.clone() }
    }

    /// A copy of the handle for a caller: its stores have the caller's visibility, and its changes are the actor's.
    pub(crate) fn of_caller(&self, caller: Caller, actor: Option<&Arc<Principal>>) -> Self {
        Self { scope: StoreScope::of_caller(caller), ..self.acting_as_maybe(actor) }
    }

    /// A copy of the handle with another scope.
    pub(super) fn scoped(&self, scope: StoreScope) -> Self {
        Self { scope, ..self.clone() }
    }

    /// Scope of the records that the handle's stores read and write.
    pub(super) const fn scope(&self) -> &StoreScope {
        &self.scope
    }

    /// The tenant that a store of the program names.
    pub(super) fn named_tenant(&self) -> Option<&Value> {
        self.scope.named_tenant()
    }

    /// The tenant of enqueued jobs and of log entries: the one that a store of the program names, or the actor's.
    pub(super) fn tenant(&self) -> Option<String> {
        self.named_tenant().map(Value::to_string).or_else(|| self.actor().and_then(Principal::tenant).map(claim_text))
    }

    pub(crate) fn actor(&self) -> Option<&Principal> {
        self.actor.as_deref()
    }

    /// The author of the handle's changes, whose clone is cheap.
    pub(crate) const fn shared_actor(&self) -> Option<&Arc<Principal>> {
        self.actor.as_ref()
    }

    /// A resource with the service's options.
    pub(super) fn mounted<R: Resource>(&self) -> Arc<MountedResource> {
        self.mounted_of(R::DESCRIPTOR)
    }

    /// A resource with the service's options, by its descriptor.
    pub(super) fn mounted_of(&self, resource: &'static Descriptor) -> Arc<MountedResource> {
        let is_wanted = |mounted: &&Arc<MountedResource>| std::ptr::eq(mounted.resource(), resource);
        match self.storage.resources.iter().find(is_wanted) {
            Some(mounted) => mounted.clone(),
            None => Arc::new(MountedResource::of_derived(ResourceOptions::new(resource))),
        }
    }

    /// The problem that reports an adapter's error to a client. A missing table is reported as a missing resource, if
    /// the service does not have the resource.
    pub(super) fn problem(&self, resource: &'static Descriptor, error: AdapterError) -> Problem {
        match error {
            AdapterError::MissingTable(_) if !self.has(resource) => Problem::internal(format!(
                "{0} has no table, and is not a resource of the service: add `Service::resource::<{0}>()`",
                resource.name
            )),
            error => Problem::from_adapter(resource, error),
        }
    }

    fn has(&self, resource: &'static Descriptor) -> bool {
        is_internal(resource.module)
            || self.resources().iter().any(|mounted| std::ptr::eq(mounted.resource(), resource))
    }
}

/// Whether a resource of this module is a table of the service itself, such as the log, which no program registers.
pub(crate) fn is_internal(module: &str) -> bool {
    module.split("::").next() == Some(env!("CARGO_CRATE_NAME"))
}
