//! [`Service`]: resources, a database, and the program around them.

use std::collections::HashSet;
use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use tokio::net::{TcpListener, ToSocketAddrs};
use tokio::runtime::Handle;

use crate::audit::AuditLog;
#[cfg(feature = "auth")]
use crate::auth::{Auth, Passwords, Users};
use crate::http::openapi::{Document, Info, Security};
use crate::http::router;
use crate::http::serve;
use crate::http::service_routes::{RESERVED, ServiceRoutes};
use crate::http::state::{Limits, State};
use crate::model::descriptor::Descriptor;
use crate::model::resource::Resource;
use crate::storage::adapter::Adapter;
use crate::storage::backends;
use crate::storage::error::{Error, Result};
use crate::storage::replicas;
use crate::storage::replicas::Replicas;
use crate::store::audit_record::AuditRecord;
use crate::store::mounted_resource::Mounted;
use crate::store::resource_options::ResourceOptions;
use crate::store::typed_store::Store;

/// Puts resources and a database together, and serves them.
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
pub struct Service {
    pub(crate) adapter: Arc<dyn Adapter>,
    replicas: Vec<Arc<dyn Adapter>>,
    replica_lag: Duration,
    #[cfg(feature = "migrations")]
    pub(crate) migrations: Option<std::path::PathBuf>,
    info: Info,
    resources: Vec<ResourceOptions>,
    limits: Limits,
    audit_role: Arc<str>,
    #[cfg(feature = "auth")]
    auth: Option<Arc<Auth>>,
    pages: PageLimits,
}

/// What a service says of the pages of its resources, over their attributes.
#[derive(Debug, Clone, Copy, Default)]
struct PageLimits {
    default_limit: Option<u32>,
    max_limit: Option<u32>,
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service").field("adapter", &self.adapter).field("info", &self.info).finish_non_exhaustive()
    }
}

impl Service {
    /// A service on the database of a URL: `sqlite://shop.db` (created when missing), `sqlite::memory:`,
    /// `postgres://user:password@host/shop` or `mysql://user:password@host/shop`.
    ///
    /// # Errors
    /// [`Error::Setup`] when the URL names no database that this build knows, [`Error::Database`] when it cannot
    /// be opened.
    pub async fn connect(url: &str) -> Result<Self> {
        Ok(Self::on(backends::connect(url).await?))
    }

    /// A service on a pool of sqlx's that the program already has: `SqlitePool`, `PgPool` or `MySqlPool`. `SQLite`'s
    /// connections must have foreign keys on, which sqlx does by default.
    #[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite"))]
    pub fn pool(pool: impl crate::storage::sql::Pool) -> Self {
        Self::adapter(pool.into_adapter())
    }

    /// A service on any storage.
    pub fn adapter(adapter: impl Adapter) -> Self {
        Self::on(Arc::new(adapter))
    }

    fn on(adapter: Arc<dyn Adapter>) -> Self {
        Self {
            adapter,
            replicas: Vec::new(),
            replica_lag: replicas::LAG,
            #[cfg(feature = "migrations")]
            migrations: None,
            info: Info { title: "CRUD API".to_owned(), version: "0.1.0".to_owned(), description: String::new() },
            resources: Vec::new(),
            limits: Limits::default(),
            audit_role: Arc::from("admin"),
            #[cfg(feature = "auth")]
            auth: None,
            pages: PageLimits::default(),
        }
    }

