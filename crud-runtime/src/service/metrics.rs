//! The metrics of a service.

use std::future::Future;
use std::sync::Arc;

use axum::Router;
use axum::http::HeaderMap;
use axum::routing::get;

use super::builder::Service;
use crate::http::layer::metrics::Metrics;
use crate::http::server::drain::Drain;
use crate::http::server::listen::listen;
use crate::http::server::serve::{self, ConnectionLimits};
use crate::storage::error::{Error, Result};
use crate::storage::layers::call_times::CallTimes;

/// Maximum number of connections that read the metrics at a time.
const CONNECTIONS: u32 = 16;

impl Service {
    /// Counts for the metrics, once the options name a reader of them.
    pub(super) fn with_metrics(mut self) -> Self {
        let has_reader = self.server.metrics.is_some() || self.access.metrics_role.is_some();
        if has_reader && self.metrics.is_none() {
            let metrics = Metrics::new();
            metrics.set_storage(self.administration.clone(), self.disk_failures.clone());
            self.adapter = Arc::new(CallTimes::new(self.adapter, metrics.observe_storage()));
            for (replica, _) in &mut self.replicas {
                *replica = Arc::new(CallTimes::new(replica.clone(), metrics.observe_storage()));
            }
            self.metrics = Some(metrics);
        }
        self
    }

    /// The metrics at `/metrics`, and the role that may read them.
    pub(super) fn metrics_route(&self) -> Option<(Metrics, Arc<str>)> {
        self.metrics.clone().zip(self.access.metrics_role.clone())
    }

    /// The server of the metrics on their own address, if the options have one.
    pub(super) fn metrics_server(&self) -> Option<MetricsServer> {
        let (metrics, address) = self.metrics.clone().zip(self.server.metrics.clone())?;
        let limits =
            ConnectionLimits { connections: CONNECTIONS, head: self.limits.head, write: self.limits.body_idle };
        Some(MetricsServer { metrics, address, limits })
    }
}

/// The server of the metrics on a separate address.
pub(super) struct MetricsServer {
    metrics: Metrics,
    address: String,
    limits: ConnectionLimits,
}

impl MetricsServer {
    /// Starts to serve, until `stop` resolves.
    ///
    /// # Errors
    /// [`Error::Bind`] when the address cannot be listened on.
    pub(super) async fn start(self, stop: impl Future<Output = ()> + Send + 'static) -> Result<()> {
        let Self { metrics, address, limits } = self;
        let listener = listen(&address).await.map_err(|source| Error::Bind { address, source })?;
        let router = Router::new().route("/metrics", get(async move |headers: HeaderMap| metrics.response(&headers)));
        // Not `listening on`: programs that wait for these words expect the service's address.
        serve::log_url("metrics", &listener, "/metrics");
        tokio::spawn(serve::serve(router, listener, limits, Drain::default(), stop));
        Ok(())
    }
}
