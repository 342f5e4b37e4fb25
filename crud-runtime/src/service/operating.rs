//! The operation of a service: its limits, its stop, its log.

use std::sync::Arc;
use std::time::Duration;

use axum::http::HeaderMap;

use super::builder::Service;
use crate::http::limits::Limits;
use crate::store::tables::write_probe::WriteProbe;

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

    /// Sets the time from which on a list is logged, once a minute for each filter and order, with its plan and the index
    /// that would help; 100 milliseconds if never called.
    pub fn slow_statement(mut self, threshold: Duration) -> Self {
        self.slow_statement = threshold;
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
}
