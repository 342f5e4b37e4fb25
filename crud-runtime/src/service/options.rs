//! The options of a service that are values: its words in the document, its HTTP, its operation, its roles.

use std::any::TypeId;
use std::sync::Arc;
use std::time::Duration;

use axum::http::HeaderMap;
use utoipa::openapi::OpenApi;

use super::builder::Service;
#[cfg(feature = "auth")]
use crate::auth::Auth;
use crate::http::layer::cors::Cors;
use crate::http::layer::problem_format::ProblemFormat;
use crate::http::limits::Limits;
use crate::http::openapi::{Contact, DocsAccess, License};
use crate::http::service_paths::ServicePaths;
use crate::store::tables::secret::CursorSecret;
use crate::store::tables::write_probe::WriteProbe;

/// # OpenAPI document
///
/// Words of the document, and the routes that serve it.
impl Service {
    crud_core::builder_setters! {
        /// Sets the title, which the OpenAPI document and `/` show.
        title(title: impl Into<String>) => info.title = title.into();

        /// Sets the version of the API, which the OpenAPI document shows.
        version(version: impl Into<String>) => info.version = version.into();

        /// Sets the description of the API, in Markdown, which the OpenAPI document shows.
        description(description: impl Into<String>) => info.description = description.into();

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
        contact(contact: Contact) => info.contact = Some(contact);

        /// Sets the licence of the API, which the OpenAPI document shows.
        license(license: License) => info.license = Some(license);

        /// Sets the role that may read `/openapi.json` and `/docs`; every client may if never called. It needs
        /// authentication. A browser sends no token when it opens a page, so behind a role the page is for a proxy that adds
        /// one.
        docs_role(role: impl Into<Arc<str>>) => docs_access = DocsAccess::Role(role.into());

        /// Leaves out `/openapi.json` and `/docs`. [`openapi`](Self::openapi) still returns the document.
        without_docs() => docs_access = DocsAccess::Off;
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
}

/// # HTTP
///
/// Paths of the service's own routes, the format of errors, and origins.
impl Service {
    crud_core::builder_setters! {
        /// Sets the paths of the service's own routes, such as `/health`, and leaves some out.
        service_paths(paths: ServicePaths) => paths = paths;

        /// Sets the URL at which clients reach the service, such as `https://api.example.com`, from which computed fields make
        /// URLs ([`RequestContext::url`](crate::RequestContext::url)). If never called, it is the `Host` of each request; behind a
        /// proxy that the authentication names (`behind_tls_proxy`), `X-Forwarded-Proto` and `X-Forwarded-Host`.
        public_url(url: &str) => public_url = Some(url.trim_end_matches('/').into());

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
        without_fallback() => has_fallback = false;

        /// Writes errors in the program's own format, in place of problem documents.
        problem_format(format: ProblemFormat) => problem_format = Some(format);

        /// Lets web pages of other origins call the service; if never called, browsers refuse them. It holds for every route,
        /// in [`into_router`](Self::into_router) too, and for errors.
        cors(cors: Cors) => cors = Some(cors);
    }
}

/// # Operation
///
/// Limits, readiness, the stop and the log.
impl Service {
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

    crud_core::builder_setters! {
        /// Sets the time from which on a list is logged, once a minute for each filter and order, with its plan and the index
        /// that would help; 100 milliseconds if never called.
        slow_statement(threshold: Duration) => slow_statement = threshold;

        /// Sets how long the service still accepts connections after SIGINT or SIGTERM, while `/ready` is 503 `unavailable`; not
        /// at all if never called. A load balancer that asks `/ready` sends its requests elsewhere meanwhile: set more than its
        /// interval times the failures that it waits for.
        shutdown_delay(time: Duration) => drain.time = time;

        /// Lets `/ready` write too, which may take this long; it only reads if never called. Writes can fail or hang while reads
        /// go on: a full disk, a synchronous standby that is away, a server that has become read-only. `/ready` is 503
        /// `unavailable` then.
        ///
        /// The write updates the one record of the table `crud_probes`, without an audit entry. It is made once a second at
        /// most, one at a time.
        write_probe(limit: Duration) => write_probe = Some(WriteProbe::new(limit));

        /// Writes the log as a JSON object a line, instead of text; only where [`serve`](Self::serve) installs the log.
        json_logs() => json_logs = true;

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
        request_span(hook: impl Fn(&tracing::Span, &HeaderMap) + Send + Sync + 'static) => span_hook = Some(Arc::new(hook));

        /// Compresses responses with gzip where the client accepts it, but not those that have tokens. Off if never called: a
        /// proxy does it as well, and costs the service no time.
        #[cfg(feature = "compression")]
        compression() => compression = true;
    }
}

/// # Extensions
///
/// Values of the program for its hooks, handlers and jobs, and counters.
impl Service {
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
}

/// # Authentication
///
/// Users, tokens, and the roles that the service's own routes need.
impl Service {
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

    crud_core::builder_setters! {
        /// Lets principals with this role manage the users in the service's own table over HTTP: adds `GET` and
        /// `POST /auth/users`, and `GET` and `PATCH /auth/users/{id}`. There are no such routes if never called.
        ///
        /// The role is one for operators, as it can give users any role. It counts as the caller's row in that table has it: a
        /// token of another issuer, a principal of the program, or one whose user is gone has no access. A principal of a tenant
        /// has none either: users belong to no tenant.
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
        users_role(role: impl Into<Arc<str>>) => users_role = Some(role.into());

        /// Lets the role of [`users_role`](Self::users_role) count for principals that are none of the service's own users, too: as
        /// a token of another issuer, [`authenticate_with`](Self::authenticate_with) or a layer gives it. Such a principal can
        /// create users, who outlive the trust in its source.
        ///
        /// ```
        /// # use crud_runtime::prelude::*;
        /// # use crud_runtime::auth::Auth;
        /// # async fn build(auth: Auth) -> crud_runtime::Result<()> {
        /// let service = Service::connect("sqlite::memory:").await?.auth(auth);
        /// let service = service.users_role("user-admin").users_role_of_any_source();
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
        /// let service = Service::connect("sqlite::memory:").await?.auth(auth).jobs_role("operator");
        /// # Ok(()) }
        /// ```
        #[cfg(feature = "jobs")]
        jobs_role(role: impl Into<Arc<str>>) => jobs_role = Some(role.into());

        /// Sets the secret that cursors are signed with, at least 32 bytes; servers of one database need the same one. Without
        /// it, the variable `CRUD_SECRET`; without that, one that the first server makes, in the table `crud_secrets`.
        ///
        /// A cursor that was signed with another secret is 422 `cursor_invalid`.
        secret(secret: impl AsRef<[u8]>) => cursors = CursorSecret::given(secret.as_ref());
    }
}
