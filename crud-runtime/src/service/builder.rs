//! [`Service`]: the builder of a service from resources and a database.

use std::any::TypeId;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::HeaderMap;
use utoipa::openapi::OpenApi;

use super::program_authentication::ProgramAuthentication;
use super::table_descriptions::TableDescriptions;
#[cfg(feature = "auth")]
use crate::auth::Auth;
use crate::http::layer::cors::Cors;
#[cfg(feature = "metrics")]
use crate::http::layer::metrics::ServiceMetrics;
use crate::http::layer::middleware::SpanHook;
use crate::http::layer::problem_format::ProblemFormat;
use crate::http::limits::Limits;
use crate::http::openapi::DocsAccess;
use crate::http::openapi::{Contact, Info, License};
use crate::http::router::{PutAround, ResourceLayer};
use crate::http::routing::road::Road;
use crate::http::routing::route::Route;
use crate::http::server::drain::Drain;
use crate::http::service_paths::ServicePaths;
use crate::http::state::ServiceState;
use crate::model::clock::Clock;
use crate::model::descriptor::{Descriptor, Operation};
use crate::model::resource::Resource;
use crate::storage::adapter::Adapter;
use crate::storage::backends;
use crate::storage::error::{Error, Result};
use crate::storage::observed::Observed;
use crate::storage::replicas;
use crate::store::app::Extensions;
#[cfg(feature = "jobs")]
use crate::store::jobs::worker::Jobs;
use crate::store::resource_options::ResourceOptions;
use crate::store::secret::CursorSecret;
use crate::store::transaction::registry::TransactionRegistry;
use crate::store::write_probe::WriteProbe;

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
    pub(super) replicas: Vec<Arc<dyn Adapter>>,
    pub(super) replica_lag: Duration,
    #[cfg(feature = "migrations")]
    pub(super) migrations: Option<std::path::PathBuf>,
    #[cfg(feature = "migrations")]
    pub(super) data_migrations: Vec<crate::store::data_migration::DataMigration>,
    /// The tables and views that were compared with the database.
    pub(super) migrated: Vec<&'static Descriptor>,
    pub(super) shared_tables: TableDescriptions,
    pub(super) info: Info,
    pub(super) resources: Vec<ResourceOptions>,
    pub(super) limits: Limits,
    /// Time from which on a list of storage is logged.
    pub(super) slow_statement: Duration,
    pub(super) drain: Drain,
    pub(super) write_probe: Option<WriteProbe>,
    pub(super) json_logs: bool,
    #[cfg(feature = "metrics")]
    pub(super) metrics: ServiceMetrics,
    #[cfg(feature = "compression")]
    pub(super) compression: bool,
    pub(super) transactions: TransactionRegistry,
    pub(super) extensions: Extensions,
    pub(super) clock: Clock,
    pub(super) has_counters: bool,
    pub(super) cursors: CursorSecret,
    pub(super) routers: Vec<Router>,
    pub(super) stateful_routers: Vec<Router<ServiceState>>,
    pub(super) layers: Vec<PutAround>,
    pub(super) resource_layers: Vec<ResourceLayer>,
    pub(super) own_routes: Vec<(String, Arc<Route>)>,
    pub(super) replacements: Vec<(&'static Descriptor, Operation, Arc<Route>)>,
    pub(super) kept: Vec<(&'static Descriptor, Road)>,
    #[cfg(feature = "jobs")]
    pub(super) jobs: Jobs,
    #[cfg(feature = "jobs")]
    pub(super) job_signal: Arc<tokio::sync::Notify>,
    /// The role that reads the audit log, if the program states one.
    pub(super) audit_role: Option<Arc<str>>,
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
    pub(super) span_hook: Option<SpanHook>,
    #[cfg(feature = "auth")]
    pub(super) auth: Option<Arc<Auth>>,
    pub(super) authentication: ProgramAuthentication,
    pub(super) paths: ServicePaths,
    pub(super) has_fallback: bool,
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service").field("adapter", &self.adapter).field("info", &self.info).finish_non_exhaustive()
    }
}

