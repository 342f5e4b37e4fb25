//! [`ServiceState`]: the state that a service's handlers share.

use std::fmt;
use std::future::Future;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use axum::Extension;
use axum::extract::FromRef;
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, Method};
use axum::response::Response;
use tokio::sync::Semaphore;

use super::head::Head;
use super::layer::caller;
use super::layer::problem_format::ProblemFormat;
use super::limits::Limits;
use super::list_header::ListHeaders;
use super::param::header::session_token;
use super::principal_source::PrincipalSource;
use super::schema_watch::SchemaWatch;
use super::server::drain::Drain;
use super::server::memory_budget::{ClientBudget, MemoryBudget};
use super::{base_url, client_address};
#[cfg(feature = "auth")]
use crate::auth::Auth;
use crate::model::access::Enforcement;
use crate::model::descriptor::Descriptor;
use crate::model::principal::Principal;
use crate::model::problem::{Code, Problem};
use crate::query::claims::is_exempt;
use crate::query::visibility::{MovedPrefix, ReachedAt};
use crate::response::principal::{FindPrincipal, PrincipalLookup};
use crate::storage::adapter::Adapter;
use crate::storage::future::BoxFuture;
use crate::storage::layers::tenant_read_audit::TenantReadAudit;
use crate::storage::replicas::Replicas;
use crate::storage::session_variables::SessionVariables;
use crate::store::app::App;
use crate::store::mounted::resource::MountedResource;
use crate::store::scope::tenant_reads::TenantReads;
use crate::store::tables::idempotency::KeyPurge;
use crate::store::tables::request_window::WindowPurge;
use crate::store::tables::secret::CursorSecret;
use crate::store::tables::write_probe::WriteProbe;

/// The state that a service's handlers share: cheap to clone.
///
/// A router that carries single operations ([`ResourceRoutes::route`](crate::ResourceRoutes::route)) needs one, from
/// [`Service::state`](crate::service::builder::Service::state), as its state or through `FromRef`.
/// [`ResourceRoutes::router`](crate::ResourceRoutes::router) takes it as an argument.
///
/// ```
/// use crud_runtime::ServiceState;
/// use crud_runtime::axum::Router;
/// use crud_runtime::axum::extract::FromRef;
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// struct Book { id: i64, title: String }
///
/// /// The state of a program's handlers, with that of its service.
/// #[derive(Clone)]
/// struct Program { crud: ServiceState }
///
/// impl FromRef<Program> for ServiceState {
///     fn from_ref(program: &Program) -> Self {
///         program.crud.clone()
///     }
/// }
///
/// fn shelf(program: Program) -> Router {
///     Router::new().route("/shelf", Book::route(Operation::List)).with_state(program)
/// }
/// ```
#[derive(Clone)]
pub struct ServiceState {
    shared: Arc<Shared>,
    /// The handle and the variables of the caller, for a request of a service that has variables of callers.
    caller: Option<Arc<CallerSession>>,
    /// The handle that acts as a request's sender, for the handler of an own route.
    request_app: Option<RequestApp>,
}

/// The handle that acts as a request's sender. The original has the request's context. A copy has the handle alone,
/// because a handler may keep it for longer than the request.
enum RequestApp {
    OfContext(Arc<dyn HasApp>),
    Kept(Arc<App>),
}

/// The context of a request, which has the handle that acts as the request's sender.
pub(crate) trait HasApp: Send + Sync {
    fn app(&self) -> &App;
}

impl RequestApp {
    fn app(&self) -> &App {
        match self {
            Self::OfContext(context) => context.app(),
            Self::Kept(app) => app,
        }
    }
}

impl Clone for RequestApp {
    fn clone(&self) -> Self {
        Self::Kept(match self {
            Self::OfContext(context) => Arc::new(context.app().clone()),
            Self::Kept(app) => app.clone(),
        })
    }
}

/// The handle to storage under the variables of one caller.
struct CallerSession {
    app: App,
    variables: Arc<SessionVariables>,
}

/// The variables of a request's sender.
pub(crate) type VariablesOf = Arc<dyn Fn(Option<&Principal>) -> SessionVariables + Send + Sync>;

