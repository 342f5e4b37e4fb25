//! [`Service`]: the builder of a service from resources and a database.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use axum::Router;
use utoipa::openapi::OpenApi;
use utoipa::openapi::security::SecurityScheme;

use super::plugin::InstalledPlugin;
#[cfg(feature = "auth")]
use crate::auth::Auth;
use crate::auth::memberships::Memberships;
use crate::http::layer::cors::Cors;
#[cfg(feature = "metrics")]
use crate::http::layer::metrics::ServiceMetrics;
use crate::http::layer::middleware::SpanHook;
use crate::http::layer::problem_format::ProblemFormat;
use crate::http::limits::Limits;
use crate::http::openapi::{DocsAccess, Info};
use crate::http::principal_source::Authenticate;
use crate::http::router::{PutAround, ResourceLayer};
use crate::http::routing::bypass::Bypass;
use crate::http::routing::route::Route;
use crate::http::server::drain::Drain;
use crate::http::service_paths::ServicePaths;
use crate::http::state::{ServiceState, VariablesOf};
use crate::model::access::{AccessRules, Roles};
use crate::model::clock::Clock;
use crate::model::descriptor::{Descriptor, Operation};
use crate::storage::adapter::Adapter;
use crate::storage::administration::{Administration, Storage, halves};
use crate::storage::layers::call_spans::CallSpans;
use crate::storage::layers::disk_failures::{DiskFailures, WatchedDisk};
use crate::storage::layers::table_overrides::{OverriddenTables, TableOverrides};
use crate::storage::layers::write_epoch::{WatchedTable, WriteEpoch};
use crate::storage::replicas;
use crate::store::app::Extensions;
#[cfg(feature = "jobs")]
use crate::store::jobs::worker::Jobs;
use crate::store::mounted::options::ResourceOptions;
use crate::store::tables::secret::CursorSecret;
use crate::store::tables::write_probe::WriteProbe;
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
    /// Changes that the disk of the database did not take.
    pub(super) disk_failures: Arc<DiskFailures>,
    /// Descriptions in whose place storage gets others.
    pub(super) overrides: Arc<TableOverrides>,
    /// Writes to the table of memberships.
    pub(super) watched: Arc<WriteEpoch>,
    /// The memberships of users, once they are asked for.
    pub(super) memberships: OnceLock<Arc<Memberships>>,
    /// The roles, and what they imply.
    pub(super) roles: Roles,
    /// Access rules for the operations that a resource leaves out.
    pub(super) default_access: Option<&'static AccessRules>,
    /// The schema of the service's own tables, if they have one.
    pub(super) own_schema: Option<Box<str>>,
    /// Whether the tables of all resources are another program's.
    pub(super) is_unmanaged: bool,
    /// The two halves of each replica.
    pub(super) replicas: Vec<(Arc<dyn Adapter>, Arc<dyn Administration>)>,
    pub(super) replica_lag: Duration,
    #[cfg(feature = "migrations")]
    pub(super) migrations: Option<std::path::PathBuf>,
    #[cfg(feature = "migrations")]
    pub(super) data_migrations: Vec<crate::store::data_migration::DataMigration>,
    /// The tables and views that were compared with the database.
    pub(super) migrated: Vec<&'static Descriptor>,
    /// The tables whose facts were read.
    pub(super) learned: Vec<&'static Descriptor>,
    pub(super) shared_tables: TableDescriptions,
    pub(super) info: Info,
    pub(super) resources: Vec<ResourceOptions>,
    pub(super) limits: Limits,
    /// Time from which on a list of storage is logged.
    pub(super) slow_statement: Duration,
    pub(super) drain: Drain,
    pub(super) write_probe: Option<WriteProbe>,
    pub(super) json_logs: bool,
    /// The filter of the log, where the configuration has it.
    pub(super) log_filter: Option<Box<str>>,
    #[cfg(feature = "metrics")]
    pub(super) metrics: ServiceMetrics,
    #[cfg(feature = "compression")]
    pub(super) compression: bool,
    pub(super) transactions: TransactionRegistry,
    pub(super) extensions: Extensions,
    pub(super) clock: Clock,
    /// The variables of the senders of requests.
    pub(super) session_variables: Option<VariablesOf>,
    pub(super) has_counters: bool,
    pub(super) cursors: CursorSecret,
    pub(super) routers: Vec<Router>,
    pub(super) stateful_routers: Vec<Router<ServiceState>>,
    pub(super) layers: Vec<PutAround>,
    pub(super) resource_layers: Vec<ResourceLayer>,
    pub(super) own_routes: Vec<(String, Arc<Route>)>,
    /// The plugins, with what each has registered.
    pub(super) plugins: Vec<InstalledPlugin>,
    pub(super) replacements: Vec<(&'static Descriptor, Operation, Arc<Route>)>,
    pub(super) kept: Vec<(&'static Descriptor, Bypass)>,
    #[cfg(feature = "jobs")]
    pub(super) jobs: Jobs,
    #[cfg(feature = "jobs")]
    pub(super) job_signal: Arc<tokio::sync::Notify>,
    /// The role that reads the audit log, if the program states one.
    pub(super) audit_role: Option<Arc<str>>,
    pub(super) jobs_role: Option<Arc<str>>,
    /// Whether the program says that its rules are not enforced.
    pub(super) is_waived: bool,
    pub(super) cors: Option<Cors>,
    pub(super) problem_format: Option<ProblemFormat>,
    /// The documents of the program's own axum routes.
    pub(super) documents: Vec<OpenApi>,
    pub(super) docs_access: DocsAccess,
    /// The role that may manage users over HTTP, if one may.
    #[cfg(feature = "auth")]
    pub(super) users_role: Option<Arc<str>>,
    /// Whether it counts for principals that are not in the service's table of users.
    #[cfg(feature = "auth")]
    pub(super) users_role_of_any_source: bool,
    pub(super) span_hook: Option<SpanHook>,
    #[cfg(feature = "auth")]
    pub(super) auth: Option<Arc<Auth>>,
    pub(super) authentication: ProgramAuthentication,
    pub(super) paths: ServicePaths,
    pub(super) has_fallback: bool,
    /// The URL at which clients reach the service, if the program states it.
    pub(super) public_url: Option<Arc<str>>,
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service").field("adapter", &self.adapter).field("info", &self.info).finish_non_exhaustive()
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
            disk_failures: failures,
            overrides,
            watched,
            memberships: OnceLock::new(),
            roles: Roles::default(),
            default_access: None,
            own_schema: None,
            is_unmanaged: false,
            replicas: Vec::new(),
            replica_lag: replicas::DEFAULT_MAX_LAG,
            #[cfg(feature = "migrations")]
            migrations: None,
            #[cfg(feature = "migrations")]
            data_migrations: Vec::new(),
            migrated: Vec::new(),
            learned: Vec::new(),
            shared_tables: TableDescriptions::default(),
            info: Info::new("CRUD API", "0.1.0"),
            resources: Vec::new(),
            limits: Limits::default(),
            slow_statement: Duration::from_millis(100),
            drain: Drain::default(),
            write_probe: None,
            json_logs: false,
            log_filter: None,
            #[cfg(feature = "metrics")]
            metrics: ServiceMetrics::default(),
            #[cfg(feature = "compression")]
            compression: false,
            transactions: TransactionRegistry::default(),
            extensions: Extensions::new(),
            clock: Clock::default(),
            session_variables: None,
            has_counters: false,
            cursors: CursorSecret::from_environment(),
            routers: Vec::new(),
            stateful_routers: Vec::new(),
            layers: Vec::new(),
            resource_layers: Vec::new(),
            own_routes: Vec::new(),
            plugins: Vec::new(),
            replacements: Vec::new(),
            kept: Vec::new(),
            #[cfg(feature = "jobs")]
            jobs: Jobs::default(),
            #[cfg(feature = "jobs")]
            job_signal: Arc::default(),
            audit_role: None,
            jobs_role: None,
            is_waived: false,
            cors: None,
            problem_format: None,
            documents: Vec::new(),
            docs_access: DocsAccess::default(),
            #[cfg(feature = "auth")]
            users_role: None,
            #[cfg(feature = "auth")]
            users_role_of_any_source: false,
            span_hook: None,
            #[cfg(feature = "auth")]
            auth: None,
            authentication: ProgramAuthentication::default(),
            paths: ServicePaths::new(),
            has_fallback: true,
            public_url: None,
        }
    }
}

/// The descriptions of the tables that several structs have, by the structs' addresses.
pub(super) type TableDescriptions = Arc<Mutex<HashMap<Vec<usize>, &'static Descriptor>>>;

/// The program's own authentication, and its description.
#[derive(Default)]
pub(super) struct ProgramAuthentication {
    pub(super) layers: bool,
    pub(super) function: Option<Authenticate>,
    pub(super) schemes: Vec<(String, SecurityScheme)>,
}

impl ProgramAuthentication {
    /// Whether requests can have principals of the program.
    pub(super) const fn is_present(&self) -> bool {
        self.layers || self.function.is_some()
    }
}