impl Service {
    /// A service on the database of a URL: `sqlite://shop.db` (created when missing), `sqlite::memory:`,
    /// `postgres://user:password@host/shop`, `mysql://user:password@host/shop` or `mongodb://user:password@host/shop`.
    ///
    /// # Errors
    /// [`Error::Setup`] when the URL names no database that this build knows, [`Error::Database`] when it cannot
    /// be opened.
    pub async fn connect(url: &str) -> Result<Self> {
        Ok(Self::on(backends::connect(url).await?))
    }

    /// A service on a pool of sqlx's that the program already has: `SqlitePool` (with the feature `sqlite-pool`), `PgPool` or
    /// `MySqlPool`. `SQLite`'s connections must have foreign keys on, which sqlx does by default.
    #[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite-pool"))]
    pub fn from_pool(pool: impl crate::storage::sql::Pool) -> Self {
        Self::from_adapter(pool.into_adapter())
    }

    /// A service on any storage.
    pub fn from_adapter(adapter: impl Adapter) -> Self {
        Self::on(Arc::new(adapter))
    }

    fn on(adapter: Arc<dyn Adapter>) -> Self {
        Self {
            adapter: Arc::new(Observed::traced(adapter)),
            replicas: Vec::new(),
            replica_lag: replicas::DEFAULT_MAX_LAG,
            #[cfg(feature = "migrations")]
            migrations: None,
            #[cfg(feature = "migrations")]
            data_migrations: Vec::new(),
            migrated: Vec::new(),
            shared_tables: TableDescriptions::default(),
            info: Info::new("CRUD API", "0.1.0"),
            resources: Vec::new(),
            limits: Limits::default(),
            slow_statement: Duration::from_millis(100),
            drain: Drain::default(),
            write_probe: None,
            json_logs: false,
            #[cfg(feature = "metrics")]
            metrics: ServiceMetrics::default(),
            #[cfg(feature = "compression")]
            compression: false,
            transactions: TransactionRegistry::default(),
            extensions: Extensions::new(),
            clock: Clock::default(),
            has_counters: false,
            cursors: CursorSecret::from_environment(),
            routers: Vec::new(),
            stateful_routers: Vec::new(),
            layers: Vec::new(),
            resource_layers: Vec::new(),
            own_routes: Vec::new(),
            replacements: Vec::new(),
            kept: Vec::new(),
            #[cfg(feature = "jobs")]
            jobs: Jobs::default(),
            #[cfg(feature = "jobs")]
            job_signal: Arc::default(),
            audit_role: None,
            is_waived: false,
            cors: None,
            problem_format: None,
            documents: Vec::new(),
            docs_access: DocsAccess::default(),
            #[cfg(feature = "auth")]
            users_role: None,
            span_hook: None,
            #[cfg(feature = "auth")]
            auth: None,
            authentication: ProgramAuthentication::default(),
            paths: ServicePaths::new(),
            has_fallback: true,
        }
    }

    /// Sends reads over HTTP to PostgreSQL replicas: URLs separated by spaces or commas, each of one server or of several
    /// (`postgres://a,b/shop`; a comma in a password is `%2C`). A server that is the primary gets no reads this way, so
    /// that the list of all servers will do. An empty text changes nothing.
    ///
    /// Responses may then be as old as [`replica_lag`](Self::replica_lag) allows. A client that must read its own writes
    /// sends the `X-Session-Token` header of the response to its change. An unreachable or lagging replica gets no reads
    /// until it recovers; without a fresh replica, reads go to the primary. Writes with their reads, logins, and the
    /// program's own [`Store`](crate::store::typed_store::Store)s always use the primary.
    ///
    /// ```no_run
    /// # use crud_runtime::prelude::*;
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let replicas = std::env::var("DATABASE_READ_URL").unwrap_or_default();
    /// let service = Service::connect("postgres://primary/shop").await?.replicas(&replicas).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Setup`] when the service's database has no replicas or a URL is not one of PostgreSQL's,
    /// [`Error::Database`] when the primary does not answer. A replica may be away.
    pub async fn replicas(mut self, urls: &str) -> Result<Self> {
        for url in replica_urls(urls) {
            let replicas = backends::replicas(&url)?;
            self.replicas
                .extend(replicas.into_iter().map(|replica| Arc::new(Observed::traced(replica)) as Arc<dyn Adapter>));
        }
        if self.replicas.is_empty() {
            return Ok(self);
        }
        let has_replicas = self.adapter.capabilities().replicas;
        if !has_replicas || self.adapter.position().await.map_err(Error::Database)?.is_none() {
            return Err(Error::Setup("the database of this service has no replicas".to_owned()));
        }
        Ok(self)
    }