/// Maximum number of all-or-nothing imports at a time: each is one long transaction.
const IMPORTS: usize = 2;

/// Parts that a service gives to its state.
pub(crate) struct StateParts {
    pub(crate) app: App,
    pub(crate) replicas: Option<Arc<Replicas>>,
    pub(crate) limits: Limits,
    pub(crate) cursors: CursorSecret,
    /// The role that may read the audit log of all resources.
    pub(crate) audit_role: Arc<str>,
    /// Values of higher layers, by their types: the model, and the handlers in place of generated operations.
    pub(crate) extensions: Extensions,
    /// The source of the principals of requests.
    pub(crate) principals: PrincipalSource,
    /// The variables of the senders of requests.
    pub(crate) variables: Option<VariablesOf>,
    /// The URL at which clients reach the service, where the program states it.
    pub(crate) public_url: Option<Arc<str>>,
    /// The watch over the tables.
    pub(crate) schema: Option<SchemaWatch>,
    /// The drain that the service's server runs.
    pub(crate) drain: Drain,
    /// The format of problems in the responses.
    pub(crate) problem_format: Option<ProblemFormat>,
    /// The path of the login, where the service issues tokens.
    pub(crate) login: Option<Arc<str>>,
    /// The write that `/ready` makes.
    pub(crate) write_probe: Option<WriteProbe>,
    /// The headers that plugins add to lists.
    pub(crate) list_headers: ListHeaders,
}

struct Shared {
    parts: StateParts,
    requests: InFlight,
    memory: Arc<MemoryBudget>,
    /// A permit for each all-or-nothing import that may run at a time.
    imports: Arc<Semaphore>,
    key_purge: KeyPurge,
    window_purge: WindowPurge,
    /// The audited resources that exempt some principals from having a tenant.
    exempting: Vec<&'static Descriptor>,
    /// Whether any field depends on the URL at which a request reached the service.
    computes: bool,
    /// The prefixes of resources that the program has changed.
    moved: Arc<[MovedPrefix]>,
}

/// The prefixes that are not those of the resources' descriptors.
fn moved_prefixes(app: &App) -> Arc<[MovedPrefix]> {
    let prefixes = app.resources().iter().map(|mounted| (mounted.resource(), &mounted.options().prefix));
    let moved = prefixes.filter(|(resource, prefix)| resource.prefix != **prefix);
    moved.map(|(resource, prefix)| MovedPrefix { resource, prefix: prefix.clone() }).collect()
}

/// A weak handle to the state of a service, which does not keep the state in memory: [`ServiceState::downgrade`].
#[derive(Clone)]
pub struct WeakServiceState(Weak<Shared>);

impl fmt::Debug for WeakServiceState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WeakServiceState").finish_non_exhaustive()
    }
}

impl WeakServiceState {
    /// The state, acting as the program; `None` where the service is gone.
    pub fn upgrade(&self) -> Option<ServiceState> {
        Some(ServiceState { shared: self.0.upgrade()?, caller: None, request_app: None })
    }
}

impl ServiceState {
    /// A weak handle, for a plugin that its own routes hold: the routes are part of the state.
    pub fn downgrade(&self) -> WeakServiceState {
        WeakServiceState(Arc::downgrade(&self.shared))
    }

    /// Removes the idempotency keys that have expired, from time to time.
    pub(crate) fn purge_keys(&self) {
        self.shared.key_purge.start_if_due(&self.shared.parts.app);
    }

    /// Removes the counts of requests whose windows are over, from time to time.
    pub(crate) fn purge_windows(&self) {
        self.shared.window_purge.start_if_due(&self.shared.parts.app);
    }

