//! [`RateLimit`]: the number of requests that a caller may send.

use std::time::Duration;

/// A limit of the requests of one caller in a window of time.
///
/// ```
/// use std::time::Duration;
///
/// use crud_runtime::descriptor::RateLimit;
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// #[crud(rate_limit(100, per = "1m"))]
/// struct Report {
///     id: i64,
///     title: String,
/// }
///
/// assert_eq!(Report::DESCRIPTOR.rate_limit, Some(RateLimit::new(100, Duration::from_mins(1))));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RateLimit {
    /// Number of requests in a window.
    pub requests: u32,
    /// Length of a window.
    pub per: Duration,
    /// Whether all servers of a database count together.
    pub is_shared: bool,
}

impl RateLimit {
    /// At most this many requests in a window of this length.
    pub const fn new(requests: u32, per: Duration) -> Self {
        Self { requests, per, is_shared: false }
    }

    /// Counts through the database: all servers of it together admit at most this many requests, also across restarts.
    ///
    /// A server reserves a part of the remaining requests in one short write: an eighth, and the last requests one by
    /// one. Until the part is used up, its requests need no database. So a server may refuse requests while others have
    /// not used their parts. While the database does not answer, requests are 503 `unavailable`.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use crud_runtime::descriptor::RateLimit;
    ///
    /// assert!(RateLimit::new(1_000, Duration::from_mins(1)).shared().is_shared);
    /// ```
    #[must_use]
    pub const fn shared(self) -> Self {
        Self { is_shared: true, ..self }
    }
}
