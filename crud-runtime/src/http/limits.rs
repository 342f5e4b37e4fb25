//! [`Limits`]: the time, size and number of what a service does.

use std::time::Duration;

use crate::model::validation::TEXT_LIMIT;
use crate::query::QueryLimits;
use crate::storage::replicas;

/// The largest size of a search's body, in bytes.
const MAX_SEARCH_BODY: usize = 64 * 1024;

/// Limits of a service, which [`Service::limits`](crate::Service::limits) sets.
///
/// ```
/// use std::time::Duration;
/// # use crud_runtime::prelude::*;
///
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.limits(|limits| {
///     limits.request_timeout(Duration::from_secs(5)).body(256 * 1024).query(|query| query.terms(20))
/// });
/// # let _ = service; Ok(()) }
/// ```
#[derive(Debug, Clone, Copy)]
#[must_use = "limits do nothing until a service has them"]
pub struct Limits {
    /// Time from the request's head to the response's.
    pub(crate) request: Duration,
    /// Time for a request's head to arrive, idle time between requests included.
    pub(crate) head: Duration,
    /// Time between two frames of a request's body, and for a write of a response to succeed.
    pub(crate) body_idle: Duration,
    /// Time of a transaction of the program; the default depends on storage.
    pub(crate) transaction: Option<Duration>,
    /// Time of a job, which is the lease on it: afterwards, another server takes the job.
    #[cfg(feature = "jobs")]
    pub(crate) job: Duration,
    /// Size of a body, in bytes.
    pub(crate) body: usize,
    /// Size of a batch's body, in bytes.
    pub(crate) batch_body: usize,
    /// Connections open at a time; `None` for as many as the descriptors of the process allow.
    pub(crate) connections: Option<u32>,
    /// Requests handled at a time.
    pub(crate) requests: u32,
    /// Lag beyond which a replica is not read.
    pub(crate) replica_lag: Duration,
    /// Characters of a text that no rule bounds.
    pub(crate) text: usize,
    /// Bytes of bodies and responses that requests hold together.
    pub(crate) memory: usize,
    /// Records of a page of a request without `limit`, in place of the resources' attributes.
    pub(crate) default_page: Option<u32>,
    /// Records of a page, in place of the resources' attributes.
    pub(crate) max_page: Option<u32>,
    /// Limits of a query's cost.
    pub(crate) query: QueryLimits,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            request: Duration::from_secs(30),
            head: Duration::from_secs(15),
            body_idle: Duration::from_secs(10),
            transaction: None,
            #[cfg(feature = "jobs")]
            job: Duration::from_mins(5),
            body: 2 * 1024 * 1024,
            batch_body: 16 * 1024 * 1024,
            connections: None,
            requests: 2_000,
            replica_lag: replicas::DEFAULT_MAX_LAG,
            text: TEXT_LIMIT,
            memory: 64 * 1024 * 1024,
            default_page: None,
            max_page: None,
            query: QueryLimits::default(),
        }
    }
}

impl Limits {
    crud_core::builder_setters! {
        /// Sets the time of a request, from its head to the response's; 30 seconds if never called. Then the response is 504,
        /// or 408 if the body is still being read.
        const request_timeout(limit: Duration) => request = limit;

        /// Sets the time for a request's head to arrive, idle time between requests included; 15 seconds if never called. Then
        /// the connection is closed.
        const head_timeout(limit: Duration) => head = limit;

        /// Sets the longest pause of a body; 10 seconds if never called. When a request's body pauses longer, the
        /// response is 408; pauses add up while the body arrives at less than 1 KiB a second. The connection is closed
        /// when a client does not read its response for longer, or reads less than about 32 KiB of a larger response in
        /// that time.
        const body_timeout(limit: Duration) => body_idle = limit;

        /// Sets the time after which a [transaction](crate::App::transaction) of the program is rolled back. If never
        /// called, it is one second on SQLite, where every other writer waits, and the request's time on database
        /// servers.
        const transaction_timeout(limit: Duration) => transaction = Some(limit);

        /// Sets the lag beyond which a replica is not read; 10 seconds if never called.
        const replica_lag(limit: Duration) => replica_lag = limit;

        /// Sets the time of a [job](crate::Job); five minutes if never called. A job that takes longer fails; after
        /// this time, another process takes the job of a killed one.
        #[cfg(feature = "jobs")]
        const job_timeout(limit: Duration) => job = limit;

        /// Sets the largest size of a body, in bytes; 2 MiB if never called. The body of a search has at most 64 KiB.
        const body(bytes: usize) => body = bytes;

        /// Sets the largest size of a batch's body, in bytes; 16 MiB if never called.
        const batch_body(bytes: usize) => batch_body = bytes;

        /// Sets how many characters a text of a resource has at most if its field has no `length(max = …)`; 65,536 if never
        /// called.
        /// `length(unbounded)` lifts the bound for a field. Longer texts that are stored already stay, and are returned.
        const text(characters: usize) => text = characters;

        /// Sets how many connections are open at a time. If never called, it is three quarters of the file descriptors
        /// that the process may open (`ulimit -n`), and at most 10,000; at least 64 descriptors are left for the
        /// database and files.
        ///
        /// At the limit, a new connection takes the place of one that has waited for its client for two seconds: the
        /// one that has been idle longest, or else the one whose client has not read for longest. Without such a
        /// connection, the new one waits.
        const connections(connections: u32) => connections = Some(connections);

        /// Sets how many requests of resources, of the audit log and of authentication are handled at a time; 2,000 if never
        /// called. A further one gets 503 `unavailable` with `Retry-After` at once. `/health` and `/ready` are not limited.
        const requests_in_flight(requests: u32) => requests = requests;

        /// Sets how many bytes the bodies and responses of all requests hold together; 64 MiB if never called. It is at
        /// least the size of the largest body that is allowed, also that of a batch. Up to 16 KiB of each are not
        /// counted. A request beyond it gets 503 `unavailable` with `Retry-After`; what a change has committed is
        /// always answered.
        ///
        /// Before a request is refused, stalled bodies are evicted with that 503, the one that has stalled longest first. A body
        /// has stalled when it is slower than 64 KiB a second for a quarter of a second or more.
        ///
        /// A body counts until its request is handled, a response until it is written. Parsed values and what the driver
        /// buffers come on top: in all some three times the bytes of bodies.
        const request_memory(bytes: usize) => memory = bytes;

        /// Sets the page size of requests without `limit`, for resources with pagination that are added later. If never
        /// called, the resources' attributes apply.
        const default_limit(records: u32) => default_page = Some(records);

        /// Sets the largest page size, for resources with pagination that are added later. If never called, the
        /// resources' attributes apply.
        const max_limit(records: u32) => max_page = Some(records);
    }

    /// Sets what a query may cost; see [`QueryLimits`] for the defaults.
    pub fn query(mut self, set: impl FnOnce(QueryLimits) -> QueryLimits) -> Self {
        self.query = set(self.query);
        self
    }

    /// Size of a search's body, in bytes: anyone who may list may send one.
    pub(crate) fn search_body(&self) -> usize {
        self.body.min(MAX_SEARCH_BODY)
    }
}
