//! Serving: the state, router and listener of a service.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use axum::Router;
use axum::http::Extensions;
use tokio::net::{TcpListener, ToSocketAddrs};
use tokio::runtime::Handle;

use super::background::{Background, Retention};
use super::builder::Service;
use crate::http::handler::operation_override::{OperationOverrides, OverriddenOperation};
#[cfg(feature = "metrics")]
use crate::http::layer::metrics::Metrics;
use crate::http::list_header::ListHeaders;
use crate::http::openapi::served_document::ServedDocument;
#[cfg(feature = "docs")]
use crate::http::principal_source::PrincipalSource;
use crate::http::router;
use crate::http::routing::mounted::MountedRoute;
use crate::http::schema_watch::SchemaWatch;
use crate::http::server::descriptors;
use crate::http::server::listen::listen;
use crate::http::server::serve::{self, ConnectionLimits};
use crate::http::service_routes::ServiceRoutes;
use crate::http::state::{ServiceState, StateParts};
use crate::model::descriptor::ColumnDescriptor;
#[cfg(feature = "auth")]
use crate::model::value::Kind;
use crate::storage::adapter::BoxFuture;
use crate::storage::error::{Error, Result};
use crate::storage::replicas::Replicas;

/// # Serving
///
/// Servers, routers, and the work beside requests.
impl Service {
    /// The state for [`ResourceRoutes::route`](crate::http::router::ResourceRoutes::route) and
    /// [`ResourceRoutes::router`](crate::http::router::ResourceRoutes::router), for programs with their own router.
    /// The work beside requests is the second part of [`into_parts`](Self::into_parts).
    ///
    /// # Errors
    /// Errors of [`into_router`](Self::into_router).
    pub fn state(&self) -> Result<ServiceState> {
        self.check()?;
        self.check_view_reads()?;
        self.check_authentication()?;
        let own_routes = self.mounted_routes()?;
        let model = self.model_with(&own_routes);
        self.check_route_resources(&own_routes)?;
        self.check_rules(&own_routes)?;
        self.report_openness(&own_routes);
        self.report_names(&own_routes);
        self.report_scope_indexes();
        #[cfg(feature = "auth-issuers")]
        self.auth.iter().for_each(|auth| auth.start_issuers());
        self.warn_of_atomic_batches();
        self.warn_of_orders();
        self.warn_of_unreadable_targets();
        #[cfg(feature = "auth")]
        self.warn_of_unchecked_members();
        self.administration.set_time_limit(self.limits.request);
        self.administration.set_slow_statement(self.server.slow_statement);
        let overridden = own_routes.into_iter().filter_map(|mounted| {
            let (resource, operation) = (mounted.resource?, mounted.replaces?);
            Some(OverriddenOperation { resource, operation, handler: Arc::new(mounted) })
        });
        let mut extensions = Extensions::new();
        extensions.insert(OperationOverrides::new(overridden));
        extensions.insert(model);
        let (app, replicas) = (self.checked_app()?, self.start_replicas()?);
        #[cfg(feature = "auth")]
        self.auth.iter().for_each(|auth| auth.observers.set(&app, &self.extended.session_observers));
        let is_compared = |resource| self.migrated.iter().any(|migrated| std::ptr::eq(*migrated, resource));
        let resources = self.resources.iter().map(|options| (options.descriptor, is_compared(options.descriptor)));
        #[cfg(feature = "metrics")]
        self.metrics.iter().for_each(|metrics| metrics.set_build(&self.document.info));
        #[cfg(feature = "metrics")]
        let report = self.metrics.as_ref().map(Metrics::observe_schema);
        #[cfg(not(feature = "metrics"))]
        let report = None;
        let checks_keys = !self.is_compared();
        let schema =
            SchemaWatch::new(self.administration.clone(), self.described_tables()?, resources, checks_keys, report);
        Ok(ServiceState::new(StateParts {
            app,
            replicas,
            limits: self.limits,
            cursors: self.server.cursors.clone(),
            audit_role: self.effective_audit_role(),
            extensions,
            principals: self.principals(),
            variables: self.access.session_variables.clone(),
            public_url: self.server.public_url.clone(),
            schema: Some(schema),
            drain: self.server.drain.clone(),
            problem_format: self.server.problem_format.clone(),
            login: self.login_path(),
            write_probe: self.server.write_probe.clone(),
            list_headers: self.effective_list_headers(),
        }))
    }

