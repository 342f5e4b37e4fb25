//! [`Background`]: the work of a service beside its requests.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

#[cfg(any(feature = "jobs", feature = "metrics"))]
use tokio::sync::oneshot;

#[cfg(feature = "metrics")]
use super::metrics::MetricsServer;
use super::plugin::ReadyPlugins;
use crate::audit::AuditLog;
use crate::http::server::drain::Drain;
use crate::model::clock::Clock;
use crate::model::descriptor::Descriptor;
use crate::model::problem::chain;
use crate::service::access::session_probe;
use crate::storage::adapter::{Adapter, BoxFuture};
use crate::storage::administration::Administration;
use crate::storage::error::{Error, Result};
#[cfg(feature = "jobs")]
use crate::store::jobs::worker::Worker;

/// Interval between removals of audit entries whose time is over.
const FORGET_INTERVAL: Duration = Duration::from_hours(1);

/// The work of a service beside its requests, from [`Service::into_parts`](crate::Service::into_parts): jobs and schedules,
/// the removal of audit entries whose time is over, metrics on a separate address, and the drain.
///
/// ```no_run
/// use crud_runtime::axum;
/// use crud_runtime::prelude::*;
/// use tokio::net::TcpListener;
///
/// async fn serve(service: Service) -> crud_runtime::Result<()> {
///     let listener = TcpListener::bind("127.0.0.1:8000").await.expect("the address is free");
///     let (router, background) = service.into_parts()?;
///     let server = axum::serve(listener, router).with_graceful_shutdown(background.stopping());
///     let work = tokio::spawn(background.run(async { drop(tokio::signal::ctrl_c().await) }));
///     server.await.expect("the server");
///     work.await.expect("no panic")
/// }
/// ```
#[must_use = "without `run`, no job runs and no audit entry is removed"]
pub struct Background {
    pub(super) plugins: ReadyPlugins,
    pub(super) drain: Drain,
    /// The storage that is closed at the stop.
    pub(super) storage: Arc<dyn Administration>,
    pub(super) retention: Option<Retention>,
    /// The program's tasks.
    pub(super) beside: Vec<BoxFuture<'static, ()>>,
    /// The storage whose session variables are tested at the start.
    pub(super) session: Option<Arc<dyn Adapter>>,
    #[cfg(feature = "jobs")]
    pub(super) worker: Option<Worker>,
    #[cfg(feature = "metrics")]
    pub(super) metrics: Option<MetricsServer>,
}

impl fmt::Debug for Background {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Background");
        debug.field("drain", &self.drain).field("retention", &self.retention.is_some());
        #[cfg(feature = "jobs")]
        debug.field("jobs", &self.worker.is_some());
        debug.finish_non_exhaustive()
    }
}

impl Background {
    /// Runs until `stop` resolves, then through the [drain](crate::ServerOptions::shutdown_delay) and to the end of the jobs that
    /// run.
    ///
    /// # Errors
    /// [`Error::Bind`](crate::Error::Bind) at once when the address of the metrics cannot be listened on,
    /// [`Error::Setup`](crate::Error::Setup) where the database is behind a pooler that keeps no [session
    /// variables](crate::AccessOptions::session_variables). The error is also logged, and [`stopping`](Self::stopping)
    /// resolves: a server that continued would run without jobs, and could not be stopped.
    pub async fn run(self, stop: impl Future<Output = ()> + Send) -> Result<()> {
        let drain = self.drain.clone();
        let running = self.start().await.inspect_err(|error| {
            tracing::error!(%error, "no background work runs");
            drain.end();
        })?;
        stop.await;
        drain.run().await;
        running.stop().await
    }

    /// Runs beside a server until `stop` resolves, then through the [drain](crate::ServerOptions::shutdown_delay); then
    /// requests in flight have `grace` to end, and running jobs end after them. The server stops by
    /// [`stopping`](Self::stopping). A client that never ends its request, or does not read its response, would hold
    /// the stop of `axum::serve` for ever: after `grace` the server is dropped.
    ///
    /// ```no_run
    /// use std::time::Duration;
    ///
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
    ///     background.run_beside(server, Duration::from_secs(30), stop).await
    /// }
    /// ```
    ///
    /// # Errors
    /// [`Error::Bind`] when the address of the metrics cannot be listened on: the server does not run then.
    /// [`Error::Setup`] with the server's error, after which the background stops too.
    pub async fn run_beside<S>(self, server: S, grace: Duration, stop: impl Future<Output = ()> + Send) -> Result<()>
    where
        S: IntoFuture<Output = io::Result<()>, IntoFuture: Send>,
    {
        let (drain, server) = (self.drain.clone(), server.into_future());
        let running = self.start().await?;
        let mut server = pin!(server);
        let stopped = async {
            stop.await;
            drain.run().await;
        };
        let ended = tokio::select! {
            ended = &mut server => Some(ended),
            () = stopped => tokio::time::timeout(grace, server).await.ok(),
        };
        drain.end();
        if ended.is_none() {
            tracing::warn!("requests in flight did not finish in time");
        }
        running.stop().await?;
        ended.unwrap_or(Ok(())).map_err(|error| Error::Setup(format!("the server has failed: {error}")))
    }