    /// Sends reads over HTTP to replicas of the database: one or several URLs of PostgreSQL's, separated by spaces
    /// or commas (one in a password is written `%2C`), each of a single server. None, as an empty text, changes
    /// nothing.
    ///
    /// What is listed or got may then be as old as [`replica_lag`](Self::replica_lag) says. A client that has to see
    /// what it has just written sends the header `X-Session-Token` with it, as the answer to the change had it. A
    /// replica that is away or too far behind gets no reads until it is back; where none is left, the primary
    /// answers. Writes and what belongs to them, logins, and the program's own [`Store`]s are the primary's in any
    /// case.
    ///
    /// ```no_run
    /// # use crud_runtime::prelude::*;
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let replicas = std::env::var("DATABASE_READ_URL").unwrap_or_default();
    /// let service = Service::connect("postgres://primary/shop").await?.read_from(&replicas).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Setup`] when the service's database has no replicas or a URL is not one of PostgreSQL's,
    /// [`Error::Database`] when the primary does not answer. A replica may be away.
    pub async fn read_from(mut self, urls: &str) -> Result<Self> {
        let urls = urls.split(|separator: char| separator == ',' || separator.is_whitespace());
        for url in urls.filter(|url| !url.is_empty()) {
            self.replicas.push(backends::replica(url)?);
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

    /// Sets how far a replica may be behind and still be read; 10 seconds if never called.
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

    /// Sets how many records a page has when the request does not say, for the resources with pages that are
    /// added from here on; their attributes if never called.
    pub fn default_limit(mut self, limit: u32) -> Self {
        self.pages.default_limit = Some(limit);
        self
    }

    /// Sets how many records a page has at most, for the resources with pages that are added from here on; their
    /// attributes if never called.
    pub fn max_limit(mut self, limit: u32) -> Self {
        self.pages.max_limit = Some(limit);
        self
    }

    /// Adds a resource as its attributes say.
    pub fn resource<R: Resource>(self) -> Self {
        self.resource_with::<R>(|options| options)
    }

    /// Adds a resource with some of its attributes overridden.
    pub fn resource_with<R: Resource>(mut self, choose: impl FnOnce(ResourceOptions) -> ResourceOptions) -> Self {
        let options = self.pages.apply(ResourceOptions::new(R::DESCRIPTOR));
        self.resources.push(choose(options));
        self
    }

    /// Turns authentication on: routes to log in, and every resource route needs a token unless its access says
    /// otherwise.
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
        self.auth = Some(Arc::new(auth.on(&self.adapter)));
        self
    }

    /// Sets how long a request may take, from its head to the answer's; 30 seconds if never called. Past that
    /// the answer is 504, or 408 while the body is still being read.
    pub fn request_timeout(mut self, limit: Duration) -> Self {
        self.limits.request = limit;
        self
    }

    /// Sets how long a connection may take to send a request's head, idle time between requests included; 15
    /// seconds if never called. Past that it is closed.
    pub fn head_timeout(mut self, limit: Duration) -> Self {
        self.limits.head = limit;
        self
    }

    /// Sets how long a body may pause while it arrives; 10 seconds if never called. Past that the answer is 408.
    pub fn body_timeout(mut self, limit: Duration) -> Self {
        self.limits.body_idle = limit;
        self
    }

    /// Sets how large a body may be, in bytes; 2 MiB if never called.
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.limits.body = bytes;
        self
    }

    /// Sets how large the body of a batch may be, in bytes; 16 MiB if never called.
    pub fn batch_body_limit(mut self, bytes: usize) -> Self {
        self.limits.batch_body = bytes;
        self
    }

    /// Sets the role that reads the audit log of all resources; `admin` if never called. Without authentication,
    /// everybody reads it.
    pub fn audit_role(mut self, role: impl Into<Arc<str>>) -> Self {
        self.audit_role = role.into();
        self
    }