    /// The headers that plugins add to lists, with the age that the records may have.
    fn effective_list_headers(&self) -> ListHeaders {
        let age = if self.replicas.is_empty() { std::time::Duration::ZERO } else { self.limits.replica_lag };
        ListHeaders { all: self.extended.list_headers.clone(), age }
    }

    /// The path of the login, where the service issues tokens.
    fn login_path(&self) -> Option<Arc<str>> {
        let login =
            self.security().filter(|security| security.login).and_then(|_| self.server.paths.place("/auth/login"));
        login.map(Arc::from)
    }

    /// All routes, to be served or nested in another router. What the service does beside its requests is left out:
    /// [`into_parts`](Self::into_parts) returns it.
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
    /// [`Error::Setup`] when prefixes are malformed or collide, a merged router has a route that is there already, or limits
    /// contradict each other.
    pub fn into_router(self) -> Result<Router> {
        let (router, background) = self.into_parts()?;
        if background.has_work() {
            tracing::warn!(
                "`into_router` runs no jobs, removes no audit entries and serves no metrics on their own address: use \
                 `into_parts`, and run the background work that it returns"
            );
        }
        Ok(router)
    }

    /// All routes, and the work beside requests, for any server: jobs, schedules, the removal of audit entries whose time is
    /// over, metrics on a separate address, and the drain. The guide *In an existing application* has a table of the
    /// limits that need [`serve`](Self::serve).
    ///
    /// ```no_run
    /// use crud_runtime::axum;
    /// use crud_runtime::prelude::*;
    ///
    /// #[derive(Debug, Clone, Resource)]
    /// struct Book { id: i64, title: String }
    ///
    /// #[tokio::main]
    /// async fn main() -> crud_runtime::Result<()> {
    ///     let service = Service::connect("sqlite://books.db").await?.resource::<Book>().migrate().await?;
    ///     let (router, background) = service.into_parts()?;
    ///     let listener = tokio::net::TcpListener::bind("127.0.0.1:8000").await.expect("a free port");
    ///     let server = axum::serve(listener, router).with_graceful_shutdown(background.stopping());
    ///     let stop = async { drop(tokio::signal::ctrl_c().await) };
    ///     background.run_beside(server, std::time::Duration::from_secs(30), stop).await
    /// }
    /// ```
    ///
    /// # Errors
    /// Errors of [`into_router`](Self::into_router).
    pub fn into_parts(self) -> Result<(Router, Background)> {
        let state = self.state()?;
        self.warn_of_unknown_tables();
        let own_routes = self.mounted_routes()?;
        self.warn_of_open_routes(&own_routes);
        self.check_documents(&own_routes)?;
        let background = Background {
            plugins: self.ready_plugins(&state),
            drain: self.server.drain.clone(),
            beside: self.beside.iter().map(|task| task(state.clone())).collect(),
            storage: self.administration.clone(),
            retention: self.retention(),
            session: self.access.session_variables.is_some().then(|| self.adapter.clone()),
            #[cfg(feature = "jobs")]
            worker: self.worker(),
            #[cfg(feature = "metrics")]
            metrics: self.metrics_server(),
        };
        let challenge = self.challenge();
        let (document, built_in) = (ServedDocument::new(self.document_of(own_routes.clone())), self.built_in());
        let routes = ServiceRoutes {
            state: state.clone(),
            paths: self.server.paths.clone(),
            document,
            docs_access: self.document.access.clone(),
            #[cfg(feature = "metrics")]
            metrics: self.metrics_route(),
            #[cfg(feature = "docs")]
            docs: Arc::new(crate::http::openapi::docs::Docs::new(
                &self.document.info,
                matches!(self.principals(), PrincipalSource::Waived),
            )),
            title: self.document.info.title.into(),
        };
        let stateful = self.stateful_routers.into_iter().map(|router| router.with_state(state.clone()));
        let own = router::OwnRoutes {
            routes: own_routes.into_iter().chain(built_in).collect(),
            routers: self.routers.into_iter().chain(stateful).collect(),
            layers: self.layers,
            resource_layers: self.resource_layers,
        };
        let around = router::Around {
            span_hook: self.server.span_hook,
            cors: self.server.cors,
            challenge,
            has_fallback: self.server.has_fallback,
            #[cfg(feature = "metrics")]
            metrics: self.metrics,
            #[cfg(feature = "metrics")]
            logins: self.server.paths.place("/auth/login").map(Arc::from),
            #[cfg(feature = "compression")]
            compression: self.server.compression,
        };
        Ok((router::service_router(&state, &routes, own, around)?, background))
    }

