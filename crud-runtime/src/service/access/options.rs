//! [`AccessOptions`]: roles, rules and principals of a service.

use std::future::Future;
use std::sync::Arc;

use super::credential::Credential;
use crate::auth::AuthParts;
use crate::http::description::security_scheme::SecurityScheme;
use crate::http::principal_source::{Authenticate, Authenticating};
use crate::http::state::{ServiceState, VariablesOf};
use crate::model::access::{AccessRules, Role, Roles};
use crate::model::principal::Principal;
use crate::model::problem::Problem;

/// Roles, rules and principals of a service: [`Service::access`](crate::Service::access) sets them.
///
/// ```
/// use crud_runtime::access::{Access, Role};
/// # use crud_runtime::prelude::*;
///
/// # async fn build(auth: crud_runtime::auth::Auth) -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.auth(auth).access(|access| {
///     access.role(Role::new("admin").implies("staff")).default_access(Access::Role("staff")).audit_role("admin")
/// });
/// # let _ = service; Ok(()) }
/// ```
#[must_use = "options do nothing until a service has them"]
#[derive(Default)]
#[allow(missing_debug_implementations, reason = "functions have none")]
pub struct AccessOptions {
    /// The roles, and what they imply.
    pub(in crate::service) roles: Roles,
    /// Access rules for the operations that a resource leaves out.
    pub(in crate::service) default: Option<&'static AccessRules>,
    /// Whether the program says that its rules are not enforced.
    pub(in crate::service) is_waived: bool,
    /// The role that reads the audit log, if the program states one.
    pub(in crate::service) audit_role: Option<Arc<str>>,
    /// The role that may manage users over HTTP, if one may.
    #[cfg(feature = "auth")]
    pub(in crate::service) users_role: Option<Arc<str>>,
    /// Whether that role counts for principals that are not in the service's table of users.
    #[cfg(feature = "auth")]
    pub(in crate::service) users_role_of_any_source: bool,
    /// The role that reads, retries and cancels jobs over HTTP, if one may.
    #[cfg(feature = "jobs")]
    pub(in crate::service) jobs_role: Option<Arc<str>>,
    /// The role that reads the metrics at the service's address.
    #[cfg(feature = "metrics")]
    pub(in crate::service) metrics_role: Option<Arc<str>>,
    pub(in crate::service) authentication: ProgramAuthentication,
    /// The session variables of callers.
    pub(in crate::service) session_variables: Option<VariablesOf>,
}

/// The program's own authentication, and its description.
#[derive(Default)]
pub(in crate::service) struct ProgramAuthentication {
    pub(in crate::service) layers: bool,
    /// Sources of principals, in the order in which they are asked.
    pub(in crate::service) sources: Vec<StatedSource>,
    pub(in crate::service) schemes: Vec<(String, SecurityScheme)>,
}

/// A source of principals that the program or a plugin states.
pub(in crate::service) struct StatedSource {
    /// The name of its scheme; none for the source of [`AccessOptions::authenticate_with`].
    pub(in crate::service) name: Option<String>,
    pub(in crate::service) find: Authenticate,
    pub(in crate::service) credential: Credential,
}

impl ProgramAuthentication {
    /// Whether requests can have principals of the program.
    pub(in crate::service) const fn is_present(&self) -> bool {
        self.layers || !self.sources.is_empty()
    }

    /// Whether an answer may depend on credentials that are not in `Authorization`.
    pub(in crate::service) fn is_private(&self) -> bool {
        self.layers || self.sources.iter().any(|source| source.credential == Credential::Elsewhere)
    }

    /// Whether browsers may send the credentials of a source for pages of other origins.
    pub(in crate::service) fn is_sent_by_browsers(&self) -> bool {
        self.layers || self.sources.iter().any(|source| source.credential != Credential::Secret)
    }
}

impl AccessOptions {
    /// Registers a role, with the roles that it implies: a principal of the role also has those, and what they imply,
    /// whatever its source. Rules, scopes, owners and the document name the implied one alone.
    ///
    /// A cycle of roles is an error at start. `crud routes` prints what each role implies.
    ///
    /// ```
    /// use crud_runtime::access::Role;
    /// # use crud_runtime::prelude::*;
    /// #[derive(Debug, Clone, Resource)]
    /// #[crud(access(read(role("member")), write(role("staff"))))]
    /// struct Book { id: i64 }
    ///
    /// # async fn build() -> crud_runtime::Result<()> {
    /// # let auth = crud_runtime::auth::Auth::builder().secret("a secret of at least thirty-two bytes").build()?;
    /// let service = Service::connect("sqlite::memory:").await?.auth(auth).resource::<Book>();
    /// let service = service.access(|access| {
    ///     access.role(Role::new("admin").implies("staff")).role(Role::new("staff").implies("member"))
    /// });
    /// # Ok(()) }
    /// ```
    pub fn role(mut self, role: Role) -> Self {
        self.roles.add(role);
        self
    }

