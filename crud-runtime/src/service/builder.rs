//! [`Service`]: the builder of a service from resources and a database.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock};

use axum::Router;

use super::access::options::AccessOptions;
use super::beside::BesideTask;
use super::document_options::DocumentOptions;
use super::extension_options::ExtensionOptions;
use super::plugin::InstalledPlugin;
use super::plugin_settings::SettingsSource;
use super::server_options::ServerOptions;
#[cfg(feature = "auth")]
use crate::auth::Auth;
use crate::auth::memberships::Memberships;
#[cfg(feature = "metrics")]
use crate::http::layer::metrics::Metrics;
use crate::http::limits::Limits;
use crate::http::router::{PutAround, ResourceLayer};
use crate::http::routing::bypass::Bypass;
use crate::http::routing::route::Route;
use crate::http::state::ServiceState;
use crate::model::clock::Clock;
use crate::model::descriptor::{Descriptor, Operation};
use crate::storage::adapter::Adapter;
use crate::storage::administration::{Administration, Storage, halves};
use crate::storage::layers::call_spans::CallSpans;
use crate::storage::layers::disk_failures::{DiskFailures, WatchedDisk};
use crate::storage::layers::one_tenant::ShardedTables;
use crate::storage::layers::table_overrides::{OverriddenTables, TableOverrides};
use crate::storage::layers::write_epoch::{WatchedTable, WriteEpoch};
use crate::store::app::Extensions;
#[cfg(feature = "jobs")]
use crate::store::jobs::worker::Jobs;
use crate::store::mounted::options::ResourceOptions;
use crate::store::transaction::registry::TransactionRegistry;