    pub(crate) fn new(mut parts: StateParts) -> Self {
        parts.limits.query.text_limit = parts.limits.text;
        let (limits, resources) = (parts.limits, parts.app.resources().iter().map(|mounted| mounted.resource()));
        let exempts =
            |of: &&'static Descriptor| of.audit.is_some() && of.tenant.is_some_and(|tenant| tenant.except.is_some());
        let shared = Shared {
            requests: InFlight::new(limits.requests as usize),
            memory: MemoryBudget::new(limits.memory.max(limits.body).max(limits.batch_body)),
            imports: Arc::new(Semaphore::new(IMPORTS)),
            key_purge: KeyPurge::default(),
            window_purge: WindowPurge::default(),
            exempting: resources.clone().filter(exempts).collect(),
            computes: resources.clone().any(|resource| resource.computing.is_some() || resource.converts),
            moved: moved_prefixes(&parts.app),
            parts,
        };
        Self { shared: Arc::new(shared), caller: None, request_app: None }
    }

    /// The parts of the service.
    pub(crate) fn parts(&self) -> &StateParts {
        &self.shared.parts
    }

    /// The watch over the tables.
    pub(crate) fn schema(&self) -> Option<&SchemaWatch> {
        self.shared.parts.schema.as_ref()
    }

    /// The URL at which clients reach the service, where the program states it:
    /// [`ServerOptions::public_url`](crate::ServerOptions::public_url).
    pub fn public_url(&self) -> Option<&str> {
        self.shared.parts.public_url.as_deref()
    }

    /// The place at which a request reached the service, where a field depends on it.
    pub(crate) fn reached_at(&self, parts: &Parts) -> Option<Arc<ReachedAt>> {
        if !self.shared.computes {
            return None;
        }
        let stated = self.shared.parts.public_url.as_deref().map(str::to_owned);
        let base = stated.unwrap_or_else(|| base_url::of_request(parts, self.proxy_hops() > 0));
        let mount = Head::from(parts).mount().to_owned();
        Some(Arc::new(ReachedAt { base, mount, prefixes: self.shared.moved.clone() }))
    }

    /// The state for a request of this sender. Where the service has variables of callers, its statements run under the
    /// sender's variables.
    ///
    /// # Errors
    /// `internal` where storage has no session variables: such a service does not start.
    pub(crate) fn of_caller(self, principal: Option<&Principal>) -> Result<Self, Problem> {
        let Some(variables) = &self.shared.parts.variables else { return Ok(self) };
        let variables = Arc::new(variables(principal));
        let session = self.shared.parts.app.adapter().session(&variables);
        let session = session.ok_or_else(|| Problem::internal("the storage has no session variables"))?;
        let app = self.shared.parts.app.in_session(session);
        Ok(Self { caller: Some(Arc::new(CallerSession { app, variables })), ..self })
    }

    /// The state for the handler of an own route: its handle to storage acts as the sender of the request.
    pub(crate) fn of_handler(&self, context: Arc<dyn HasApp>) -> Self {
        Self { request_app: Some(RequestApp::OfContext(context)), ..self.clone() }
    }

    /// The observer of a request's reads, for a principal that reads in every tenant: each tenant gets an audit entry.
    pub(crate) fn tenant_reads(
        &self,
        principal: Option<&Arc<Principal>>,
        (method, path): (&Method, &str),
    ) -> Option<Arc<dyn TenantReadAudit>> {
        let principal = principal?;
        self.shared.exempting.iter().find(|resource| is_exempt(resource, Some(principal)))?;
        let app = &self.shared.parts.app;
        let (adapter, clock, operation) = (app.adapter().clone(), app.clock().clone(), format!("{method} {path}"));
        Some(Arc::new(TenantReads::new(adapter, clock, principal.clone(), operation)))
    }

    /// Resolves when the service stops: at the stop signal, after
    /// [`ServerOptions::shutdown_delay`](crate::ServerOptions::shutdown_delay), and before it refuses connections. A
    /// response that does not end by itself, such as a stream of events, has to end then, or it delays the stop by up
    /// to 30 seconds.
    ///
    /// In a program with another server, it resolves when [`Background::run`](crate::Background::run) stops.
    pub fn stopping(&self) -> impl Future<Output = ()> + Send + use<> {
        self.shared.parts.drain.over()
    }

    /// The authentication of the service, if it has one.
    #[cfg(feature = "auth")]
    pub fn auth(&self) -> Option<&Arc<Auth>> {
        self.shared.parts.principals.sources()?.tokens.as_ref()
    }