    /// Sets the access of every operation that a resource leaves out; a valid token, if never called. An
    /// [`Access`](crate::access::Access) is the rule of each operation, [`AccessRules`] those of groups.
    ///
    /// A default never opens what a resource states. Restores, purges and batches of deletes have the rule that the
    /// resource states for deletes. Where a resource states a rule, operations that it leaves out need a principal. A
    /// rule for lists, reads of one record or histories also applies to the others of these and to aggregates, which
    /// show the same records, unless it admits every principal of the default.
    ///
    /// ```
    /// use crud_runtime::access::{Access, AccessRules};
    /// # use crud_runtime::prelude::*;
    /// #[derive(Debug, Clone, Resource)]
    /// #[crud(access(delete(role("admin"))))]
    /// struct Book { id: i64 }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> crud_runtime::Result<()> {
    /// # let auth = crud_runtime::auth::Auth::builder().secret("a secret of at least thirty-two bytes").build()?;
    /// let service = Service::connect("sqlite::memory:").await?.auth(auth).resource::<Book>();
    /// let rules = AccessRules::everything(Access::Role("staff")).read(Access::Authenticated);
    /// let service = service.access(|access| access.default_access(rules));
    /// let table = service.model()?.access_table();
    /// let rule = |method: &str, path: &str| {
    ///     let route = table.routes().iter().find(|route| route.method == method && route.path == path).unwrap();
    ///     (route.access.clone(), route.stated_by.clone())
    /// };
    /// assert_eq!(rule("POST", "/books"), (r#"role("staff")"#.into(), "default_access".into()));
    /// assert_eq!(rule("DELETE", "/books/{id}"), (r#"role("admin")"#.into(), "Book: delete".into()));
    /// # Ok(()) }
    /// ```
    pub fn default_access(mut self, rules: impl Into<AccessRules>) -> Self {
        // Leaked once, for as long as the program runs: rules are copied with every request.
        self.default = Some(Box::leak(Box::new(rules.into())));
        self
    }

    /// Authenticates requests by a function of the program: by a cookie of its sessions, API keys, a header of a proxy.
    /// Access rules, owners, tenants, scopes and the audit log take its principals as those of tokens. It is one of the
    /// [sources of principals](Self::principal_source), without a scheme; a second call replaces it.
    ///
    /// `None` is a request without a principal; with [`Service::auth`](crate::Service::auth) too, its token then
    /// decides. A problem, such as `Problem::new(Code::InvalidToken, "…")`, is the answer, except on routes that are
    /// open to everyone, where a 401 counts as a request without a principal.
    ///
    /// Browsers send cookies for pages of other origins too. So an unsafe request with a cookie needs an `Origin` or
    /// `Sec-Fetch-Site` of the service's own origin, or of one that [`ServerOptions::cors`](crate::ServerOptions::cors) lets send credentials, and answers
    /// are `Cache-Control: private`.
    ///
    /// ```
    /// use crud_runtime::auth::{AuthParts, Principal};
    /// # use crud_runtime::prelude::*;
    ///
    /// /// The principal that the proxy on this machine names. The same header of another client is a forgery.
    /// async fn of_proxy(parts: AuthParts) -> Result<Option<Principal>, Problem> {
    ///     let is_proxy = parts.peer().is_some_and(|peer| peer.ip().is_loopback());
    ///     Ok(parts.header("x-user").filter(|_| is_proxy).map(Principal::new))
    /// }
    ///
    /// # #[derive(Debug, Clone, Resource)]
    /// # struct Book { id: i64 }
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let service = Service::connect("sqlite::memory:").await?.resource::<Book>();
    /// let service = service.access(|access| access.authenticate_with(of_proxy));
    /// # Ok(()) }
    /// ```
    pub fn authenticate_with<F, Fut>(mut self, authenticate: F) -> Self
    where
        F: Fn(AuthParts) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Option<Principal>, Problem>> + Send + 'static,
    {
        let find = move |_, parts| -> Authenticating { Box::pin(authenticate(parts)) };
        let source = StatedSource { name: None, find: Arc::new(find), credential: Credential::Elsewhere };
        match self.authentication.sources.iter_mut().find(|other| other.name.is_none()) {
            Some(former) => *former = source,
            None => self.authentication.sources.push(source),
        }
        self
    }