    /// Serves on an address such as `127.0.0.1:8000` until SIGINT or SIGTERM, then finishes the requests in flight.
    ///
    /// Logs go to standard output, filtered by the variable `RUST_LOG`, unless the program has installed a `tracing`
    /// subscriber.
    ///
    /// # Errors
    /// Errors of [`into_router`](Self::into_router); [`Error::Bind`] when the address cannot be listened on.
    pub async fn serve(self, address: impl ToSocketAddrs + fmt::Display) -> Result<()> {
        self.install_log();
        let name = address.to_string();
        let listener = listen(address).await.map_err(|source| Error::Bind { address: name, source })?;
        self.run_on(listener, serve::stop_signal()).await
    }

    /// Installs the log of a program that has no subscriber.
    pub(super) fn install_log(&self) {
        serve::install_default_log(self.server.json_logs, self.server.log_filter.as_deref());
    }

    /// Serves on a listener until `stop` resolves, then finishes the requests in flight.
    ///
    /// # Errors
    /// Errors of [`into_router`](Self::into_router).
    ///
    /// Where neither [`migrate`](Self::migrate) nor [`check_schema`](Self::check_schema) was called, those of the latter.
    pub async fn serve_on(self, listener: TcpListener, stop: impl Future<Output = ()> + Send) -> Result<()> {
        self.run_on(listener, Box::pin(stop)).await
    }