    /// Creates the tables and indexes that are missing. Never drops or alters anything.
    #[cfg_attr(
        feature = "migrations",
        doc = "\nWith [`migrations`](Self::migrations) it creates nothing either, and refuses a database that lacks something."
    )]
    ///
    /// # Errors
    /// [`Error::Setup`] as [`into_router`](Self::into_router); [`Error::Migrate`] when a table contradicts its
    /// struct, with every difference.
    pub async fn migrate(self) -> Result<Self> {
        self.check()?;
        #[cfg(feature = "migrations")]
        if let Some(directory) = &self.migrations {
            self.check_migrated(directory).await?;
            return Ok(self);
        }
        self.adapter.migrate(&self.tables()).await?;
        Ok(self)
    }

    /// What [`migrate`](Self::migrate) would do, a statement each, without doing it: none when the database has
    /// all that the resources need.
    ///
    /// # Errors
    /// Those of [`migrate`](Self::migrate).
    pub async fn plan(&self) -> Result<Vec<String>> {
        self.check()?;
        Ok(self.adapter.plan(&self.tables()).await?)
    }

    /// The OpenAPI document as `/openapi.json` serves it.
    ///
    /// # Errors
    /// As [`into_router`](Self::into_router).
    pub fn openapi(&self) -> Result<String> {
        self.check()?;
        let json = self.document().json("");
        Ok(String::from_utf8_lossy(&json).into_owned())
    }

    /// The typed store of a resource, for the program's own handlers and jobs.
    ///
    /// # Panics
    /// Never with a resource that the derive made: it has compiled the patterns that a store checks.
    pub fn store<R: Resource>(&self) -> Store<R> {
        let find = |options: &&ResourceOptions| std::ptr::eq(options.descriptor, R::DESCRIPTOR);
        let options = self.resources.iter().find(find).cloned();
        let mounted = Mounted::new(options.unwrap_or_else(|| ResourceOptions::new(R::DESCRIPTOR)));
        Store::new(self.adapter.clone(), Arc::new(mounted.expect("the derive's patterns compile")))
    }

    /// The users in the service's own database. Their table is there when the service has authentication that
    /// issues tokens.
    #[cfg(feature = "auth")]
    pub fn users(&self) -> Users {
        let passwords = self.auth.as_ref().map_or_else(Passwords::new, |auth| auth.passwords().clone());
        Users::new(self.adapter.clone(), passwords)
    }

    /// The audit log, for entries of the program's own.
    pub fn audit_log(&self) -> AuditLog {
        AuditLog::new(self.adapter.clone())
    }

    /// The state for [`Resource::route`], for programs that lay the routes themselves.
    ///
    /// # Errors
    /// As [`into_router`](Self::into_router).
    pub fn state(&self) -> Result<State> {
        self.check()?;
        self.check_owners()?;
        let mounted = self.resources.iter().cloned().map(|options| Mounted::new(options).map(Arc::new));
        let mounted = mounted.collect::<Result<_>>()?;
        self.warn_of_atomic_batches();
        self.adapter.set_time_limit(self.limits.request);
        let state =
            State::new(self.adapter.clone(), self.start_replicas()?, mounted, self.limits, self.audit_role.clone());
        #[cfg(feature = "auth")]
        let state = state.with_auth(self.auth.clone());
        Ok(state)
    }

    /// All routes, to be nested in a router of the program's own.
    ///
    /// ```
    /// use crud_runtime::axum::Router;
    /// # use crud_runtime::prelude::*;
    /// # #[derive(Resource)]
    /// # struct Book { id: i64 }
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let crud = Service::connect("sqlite::memory:").await?.resource::<Book>().migrate().await?.into_router()?;
    /// let app: Router = Router::new().nest("/api", crud);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Setup`] when prefixes are malformed or collide, or limits contradict each other.
    pub fn into_router(self) -> Result<Router> {
        let state = self.state()?;
        let document = Arc::new(self.document());
        let routes = ServiceRoutes {
            state: state.clone(),
            document,
            #[cfg(feature = "docs")]
            docs: Arc::new(crate::http::openapi::docs::Docs::new(&self.info)),
            title: self.info.title.into(),
        };
        Ok(router::router(&state, &routes))
    }

    /// Serves on an address such as `0.0.0.0:8000` until SIGINT or SIGTERM, then finishes the requests in hand.
    ///
    /// Logs go to standard output, unless the program has installed a `tracing` subscriber; the variable
    /// `RUST_LOG` filters them.
    ///
    /// # Errors
    /// As [`into_router`](Self::into_router), and [`Error::Bind`] when the address cannot be listened on.
    pub async fn serve(self, address: impl ToSocketAddrs + fmt::Display) -> Result<()> {
        serve::log_by_default();
        let name = address.to_string();
        let listener = TcpListener::bind(address).await.map_err(|source| Error::Bind { address: name, source })?;
        self.serve_on(listener, serve::stop_signal()).await
    }

    /// Serves on a listener until `stop` resolves, then finishes the requests in hand.
    ///
    /// # Errors
    /// As [`into_router`](Self::into_router).
    pub async fn serve_on(self, listener: TcpListener, stop: impl Future<Output = ()> + Send) -> Result<()> {
        #[cfg(feature = "auth")]
        self.warn_of_plain_http(&listener);
        let head_timeout = self.limits.head;
        serve::serve(self.into_router()?, listener, head_timeout, stop).await;
        Ok(())
    }

    #[cfg(feature = "auth")]
    fn warn_of_plain_http(&self, listener: &TcpListener) {
        let address = listener.local_addr().map(|address| address.ip());
        if let (Some(auth), Ok(address)) = (&self.auth, address)
            && auth.is_exposed_on(address)
        {
            tracing::warn!(
                %address,
                "passwords and tokens cross the network in clear: put a proxy with TLS in front, and say so with \
                 `AuthBuilder::behind_tls_proxy`"
            );
        }
    }

    /// Warns of the resources whose atomic batches take one item, because storage has no transactions.
    fn warn_of_atomic_batches(&self) {
        if self.adapter.capabilities().transactions {
            return;
        }
        for options in self.resources.iter().filter(|options| options.batch.is_some_and(|batch| !batch.partial)) {
            tracing::warn!(
                resource = options.descriptor.name,
                "the storage has no transactions: an atomic batch takes one item (`batch(mode = partial)` takes more)"
            );
        }
    }

    /// Begins to look after the replicas, if there are any.
    fn start_replicas(&self) -> Result<Option<Arc<Replicas>>> {
        if self.replicas.is_empty() {
            return Ok(None);
        }
        if Handle::try_current().is_err() {
            return Err(Error::Setup("a service with replicas is made in a tokio runtime".to_owned()));
        }
        for replica in &self.replicas {
            replica.set_time_limit(self.limits.request);
        }
        Ok(Some(Arc::new(Replicas::start(self.adapter.clone(), &self.replicas, self.replica_lag))))
    }

    fn document(&self) -> Document {
        let capabilities = self.adapter.capabilities();
        Document::new(&self.info, &self.resources, self.security().as_ref(), !self.replicas.is_empty(), capabilities)
    }

    /// What the OpenAPI document says of authentication.
    #[cfg_attr(not(feature = "auth"), allow(clippy::unused_self))]
    fn security(&self) -> Option<Security> {
        #[cfg(feature = "auth")]
        return self.auth.as_ref().map(|auth| Security {
            login: auth.issues(),
            logout: auth.revokes(),
            audit_role: self.audit_role.clone(),
        });
        #[cfg(not(feature = "auth"))]
        None
    }

    /// The resources' tables and those they refer to, referred ones first.
    pub(crate) fn tables(&self) -> Vec<&'static Descriptor> {
        let mut visited = HashSet::new();
        let mut tables = Vec::new();
        for options in &self.resources {
            visit(options.descriptor, &mut visited, &mut tables);
        }
        if tables.iter().any(|resource| resource.audit.is_some()) {
            visit(AuditRecord::DESCRIPTOR, &mut visited, &mut tables);
        }
        #[cfg(feature = "auth")]
        for table in self.auth.iter().flat_map(|auth| auth.tables()) {
            visit(table, &mut visited, &mut tables);
        }
        tables
    }

    /// What belongs to somebody needs to know who asks.
    fn check_owners(&self) -> Result<()> {
        let owned = self.resources.iter().find(|options| options.descriptor.owner.is_some());
        match owned {
            Some(options) if self.security().is_none() => Err(Error::Setup(format!(
                "records of {} have owners, so the service needs authentication: call `auth`",
                options.descriptor.name
            ))),
            _ => Ok(()),
        }
    }

    pub(crate) fn check(&self) -> Result<()> {
        for (position, options) in self.resources.iter().enumerate() {
            check_prefix(options)?;
            check_limits(options)?;
            for other in &self.resources[..position] {
                if collide(&options.prefix, &other.prefix) {
                    return Err(Error::Setup(format!(
                        "the prefixes of {} (`{}`) and {} (`{}`) collide",
                        other.descriptor.name, other.prefix, options.descriptor.name, options.prefix
                    )));
                }
            }
        }
        Ok(())
    }
}