    /// Adds a source of principals: credentials of one kind, such as API keys, which the document describes by this security
    /// scheme under this name. A name that another scheme has is an error at start.
    ///
    /// Sources are asked in the order in which they are added, [`authenticate_with`](Self::authenticate_with) among them; layers come before them,
    /// and tokens of [`Service::auth`](crate::Service::auth) after. `None` is a request without such credentials: the next source is
    /// asked. A problem, such as `Problem::of(Code::InvalidToken)`, refuses the credentials, and no further source is asked; a
    /// route that is open to everyone then has a request without a principal.
    ///
    /// A 401 has the challenge of each scheme in `WWW-Authenticate`. Answers are `Cache-Control: private` only where the
    /// credentials are not in `Authorization`. What [`authenticate_with`](Self::authenticate_with) says of cookies applies to all credentials that
    /// browsers send by themselves.
    ///
    /// The function gets the state of the service, with its database: [`ServiceState::app`](crate::ServiceState::app).
    ///
    /// ```
    /// use crud_runtime::ServiceState;
    /// use crud_runtime::auth::{AuthParts, Principal};
    /// use crud_runtime::error::Code;
    /// use crud_runtime::openapi::SecurityScheme;
    /// # use crud_runtime::prelude::*;
    ///
    /// /// A door's sensor.
    /// #[derive(Debug, Clone, Resource)]
    /// #[crud(internal)]
    /// struct Sensor { id: i64, name: String, #[crud(unique)] secret_hash: String }
    /// # fn hash_of(secret: &str) -> String { secret.to_owned() }
    ///
    /// /// The sensor whose secret is in `X-Sensor`.
    /// async fn sensor(state: ServiceState, parts: AuthParts) -> Result<Option<Principal>, Problem> {
    ///     let Some(secret) = parts.header("x-sensor") else { return Ok(None) };
    ///     let by_hash = Sensor::FIELDS.secret_hash.eq(hash_of(secret)).limit(1);
    ///     let found = state.app().store::<Sensor>().list(by_hash).await?.pop();
    ///     let sensor = found.ok_or_else(|| Problem::of(Code::InvalidToken))?;
    ///     Ok(Some(Principal::new(format!("sensor:{}", sensor.name)).with_roles(["sensor"])))
    /// }
    ///
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let scheme = SecurityScheme::header("X-Sensor");
    /// let service = Service::connect("sqlite::memory:").await?.table::<Sensor>();
    /// let service = service.access(|access| access.principal_source("sensor", scheme, sensor));
    /// # Ok(()) }
    /// ```
    pub fn principal_source<F, Fut>(
        mut self,
        name: impl Into<String>,
        scheme: impl Into<SecurityScheme>,
        find: F,
    ) -> Self
    where
        F: Fn(ServiceState, AuthParts) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Option<Principal>, Problem>> + Send + 'static,
    {
        let (name, scheme) = (name.into(), scheme.into());
        let credential = Credential::of(&scheme);
        let find = move |state, parts| -> Authenticating { Box::pin(find(state, parts)) };
        self.authentication.sources.push(StatedSource { name: Some(name.clone()), find: Arc::new(find), credential });
        self.security_scheme(name, scheme)
    }

    /// Takes the principals that layers set as extensions of requests: of axum-login, of sessions, of another library of
    /// tokens. If never called, such an extension counts for nothing.
    ///
    /// The innermost of several layers counts: it sets the extension last. Its principal goes before those of
    /// [`authenticate_with`](Self::authenticate_with) and of tokens. What is said there of cookies applies.
    ///
    /// ```
    /// use crud_runtime::auth::Principal;
    /// use crud_runtime::axum::extract::Request;
    /// use crud_runtime::axum::middleware::{Next, from_fn};
    /// use crud_runtime::axum::response::Response;
    /// # use crud_runtime::prelude::*;
    ///
    /// /// The user that a layer outside of this one has found.
    /// #[derive(Clone)]
    /// struct User { id: i64, is_admin: bool }
    ///
    /// async fn set_principal(mut request: Request, next: Next) -> Response {
    ///     if let Some(User { id, is_admin }) = request.extensions().get().cloned() {
    ///         let principal = Principal::new(id.to_string()).with_roles(is_admin.then_some("admin"));
    ///         request.extensions_mut().insert(principal);
    ///     }
    ///     next.run(request).await
    /// }
    ///
    /// # #[derive(Debug, Clone, Resource)]
    /// # struct Book { id: i64 }
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let service = Service::connect("sqlite::memory:").await?.resource::<Book>();
    /// let service = service.access(|access| access.principal_from_layers()).layer(from_fn(set_principal));
    /// # Ok(()) }
    /// ```
    pub fn principal_from_layers(mut self) -> Self {
        self.authentication.layers = true;
        self
    }