    /// Whether the state is that of a request for which policies of the database hide records.
    pub(crate) const fn has_policies(&self) -> bool {
        self.caller.is_some()
    }

    /// Whether requests can have principals.
    pub(crate) fn is_secured(&self) -> bool {
        self.shared.parts.principals.is_present()
    }

    /// The access rules that apply to requests.
    pub(crate) fn enforcement(&self) -> Enforcement {
        self.shared.parts.principals.enforcement()
    }

    /// The principal of a request with this head; `None` without a principal or without authentication.
    ///
    /// # Errors
    /// Errors of [`PrincipalSource::authenticate`].
    pub(crate) async fn authenticate(&self, head: Head<'_>) -> Result<Option<Principal>, Problem> {
        let principal = self.shared.parts.principals.authenticate(self, head).await?;
        if let Some(principal) = &principal {
            caller::note(&principal.actor());
        }
        Ok(principal)
    }

    /// The principal of a request with this head, as the service authenticates it now; `None` without a principal or
    /// without authentication. A long response, such as a stream, calls this again to check that its sender is still
    /// authenticated.
    ///
    /// ```
    /// use crud_runtime::ServiceState;
    /// use crud_runtime::axum::http::request::Parts;
    ///
    /// /// Whether the session of a stream has ended.
    /// async fn has_ended(state: &ServiceState, head: &Parts) -> bool {
    ///     !matches!(state.principal_of(head).await, Ok(Some(_)))
    /// }
    /// ```
    ///
    /// # Errors
    /// 401 for credentials that are refused, 403 for a tenant that the user is not a member of; when the database
    /// fails.
    pub async fn principal_of(&self, head: &Parts) -> Result<Option<Principal>, Problem> {
        self.authenticate(head.into()).await
    }

    /// A layer for routers of the program that are not merged into the service: the extractor
    /// [`Principal`](crate::auth::Principal) authenticates there as the service does.
    ///
    /// ```
    /// use crud_runtime::auth::{Auth, Principal};
    /// use crud_runtime::axum::{Router, routing::get};
    /// # use crud_runtime::prelude::*;
    ///
    /// async fn hello(caller: Option<Principal>) -> String {
    ///     match caller {
    ///         Some(caller) => format!("Hello, {} with roles {:?}", caller.subject(), caller.roles()),
    ///         None => "Hello, stranger".to_owned(),
    ///     }
    /// }
    ///
    /// # async fn app(auth: Auth) -> crud_runtime::Result<Router> {
    /// let service = Service::connect("sqlite::memory:").await?.auth(auth).migrate().await?;
    /// let own = Router::new().route("/hello", get(hello)).layer(service.state()?.principals());
    /// Ok(own.nest("/api", service.into_router()?))
    /// # }
    /// ```
    pub fn principals(&self) -> Extension<PrincipalLookup> {
        Extension(PrincipalLookup::new(Arc::new(self.clone())))
    }

