//! [`ServerOptions`]: how a service is reached and observed.

use std::sync::Arc;
use std::time::Duration;

use axum::http::HeaderMap;

use crate::http::layer::cors::Cors;
use crate::http::layer::middleware::SpanHook;
use crate::http::layer::problem_format::ProblemFormat;
use crate::http::server::drain::Drain;
use crate::http::service_paths::ServicePaths;
use crate::store::tables::secret::CursorSecret;
use crate::store::tables::write_probe::WriteProbe;

/// Options of the server: paths, origins, format of errors, readiness, stop, log and metrics.
/// [`Service::server`](crate::Service::server) sets them.
///
/// ```
/// use std::time::Duration;
///
/// use crud_runtime::Cors;
/// # use crud_runtime::prelude::*;
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.server(|server| {
///     server.cors(Cors::origins(["https://shop.example.com"])).shutdown_delay(Duration::from_secs(10)).json_logs()
/// });
/// # let _ = service; Ok(()) }
/// ```
#[must_use = "options do nothing until a service has them"]
#[allow(missing_debug_implementations, reason = "hooks have none")]
pub struct ServerOptions {
    pub(super) paths: ServicePaths,
    /// The URL at which clients reach the service, if the program states it.
    pub(super) public_url: Option<Arc<str>>,
    pub(super) has_fallback: bool,
    pub(super) problem_format: Option<ProblemFormat>,
    pub(super) cors: Option<Cors>,
    #[cfg(feature = "compression")]
    pub(super) compression: bool,
    pub(super) span_hook: Option<SpanHook>,
    /// Duration from which on a list is logged as slow.
    pub(super) slow_statement: Duration,
    pub(super) drain: Drain,
    pub(super) write_probe: Option<WriteProbe>,
    pub(super) json_logs: bool,
    /// The filter of the log, where the configuration has it.
    pub(super) log_filter: Option<Box<str>>,
    pub(super) cursors: CursorSecret,
    /// The plugins whose types of fields the service uses without the plugins.
    pub(super) lacking_plugins: Vec<String>,
    /// The separate address of the metrics.
    #[cfg(feature = "metrics")]
    pub(super) metrics: Option<String>,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            paths: ServicePaths::new(),
            public_url: None,
            has_fallback: true,
            problem_format: None,
            cors: None,
            #[cfg(feature = "compression")]
            compression: false,
            span_hook: None,
            slow_statement: Duration::from_millis(100),
            drain: Drain::default(),
            write_probe: None,
            json_logs: false,
            log_filter: None,
            cursors: CursorSecret::from_environment(),
            lacking_plugins: Vec::new(),
            #[cfg(feature = "metrics")]
            metrics: None,
        }
    }
}

impl ServerOptions {
    /// Serves fields of a plugin's types without the plugin, such as those of `files` where another program stores the
    /// bytes. If never called, a service with such a field and without the plugin does not start.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let service = Service::connect("sqlite::memory:").await?.server(|server| server.without_plugin("files"));
    /// # let _ = service; Ok(()) }
    /// ```
    pub fn without_plugin(mut self, name: impl Into<String>) -> Self {
        self.lacking_plugins.push(name.into());
        self
    }

    crud_core::builder_setters! {
        /// Sets the paths of the service's own routes, such as `/health`, and leaves some out.
        paths(paths: ServicePaths) => paths = paths;

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
        /// let crud = Service::connect("sqlite::memory:").await?.server(|server| server.without_fallback()).into_router()?;
        /// let app: Router = Router::new().fallback(async || "a page of the application").merge(crud);
        /// # Ok(()) }
        /// ```
        without_fallback() => has_fallback = false;

        /// Writes errors in the program's own format, in place of problem documents.
        problem_format(format: ProblemFormat) => problem_format = Some(format);

        /// Lets web pages of other origins call the service; if never called, browsers refuse them. It holds for every route,
        /// in [`Service::into_router`](crate::Service::into_router) too, and for errors.
        cors(cors: Cors) => cors = Some(cors);

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

        /// Writes the log as a JSON object a line, instead of text; only where [`Service::serve`](crate::Service::serve) installs the log.
        json_logs() => json_logs = true;

        /// Calls this with the span of each request and its headers, before the span begins, where a subscriber takes it: to
        /// continue the client's trace, for example. Without it, each request begins a trace.
        ///
        /// ```
        /// # use crud_runtime::prelude::*;
        /// # fn continue_trace(_: &tracing::Span, _: Option<&crud_runtime::axum::http::HeaderValue>) {}
        /// # async fn build() -> crud_runtime::Result<()> {
        /// let service = Service::connect("sqlite::memory:").await?;
        /// let service = service.server(|server| {
        ///     server.request_span(|span, headers| continue_trace(span, headers.get("traceparent")))
        /// });
        /// # let _ = service; Ok(()) }
        /// ```
        request_span(hook: impl Fn(&tracing::Span, &HeaderMap) + Send + Sync + 'static) => span_hook = Some(Arc::new(hook));

        /// Sets the secret that cursors are signed with, at least 32 bytes; servers of one database need the same one.
        /// Without it, the secret is the variable `CRUD_SECRET`; without that, one that the first server stores in the
        /// table `crud_secrets`.
        ///
        /// A cursor that was signed with another secret is 422 `cursor_invalid`.
        secret(secret: impl AsRef<[u8]>) => cursors = CursorSecret::given(secret.as_ref());

        /// Compresses responses with gzip where the client accepts it, but not those that have tokens. Off if never
        /// called: a proxy can compress as well, without costing the service time.
        #[cfg(feature = "compression")]
        compression() => compression = true;

        /// Serves metrics for Prometheus at `GET /metrics` on a separate address, such as `127.0.0.1:9000`, which must
        /// not be public: every client that can connect reads them.
        ///
        /// ```no_run
        /// # use crud_runtime::prelude::*;
        /// # async fn build() -> crud_runtime::Result<()> {
        /// let service = Service::connect("sqlite://books.db").await?.server(|server| server.metrics("127.0.0.1:9000"));
        /// service.serve("127.0.0.1:8000").await
        /// # }
        /// ```
        #[cfg(feature = "metrics")]
        metrics(address: impl Into<String>) => metrics = Some(address.into());
    }
}