    /// Resolves when [`run`](Self::run) is past its stop and its drain, or has failed. A server must then refuse
    /// connections, and end responses that do not end by themselves.
    pub fn stopping(&self) -> impl Future<Output = ()> + Send + use<> {
        self.drain.over()
    }

    /// Whether there is work that a router alone would leave undone.
    pub(super) fn has_work(&self) -> bool {
        #[cfg(feature = "jobs")]
        let has_jobs = self.worker.is_some();
        #[cfg(not(feature = "jobs"))]
        let has_jobs = false;
        #[cfg(feature = "metrics")]
        let has_metrics = self.metrics.is_some();
        #[cfg(not(feature = "metrics"))]
        let has_metrics = false;
        has_jobs || has_metrics || self.retention.is_some() || !self.beside.is_empty()
    }

    /// Starts the work.
    ///
    /// # Errors
    /// As for [`run`](Self::run).
    pub(super) fn start(self) -> BoxFuture<'static, Result<Running>> {
        Box::pin(async move {
            if let Some(adapter) = &self.session {
                session_probe::check(adapter).await?;
            }
            self.plugins.check().await?;
            let mut running = Running::of(self.storage);
            #[cfg(feature = "metrics")]
            if let Some(metrics) = self.metrics {
                let (stop, stopped) = oneshot::channel::<()>();
                // A dropped sender stops the server too. Connections that wait for their clients end a little later.
                metrics.start(async move { drop(stopped.await) }).await?;
                running.metrics = Some(stop);
            }
            if let Some(retention) = self.retention {
                running.tasks.spawn(retention.run());
            }
            for task in self.beside {
                let over = self.drain.over();
                running.tasks.spawn(async move {
                    tokio::select! {
                        () = task => {}
                        () = over => {}
                    }
                });
            }
            #[cfg(feature = "jobs")]
            if let Some(worker) = self.worker {
                let (stop, stopped) = oneshot::channel::<()>();
                running.worker = Some((stop, tokio::spawn(worker.run(async move { drop(stopped.await) }))));
            }
            Ok(running)
        })
    }
}

/// Background work that runs until it is stopped or dropped.
pub(super) struct Running {
    storage: Arc<dyn Administration>,
    /// The removal of audit entries, and the program's tasks.
    tasks: tokio::task::JoinSet<()>,
    #[cfg(feature = "metrics")]
    metrics: Option<oneshot::Sender<()>>,
    #[cfg(feature = "jobs")]
    worker: Option<(oneshot::Sender<()>, tokio::task::JoinHandle<()>)>,
}

impl Running {
    /// No work yet.
    fn of(storage: Arc<dyn Administration>) -> Self {
        Self {
            storage,
            tasks: tokio::task::JoinSet::new(),
            #[cfg(feature = "metrics")]
            metrics: None,
            #[cfg(feature = "jobs")]
            worker: None,
        }
    }

    /// Stops the work, waits for the jobs that run, and closes storage.
    ///
    /// # Errors
    /// [`Error::Setup`] when the worker of the jobs has panicked.
    pub(super) fn stop(self) -> BoxFuture<'static, Result<()>> {
        Box::pin(async move {
            #[cfg(feature = "jobs")]
            if let Some((stop, worker)) = self.worker {
                drop(stop);
                worker.await.map_err(|error| Error::Setup(format!("the worker of the jobs: {error}")))?;
            }
            drop(self.tasks);
            #[cfg(feature = "metrics")]
            drop(self.metrics);
            if let Err(error) = self.storage.close().await {
                tracing::warn!(
                    error = chain(&error),
                    "the file of the database is not complete by itself: copy the file `-wal` beside it too, or use `crud backup`"
                );
            }
            Ok(())
        })
    }
}

/// The removal of audit entries whose time is over, for the resources that set a retention time.
pub(super) struct Retention {
    pub(super) log: AuditLog,
    pub(super) resources: Arc<[&'static Descriptor]>,
    pub(super) clock: Clock,
}

impl Retention {
    /// Removes entries, now and every hour.
    async fn run(self) {
        loop {
            match self.log.forget(&self.resources, self.clock.now()).await {
                Ok(0) => {}
                Ok(entries) => tracing::info!(entries, "audit entries are removed: their time is over"),
                Err(error) => tracing::warn!(%error, "audit entries could not be removed"),
            }
            tokio::time::sleep(FORGET_INTERVAL).await;
        }
    }
}