impl PageLimits {
    /// A resource with these limits, if it has pages.
    fn apply(self, mut options: ResourceOptions) -> ResourceOptions {
        if options.pagination.is_some() {
            if let Some(limit) = self.max_limit {
                options = options.max_limit(limit);
            }
            if let Some(limit) = self.default_limit {
                options = options.default_limit(limit);
            }
        }
        options
    }
}

fn visit(resource: &'static Descriptor, visited: &mut HashSet<usize>, tables: &mut Vec<&'static Descriptor>) {
    if !visited.insert(std::ptr::from_ref(resource).addr()) {
        return;
    }
    for reference in resource.columns.iter().filter_map(|column| column.references) {
        visit((reference.target)(), visited, tables);
    }
    tables.push(resource);
}

fn check_prefix(options: &ResourceOptions) -> Result<()> {
    let (prefix, name) = (&options.prefix, options.descriptor.name);
    let legal = |segment: &str| {
        !segment.is_empty()
            && ![".", ".."].contains(&segment)
            && segment.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte))
    };
    if !prefix.strip_prefix('/').is_some_and(|path| path.split('/').all(legal)) {
        return Err(Error::Setup(format!(
            "the prefix of {name}, `{prefix}`, must be like `/products` or `/v1/products`: letters, digits, `-`, `.`, `_`, `~`"
        )));
    }
    match RESERVED.iter().find(|route| collide(prefix, route)) {
        Some(route) => {
            Err(Error::Setup(format!("the prefix of {name}, `{prefix}`, collides with the route `{route}`")))
        }
        None => Ok(()),
    }
}

fn check_limits(options: &ResourceOptions) -> Result<()> {
    match options.pagination {
        Some(pages) if pages.default_limit == 0 || pages.default_limit > pages.max_limit => Err(Error::Setup(format!(
            "{}: the default limit must be at least 1 and at most the largest, but they are {} and {}",
            options.descriptor.name, pages.default_limit, pages.max_limit
        ))),
        _ => Ok(()),
    }
}

/// Whether one path is the other, or lies below it where a key would stand.
fn collide(one: &str, other: &str) -> bool {
    let below = |inner: &str, outer: &str| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    below(one, other) || below(other, one)
}