    /// Boxed, so that this crate has its machine code: an `async fn` is compiled in each program that awaits it.
    fn run_on(self, listener: TcpListener, stop: BoxFuture<'_, ()>) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let mut service = self.compared().await?;
            service.learn_at_start().await?;
            #[cfg(feature = "auth")]
            service.warn_about_plain_http(&listener);
            service.check_keys().await?;
            service.warn_of_unused_tables().await;
            let (limits, drain) = (service.connection_limits(), service.server.drain.clone());
            let (router, background) = service.into_parts()?;
            let running = background.start().await?;
            serve::log_url("listening", &listener, "");
            serve::serve(router, listener, limits, drain, stop).await;
            running.stop().await
        })
    }

    /// The removal of audit entries whose time is over, if a resource says how long that is.
    fn retention(&self) -> Option<Retention> {
        let resources: Arc<[_]> = self.resources.iter().map(|options| options.descriptor).collect();
        resources.iter().find(|resource| resource.audit.is_some_and(|audit| audit.keep.is_some()))?;
        Some(Retention { log: self.audit_log(), resources, clock: self.clock.clone() })
    }

    pub(super) fn connection_limits(&self) -> ConnectionLimits {
        let connections = self.limits.connections.unwrap_or_else(descriptors::default_connections);
        if let Some(descriptors) = descriptors::limit().filter(|descriptors| u64::from(connections) >= *descriptors) {
            tracing::warn!(
                connections,
                descriptors,
                "the connection limit is not below the process's limit of file descriptors (`ulimit -n`)"
            );
        }
        ConnectionLimits { connections, head: self.limits.head, write: self.limits.body_idle }
    }

    #[cfg(feature = "auth")]
    fn warn_about_plain_http(&self, listener: &TcpListener) {
        let address = listener.local_addr().map(|address| address.ip());
        if let (Some(auth), Ok(address)) = (&self.auth, address)
            && auth.is_exposed_on(address)
        {
            tracing::warn!(
                %address,
                "passwords and tokens cross the network without TLS: put a TLS proxy in front, and declare it with \
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
                "the storage has no transactions: an atomic batch takes one item (`batch(mode(partial))` takes more)"
            );
        }
    }

    /// Warns of the resources that storage cannot order by the records that they refer to.
    fn warn_of_orders(&self) {
        if self.adapter.capabilities().subqueries {
            return;
        }
        let resources = self.resources.iter().map(|options| options.descriptor);
        for resource in resources.filter(|resource| !resource.sort_paths.is_empty()) {
            tracing::warn!(
                resource = resource.name,
                "the storage cannot sort records by those that they refer to: such an order is 422 `unsupported_here`"
            );
        }
    }

    /// Warns of memberships that may name a user before there is one: the next user to get that key would be the member.
    #[cfg(feature = "auth")]
    fn warn_of_unchecked_members(&self) {
        let Some(resource) = self.memberships().map(|memberships| memberships.resource()) else { return };
        let has_users = self.auth.as_ref().is_some_and(|auth| auth.has_password_route());
        let user = resource.tenant.and_then(|tenant| tenant.members).map(|members| &resource.columns[members.user]);
        if let Some(user) = user.filter(|user| has_users && user.references.is_none() && user.kind == Kind::I64) {
            tracing::warn!(
                resource = resource.name,
                field = user.name,
                "a membership can name a user who does not exist yet: `references(users)` on the field lets it name the \
                 service's own users alone"
            );
        }
    }

    /// Warns of references that some principals cannot set: they may create records, but not read the target. Rules
    /// whose permissions only differ cause no warning: a principal may have both.
    fn warn_of_unreadable_targets(&self) {
        if self.security().is_none() {
            return;
        }
        let enforcement = self.enforcement();
        let resources = self.resources.iter().map(|options| options.descriptor);
        for resource in resources.filter(|resource| resource.is_offered() && resource.creates()) {
            let columns = resource.columns.iter().filter(|column| may_have_value(column));
            for (column, reference) in columns.filter_map(|column| Some((column, column.references?))) {
                let target = (reference.target)();
                let get = enforcement.effective(&target.access).get;
                let create = enforcement.effective(&resource.access).create;
                let is_known =
                    create.includes_by(&self.access.roles, &get) || !get.has_permission() && !create.has_permission();
                if !reference.any && is_known && !get.includes_by(&self.access.roles, &create) {
                    tracing::warn!(
                        resource = resource.name,
                        field = column.name,
                        target = target.name,
                        "some principals that may create records may not read the target, and so cannot refer to it: \
                         `references({}, any)` lets them",
                        target.name
                    );
                }
            }
        }
    }

    /// Warns of the program's routes that are open to everyone because they state no access rule and the operation that
    /// they resemble is open. Only for a service with authentication.
    fn warn_of_open_routes(&self, routes: &[MountedRoute]) {
        if self.security().is_none() {
            return;
        }
        let unstated =
            routes.iter().filter(|mounted| mounted.replaces.is_none() && mounted.route.options.access.is_none());
        let public = named(unstated.filter(|mounted| mounted.access.is_public()));
        if !public.is_empty() {
            tracing::warn!(
                routes = public,
                "routes state no access and are open, as the operations that they resemble: add `.access(…)`"
            );
        }
        if !self.routers.is_empty() || !self.stateful_routers.is_empty() {
            tracing::info!("merged routes have no access but what their handlers check");
        }
    }

    /// Starts to monitor the replicas, if there are any.
    fn start_replicas(&self) -> Result<Option<Arc<Replicas>>> {
        if self.replicas.is_empty() {
            return Ok(None);
        }
        if Handle::try_current().is_err() {
            return Err(Error::Setup("a service with replicas needs a tokio runtime".to_owned()));
        }
        for (_, replica) in &self.replicas {
            replica.set_time_limit(self.limits.request);
            replica.set_slow_statement(self.server.slow_statement);
        }
        let replicas: Vec<_> = self.replicas.iter().map(|(replica, _)| replica.clone()).collect();
        Ok(Some(Arc::new(Replicas::start(self.adapter.clone(), &replicas, self.limits.replica_lag))))
    }
}

/// Whether a record that a request creates may have a value of the column: the request sets it, or the column always
/// has one.
const fn may_have_value(column: &ColumnDescriptor) -> bool {
    let is_set = !column.is_managed() && !column.hidden;
    is_set || column.needs_value() || column.default.is_some()
}

/// The methods and paths of routes.
fn named<'a>(routes: impl Iterator<Item = &'a MountedRoute>) -> String {
    let names: Vec<String> =
        routes.map(|mounted| format!("{} {}", mounted.route.options.method, mounted.path)).collect();
    names.join(", ")
}