/// A service: resources, their database, and the options to serve them.
///
/// ```no_run
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// #[crud(filter, sort, pagination)]
/// struct Book {
///     id: i64,
///     title: String,
///     pages: i32,
/// }
///
/// #[tokio::main]
/// async fn main() -> crud_runtime::Result<()> {
///     Service::connect("sqlite://books.db").await?.resource::<Book>().migrate().await?.serve("127.0.0.1:8000").await
/// }
/// ```
#[must_use = "a service does nothing until it is served"]
#[allow(clippy::struct_excessive_bools, reason = "each is an option by itself")]
pub struct Service {
    pub(super) adapter: Arc<dyn Adapter>,
    pub(super) administration: Arc<dyn Administration>,
    /// Changes that failed because of the database's disk.
    #[cfg(feature = "metrics")]
    pub(super) disk_failures: Arc<DiskFailures>,
    /// Descriptions that storage gets in place of the structs' own.
    pub(super) overrides: Arc<TableOverrides>,
    /// The tables of tenants, where the service is sharded by tenant.
    pub(super) sharded: Option<Arc<ShardedTables>>,
    /// Writes to the table of memberships.
    pub(super) watched: Arc<WriteEpoch>,
    /// The memberships of users, built at the first use.
    pub(super) memberships: OnceLock<Arc<Memberships>>,
    pub(super) access: AccessOptions,
    pub(super) document: DocumentOptions,
    pub(super) server: ServerOptions,
    /// The schema of the service's own tables, if they have one.
    pub(super) own_schema: Option<Box<str>>,
    /// Whether the tables of all resources are another program's.
    pub(super) is_unmanaged: bool,
    /// The two halves of each replica.
    pub(super) replicas: Vec<(Arc<dyn Adapter>, Arc<dyn Administration>)>,
    #[cfg(feature = "migrations")]
    pub(super) migrations: Option<std::path::PathBuf>,
    #[cfg(feature = "migrations")]
    pub(super) data_migrations: Vec<crate::store::data_migration::DataMigration>,
    /// The tables and views that were compared with the database.
    pub(super) migrated: Vec<&'static Descriptor>,
    /// The tables whose facts were read.
    pub(super) learned: Vec<&'static Descriptor>,
    pub(super) shared_tables: TableDescriptions,
    pub(super) resources: Vec<ResourceOptions>,
    pub(super) limits: Limits,
    #[cfg(feature = "metrics")]
    pub(super) metrics: Option<Metrics>,
    pub(super) transactions: TransactionRegistry,
    pub(super) extensions: Extensions,
    pub(super) clock: Clock,
    pub(super) extended: ExtensionOptions,
    pub(super) routers: Vec<Router>,
    pub(super) stateful_routers: Vec<Router<ServiceState>>,
    pub(super) layers: Vec<PutAround>,
    pub(super) resource_layers: Vec<ResourceLayer>,
    pub(super) own_routes: Vec<(String, Arc<Route>)>,
    /// The plugins, with what each has registered.
    pub(super) plugins: Vec<InstalledPlugin>,
    /// Tables of `crud.toml` for plugins.
    pub(super) plugin_settings: SettingsSource,
    /// The program's tasks beside requests.
    pub(super) beside: Vec<BesideTask>,
    pub(super) replacements: Vec<(&'static Descriptor, Operation, Arc<Route>)>,
    pub(super) kept: Vec<(&'static Descriptor, Bypass)>,
    #[cfg(feature = "jobs")]
    pub(super) jobs: Jobs,
    #[cfg(feature = "jobs")]
    pub(super) job_signal: Arc<tokio::sync::Notify>,
    #[cfg(feature = "auth")]
    pub(super) auth: Option<Arc<Auth>>,
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service")
            .field("adapter", &self.adapter)
            .field("document", &self.document)
            .finish_non_exhaustive()
    }
}

impl Service {
    /// A service on storage.
    pub(super) fn on(storage: Arc<dyn Storage>) -> Self {
        let (overrides, watched) = (Arc::<TableOverrides>::default(), Arc::<WriteEpoch>::default());
        let (adapter, administration) = halves(storage);
        let traced = Arc::new(CallSpans::new(Arc::new(OverriddenTables::new(adapter, overrides.clone()))));
        let failures = Arc::<DiskFailures>::default();
        let watched_disk = Arc::new(WatchedDisk::new(traced, failures.clone()));
        Self {
            adapter: Arc::new(WatchedTable::new(watched_disk, watched.clone())),
            administration,
            #[cfg(feature = "metrics")]
            disk_failures: failures,
            overrides,
            sharded: None,
            watched,
            memberships: OnceLock::new(),
            access: AccessOptions::default(),
            document: DocumentOptions::default(),
            server: ServerOptions::default(),
            own_schema: None,
            is_unmanaged: false,
            replicas: Vec::new(),
            #[cfg(feature = "migrations")]
            migrations: None,
            #[cfg(feature = "migrations")]
            data_migrations: Vec::new(),
            migrated: Vec::new(),
            learned: Vec::new(),
            shared_tables: TableDescriptions::default(),
            resources: Vec::new(),
            limits: Limits::default(),
            #[cfg(feature = "metrics")]
            metrics: None,
            transactions: TransactionRegistry::default(),
            extensions: Extensions::new(),
            clock: Clock::default(),
            extended: ExtensionOptions::default(),
            routers: Vec::new(),
            stateful_routers: Vec::new(),
            layers: Vec::new(),
            resource_layers: Vec::new(),
            own_routes: Vec::new(),
            plugins: Vec::new(),
            plugin_settings: SettingsSource::default(),
            beside: Vec::new(),
            replacements: Vec::new(),
            kept: Vec::new(),
            #[cfg(feature = "jobs")]
            jobs: Jobs::default(),
            #[cfg(feature = "jobs")]
            job_signal: Arc::default(),
            #[cfg(feature = "auth")]
            auth: None,
        }
    }
}

/// The merged descriptions of tables that several structs share, by the structs' addresses.
pub(super) type TableDescriptions = Arc<Mutex<HashMap<Vec<usize>, &'static Descriptor>>>;