    /// Sets the lag beyond which a replica is not read; 10 seconds if never called.
    pub fn replica_lag(mut self, limit: Duration) -> Self {
        self.replica_lag = limit;
        self
    }

    /// Sets the title, which the OpenAPI document and `/` show.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.info.title = title.into();
        self
    }

    /// Sets the version of the API, which the OpenAPI document shows.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.info.version = version.into();
        self
    }

    /// Sets the description of the API, in Markdown, which the OpenAPI document shows.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.info.description = description.into();
        self
    }

    /// Sets the people who answer for the API, whom the OpenAPI document names.
    ///
    /// ```
    /// use crud_runtime::openapi::{Contact, License};
    /// # use crud_runtime::prelude::*;
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let service = Service::connect("sqlite::memory:")
    ///     .await?
    ///     .contact(Contact::new("Shop team").email("shop@example.com"))
    ///     .license(License::spdx("MIT"));
    /// # Ok(()) }
    /// ```
    pub fn contact(mut self, contact: Contact) -> Self {
        self.info.contact = Some(contact);
        self
    }

    /// Sets the licence of the API, which the OpenAPI document shows.
    pub fn license(mut self, license: License) -> Self {
        self.info.license = Some(license);
        self
    }

    /// Adds a resource with the options of its attributes.
    pub fn resource<R: Resource>(self) -> Self {
        self.resource_with::<R>(|options| options)
    }

    /// Adds a resource with some of its attributes overridden.
    pub fn resource_with<R: Resource>(mut self, configure: impl FnOnce(ResourceOptions) -> ResourceOptions) -> Self {
        let options = with_page_limits(self.limits, ResourceOptions::new(R::DESCRIPTOR));
        self.resources.push(configure(options));
        self
    }

    /// Adds a resource by its description, which no derive made: for tests of many resources.
    #[doc(hidden)]
    pub fn described_resource(mut self, descriptor: &'static Descriptor) -> Self {
        self.resources.push(with_page_limits(self.limits, ResourceOptions::new(descriptor)));
        self
    }

    /// Turns authentication on: adds the routes to log in, and every resource route requires a token unless its access
    /// rule differs. A service that states a rule other than `public` does not start without it, unless it says
    /// [`without_auth`](Self::without_auth).
    ///
    /// ```
    /// use crud_runtime::auth::Auth;
    /// # use crud_runtime::prelude::*;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> crud_runtime::Result<()> {
    /// let auth = Auth::builder().secret("a secret of at least thirty-two bytes").build()?;
    /// let service = Service::connect("sqlite::memory:").await?.auth(auth).migrate().await?;
    /// service.users().create_user("ada", "correct horse").await?;
    /// # Ok(()) }
    /// ```
    #[cfg(feature = "auth")]
    pub fn auth(mut self, auth: Auth) -> Self {
        self.auth = Some(Arc::new(auth.with_adapter(&self.adapter, &self.clock)));
        self
    }

    /// Sets limits on the time, size and number of what the service does; those that are not set stay.
    ///
    /// ```
    /// use std::time::Duration;
    /// # use crud_runtime::prelude::*;
    ///
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let service = Service::connect("sqlite::memory:").await?;
    /// let service = service.limits(|limits| limits.request_timeout(Duration::from_secs(5)).connections(500));
    /// # let _ = service; Ok(()) }
    /// ```
    pub fn limits(mut self, set: impl FnOnce(Limits) -> Limits) -> Self {
        self.limits = set(self.limits);
        self
    }

    /// Sets the time from which on a list is logged, once a minute for each filter and order, with its plan and the index
    /// that would help; 100 milliseconds if never called.
    pub fn slow_statement(mut self, threshold: Duration) -> Self {
        self.slow_statement = threshold;
        self
    }

    /// Adds a value of the program for its hooks, handlers and jobs, such as a mailer. They find it by its type:
    /// [`App::extension`](crate::App::extension), [`Context::extension`](crate::routing::Context::extension),
    /// [`HookContext::extension`](crate::hooks::HookContext::extension).
    pub fn extension<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.extensions.insert(TypeId::of::<T>(), Arc::new(value));
        self
    }

    /// Gives the service the table of [`Tx::next_number`](crate::Tx::next_number). Services with hooks or jobs have it.
    pub fn counters(mut self) -> Self {
        self.has_counters = true;
        self
    }

    /// Sets how long the service still accepts connections after SIGINT or SIGTERM, while `/ready` is 503 `unavailable`; not
    /// at all if never called. A load balancer that asks `/ready` sends its requests elsewhere meanwhile: set more than its
    /// interval times the failures that it waits for.
    pub fn shutdown_delay(mut self, time: Duration) -> Self {
        self.drain.time = time;
        self
    }

    /// Lets `/ready` write too, which may take this long; it only reads if never called. Writes can fail or hang while reads
    /// go on: a full disk, a synchronous standby that is away, a server that has become read-only. `/ready` is 503
    /// `unavailable` then.
    ///
    /// The write updates the one record of the table `crud_probes`, without an audit entry. It is made once a second at
    /// most, one at a time.
    pub fn write_probe(mut self, limit: Duration) -> Self {
        self.write_probe = Some(WriteProbe::new(limit));
        self
    }

    /// Writes the log as a JSON object a line, instead of text; only where [`serve`](Self::serve) installs the log.
    pub fn json_logs(mut self) -> Self {
        self.json_logs = true;
        self
    }

    /// Calls this with the span of each request and its headers, before the span begins, where a subscriber takes it: to
    /// continue the client's trace, for example. Without it, each request begins a trace.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// # fn continue_trace(_: &tracing::Span, _: Option<&crud_runtime::axum::http::HeaderValue>) {}
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let service = Service::connect("sqlite::memory:").await?;
    /// let service = service.request_span(|span, headers| continue_trace(span, headers.get("traceparent")));
    /// # let _ = service; Ok(()) }
    /// ```
    pub fn request_span(mut self, hook: impl Fn(&tracing::Span, &HeaderMap) + Send + Sync + 'static) -> Self {
        self.span_hook = Some(Arc::new(hook));
        self
    }

    /// Compresses responses with gzip where the client accepts it, but not those that have tokens. Off if never called: a
    /// proxy does it as well, and costs the service no time.
    #[cfg(feature = "compression")]
    pub fn compression(mut self) -> Self {
        self.compression = true;
        self
    }

    /// Sets the secret that cursors are signed with, at least 32 bytes; servers of one database need the same one. Without
    /// it, the variable `CRUD_SECRET`; without that, one that the first server makes, in the table `crud_secrets`.
    ///
    /// A cursor that was signed with another secret is 422 `cursor_invalid`.
    pub fn secret(mut self, secret: impl AsRef<[u8]>) -> Self {
        self.cursors = CursorSecret::given(secret.as_ref());
        self
    }

    /// Sets the role that may read the audit log of all resources; `admin` if never called. Without authentication,
    /// every client may.
    pub fn audit_role(mut self, role: impl Into<Arc<str>>) -> Self {
        self.audit_role = Some(role.into());
        self
    }

    /// Sets the role that may read `/openapi.json` and `/docs`; every client may if never called. It needs
    /// authentication. A browser sends no token when it opens a page, so behind a role the page is for a proxy that adds
    /// one.
    pub fn docs_role(mut self, role: impl Into<Arc<str>>) -> Self {
        self.docs_access = DocsAccess::Role(role.into());
        self
    }

    /// Lets principals with this role manage the users in the service's own table over HTTP: adds `GET` and
    /// `POST /auth/users`, and `GET` and `PATCH /auth/users/{id}`. There are no such routes if never called.
    ///
    /// The role is one for operators, as it can give users any role. A principal of a tenant has no access: users belong to
    /// none.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// # use crud_runtime::auth::Auth;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> crud_runtime::Result<()> {
    /// let auth = Auth::builder().secret("a secret of at least thirty-two bytes").build()?;
    /// let service = Service::connect("sqlite::memory:").await?.auth(auth).users_role("admin").migrate().await?;
    /// service.users().create_first("admin", "correct horse", ["admin"]).await?;
    /// assert!(service.openapi()?.paths.paths.contains_key("/auth/users/{id}"));
    /// # Ok(()) }
    /// ```
    #[cfg(feature = "auth")]
    pub fn users_role(mut self, role: impl Into<Arc<str>>) -> Self {
        self.users_role = Some(role.into());
        self
    }

    /// Leaves out `/openapi.json` and `/docs`. [`openapi`](Self::openapi) still returns the document.
    pub fn without_docs(mut self) -> Self {
        self.docs_access = DocsAccess::Off;
        self
    }

    /// Adds the document of the routes that [`merge`](Self::merge) adds, such as that of a router of `utoipa-axum`.
    ///
    /// An operation, operation id or component that is in both is an error at start ([`openapi::merge`]).
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// use crud_runtime::axum::Router;
    /// use crud_runtime::axum::routing::get;
    /// use crud_runtime::utoipa::openapi::path::{HttpMethod, Operation};
    /// use crud_runtime::utoipa::openapi::{Info, OpenApi, Paths};
    ///
    /// # #[derive(Resource)]
    /// # struct Book { id: i64 }
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let mut paths = Paths::new();
    /// paths.add_path_operation("/reports", vec![HttpMethod::Get], Operation::new());
    /// let own = OpenApi::new(Info::new("Reports", "1"), paths);
    ///
    /// let reports = Router::new().route("/reports", get(async || "none"));
    /// let service = Service::connect("sqlite::memory:").await?.resource::<Book>().merge(reports).merge_openapi(own);
    /// assert!(service.openapi()?.paths.paths.contains_key("/reports"));
    /// # Ok(()) }
    /// ```
    ///
    /// [`openapi::merge`]: crate::openapi::merge
    pub fn merge_openapi(mut self, document: OpenApi) -> Self {
        self.documents.push(document);
        self
    }

    /// Sets the paths of the service's own routes, such as `/health`, and leaves some out.
    pub fn service_paths(mut self, paths: ServicePaths) -> Self {
        self.paths = paths;
        self
    }

    /// Leaves paths that the service does not have to the application: axum's `Router::merge` refuses two routers that
    /// both have a fallback. If never called, they are 404 `route_not_found`.
    ///
    /// ```
    /// use crud_runtime::axum::Router;
    /// # use crud_runtime::prelude::*;
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let crud = Service::connect("sqlite::memory:").await?.without_fallback().into_router()?;
    /// let app: Router = Router::new().fallback(async || "a page of the application").merge(crud);
    /// # Ok(()) }
    /// ```
    pub fn without_fallback(mut self) -> Self {
        self.has_fallback = false;
        self
    }

    /// Writes errors in the program's own format, in place of problem documents.
    pub fn problem_format(mut self, format: ProblemFormat) -> Self {
        self.problem_format = Some(format);
        self
    }

    /// Lets web pages of other origins call the service; if never called, browsers refuse them. It holds for every route,
    /// in [`into_router`](Self::into_router) too, and for errors.
    pub fn cors(mut self, cors: Cors) -> Self {
        self.cors = Some(cors);
        self
    }
}