    /// Adds a security scheme to the document, by which requests authenticate: that of
    /// [`authenticate_with`](Self::authenticate_with) or of a layer. With several, a request needs one of them.
    ///
    /// A 401 has the challenge of each one in `WWW-Authenticate`, such as `Cookie realm="api"` or `Basic realm="api"`, behind
    /// that of tokens; where none has one, as mutual TLS, it is `Custom realm="api"`.
    ///
    /// ```
    /// use crud_runtime::openapi::SecurityScheme;
    /// # use crud_runtime::prelude::*;
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let session = SecurityScheme::cookie("session");
    /// let service = Service::connect("sqlite::memory:").await?.access(|access| {
    ///     access.principal_from_layers().security_scheme("session", session)
    /// });
    /// # Ok(()) }
    /// ```
    pub fn security_scheme(mut self, name: impl Into<String>, scheme: impl Into<SecurityScheme>) -> Self {
        self.authentication.schemes.push((name.into(), scheme.into()));
        self
    }

    crud_core::builder_setters! {
        /// Lets principals with this role manage the users in the service's own table over HTTP: adds `GET` and
        /// `POST /auth/users`, and `GET` and `PATCH /auth/users/{id}`. There are no such routes if never called.
        ///
        /// The role is one for operators, as it can give users any role. The caller's row in that table decides: a
        /// token of another issuer, a principal of the program, or one whose user is gone has no access. A principal of
        /// a tenant has none either: users belong to no tenant.
        ///
        /// ```
        /// # use crud_runtime::prelude::*;
        /// # use crud_runtime::auth::Auth;
        /// # #[tokio::main(flavor = "current_thread")]
        /// # async fn main() -> crud_runtime::Result<()> {
        /// let auth = Auth::builder().secret("a secret of at least thirty-two bytes").build()?;
        /// let service = Service::connect("sqlite::memory:").await?.auth(auth);
        /// let service = service.access(|access| access.users_role("admin")).migrate().await?;
        /// service.users().create_first("admin", "correct horse", ["admin"]).await?;
        /// assert!(service.openapi_json()?["paths"]["/auth/users/{id}"].is_object());
        /// # Ok(()) }
        /// ```
        #[cfg(feature = "auth")]
        users_role(role: impl Into<Arc<str>>) => users_role = Some(role.into());

        /// Lets the role of [`users_role`](Self::users_role) count for principals that are none of the service's own
        /// users, too: those of another issuer's tokens, of [`authenticate_with`](Self::authenticate_with) or of a
        /// layer. Such a principal can create users, who outlive the trust in its source.
        ///
        /// ```
        /// # use crud_runtime::prelude::*;
        /// # use crud_runtime::auth::Auth;
        /// # async fn build(auth: Auth) -> crud_runtime::Result<()> {
        /// let service = Service::connect("sqlite::memory:").await?.auth(auth);
        /// let service = service.access(|access| access.users_role("user-admin").users_role_of_any_source());
        /// # Ok(()) }
        /// ```
        #[cfg(feature = "auth")]
        users_role_of_any_source() => users_role_of_any_source = true;

        /// Sets the role that may read the audit log of all resources; `admin` if never called. Without authentication,
        /// every client may.
        audit_role(role: impl Into<Arc<str>>) => audit_role = Some(role.into());

        /// Sets the role that reads the jobs at `GET /_service/jobs`, retries them at `POST /_service/jobs/{id}/retry` and
        /// cancels them at `/cancel`. Without it, the [`audit_role`](Self::audit_role) reads them, and nothing over HTTP changes
        /// them.
        ///
        /// ```
        /// # use crud_runtime::prelude::*;
        /// # use crud_runtime::auth::Auth;
        /// # async fn build(auth: Auth) -> crud_runtime::Result<()> {
        /// let service = Service::connect("sqlite::memory:").await?.auth(auth);
        /// let service = service.access(|access| access.jobs_role("operator"));
        /// # Ok(()) }
        /// ```
        #[cfg(feature = "jobs")]
        jobs_role(role: impl Into<Arc<str>>) => jobs_role = Some(role.into());

        /// Serves metrics for Prometheus at `GET /metrics` on the service's address, to principals with this role. It needs
        /// [`Service::auth`](crate::Service::auth).
        #[cfg(feature = "metrics")]
        metrics_role(role: impl Into<Arc<str>>) => metrics_role = Some(role.into());
    }
}