    /// Admits a request, which is in flight until the result is dropped.
    ///
    /// # Errors
    /// `unavailable` at the limit of requests in flight.
    pub(crate) fn admit(&self) -> Result<Admitted<'_>, Problem> {
        self.shared.requests.admit().ok_or_else(|| Problem::new(Code::Unavailable, "too many requests are in flight"))
    }

    /// The memory for the body of a request with these headers, and for its response.
    pub(crate) fn memory_of(&self, headers: &HeaderMap, extensions: &Extensions) -> ClientBudget {
        self.shared.memory.share(self.client_address(headers, extensions))
    }

    /// The client's address of a request with these headers.
    pub(crate) fn client_address(&self, headers: &HeaderMap, extensions: &Extensions) -> Option<IpAddr> {
        client_address::of_request(headers, extensions, self.proxy_hops())
    }

    /// Number of proxies in front of the service.
    #[cfg_attr(not(feature = "auth"), allow(clippy::unused_self, reason = "authentication says it"))]
    fn proxy_hops(&self) -> usize {
        #[cfg(feature = "auth")]
        let hops = self.auth().map_or(0, |auth| auth.proxy_hops);
        #[cfg(not(feature = "auth"))]
        let hops = 0;
        hops
    }

    /// The permits of all-or-nothing imports.
    pub(crate) fn imports(&self) -> &Arc<Semaphore> {
        &self.shared.imports
    }

    /// The handle to the service's storage, acting as the program. In a handler of
    /// [`Service::route`](crate::Service::route), it is that of [`Context::app`](crate::routing::Context::app), acting
    /// as the request's sender.
    pub fn app(&self) -> &App {
        match &self.request_app {
            Some(request_app) => request_app.app(),
            None => self.caller.as_ref().map_or(&self.shared.parts.app, |caller| &caller.app),
        }
    }

    pub(crate) fn adapter(&self) -> &Arc<dyn Adapter> {
        self.app().adapter()
    }

    /// The storage that a reading request with these headers uses: the primary or a replica.
    ///
    /// # Errors
    /// `validation_failed` when a session token is malformed.
    pub(crate) async fn reader(&self, headers: &HeaderMap) -> Result<Arc<dyn Adapter>, Problem> {
        let Some(replicas) = &self.shared.parts.replicas else { return Ok(self.adapter().clone()) };
        let reader = replicas.reader(session_token::latest(headers)?).await;
        let Some(caller) = &self.caller else { return Ok(reader) };
        reader.session(&caller.variables).ok_or_else(|| Problem::internal("the replica has no session variables"))
    }

    /// Adds the session token to the response to a change, where there are replicas.
    pub(crate) async fn add_session_token(&self, response: &mut Response) {
        if let Some(replicas) = &self.shared.parts.replicas {
            let position = replicas.position().await;
            response.headers_mut().insert(&session_token::X_SESSION_TOKEN, session_token::header_value(position));
        }
    }

    pub(crate) fn mounted(&self) -> &[Arc<MountedResource>] {
        self.shared.parts.app.resources()
    }

    /// The mounted resource of a descriptor, if the service has it.
    pub(crate) fn mounted_resource(&self, resource: &'static Descriptor) -> Option<&Arc<MountedResource>> {
        self.mounted().iter().find(|mounted| std::ptr::eq(mounted.resource(), resource))
    }

    pub(crate) fn limits(&self) -> Limits {
        self.shared.parts.limits
    }
}

impl FindPrincipal for ServiceState {
    fn find<'r>(&'r self, parts: &'r Parts) -> BoxFuture<'r, Result<Option<Principal>, Problem>> {
        Box::pin(self.authenticate(parts.into()))
    }
}

/// The handle to storage, for the extractor `State<App>`: in a handler of [`Service::route`](crate::Service::route)
/// that of [`Context::app`](crate::routing::Context::app), acting as the request's sender; in a merged router the
/// program's.
impl FromRef<ServiceState> for App {
    fn from_ref(state: &ServiceState) -> Self {
        state.app().clone()
    }
}

impl fmt::Debug for ServiceState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceState").field("app", self.app()).finish_non_exhaustive()
    }
}

/// The number of requests in flight, and its limit. A request beyond the limit is refused and never waits, so that one
/// number is enough: a semaphore locks its queue at every release.
#[derive(Debug)]
struct InFlight {
    limit: usize,
    number: AtomicUsize,
}

/// A request that is handled until this is dropped.
#[derive(Debug)]
pub(crate) struct Admitted<'a>(&'a AtomicUsize);

impl InFlight {
    const fn new(limit: usize) -> Self {
        Self { limit, number: AtomicUsize::new(0) }
    }

    /// Admits a request; `None` at the limit.
    fn admit(&self) -> Option<Admitted<'_>> {
        let admitted = Admitted(&self.number);
        (self.number.fetch_add(1, Ordering::Relaxed) < self.limit).then_some(admitted)
    }
}

impl Drop for Admitted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_beyond_the_limit_is_refused_until_another_one_ends() {
        let in_flight = InFlight::new(2);
        let (first, second) = (in_flight.admit(), in_flight.admit());
        assert!(first.is_some() && second.is_some());
        assert!(in_flight.admit().is_none() && in_flight.admit().is_none());
        drop(first);
        let third = in_flight.admit();
        assert!(third.is_some() && in_flight.admit().is_none());
    }
}