/// The URLs of a list. What follows a comma and has no scheme is another host of the same URL.
fn replica_urls(list: &str) -> Vec<String> {
    let mut urls: Vec<String> = Vec::new();
    for word in list.split_whitespace() {
        for (index, part) in word.split(',').filter(|part| !part.is_empty()).enumerate() {
            match urls.last_mut() {
                Some(url) if index > 0 && !part.contains("://") => {
                    url.push(',');
                    url.push_str(part);
                }
                _ => urls.push(part.to_owned()),
            }
        }
    }
    urls
}

/// Applies the service's page limits to a resource with pagination.
fn with_page_limits(limits: Limits, mut options: ResourceOptions) -> ResourceOptions {
    if options.pagination.is_some() {
        if let Some(limit) = limits.max_page {
            options = options.max_limit(limit);
        }
        if let Some(limit) = limits.default_page {
            options = options.default_limit(limit);
        }
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_of_replicas_has_urls_of_several_hosts() {
        assert_eq!(
            replica_urls(" postgres://a/x,postgres://b/x  postgres://c/x"),
            ["postgres://a/x", "postgres://b/x", "postgres://c/x"]
        );
        assert_eq!(
            replica_urls("postgres://a,b/x?port=1, postgres://c/x?host=d,e"),
            ["postgres://a,b/x?port=1", "postgres://c/x?host=d,e"]
        );
        assert_eq!(replica_urls(" , "), [""; 0]);
    }
}
