//! [`RateLimit`]: how many requests a caller may send.

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
}

impl RateLimit {
    /// At most this many requests in a window of this length.
    pub const fn new(requests: u32, per: Duration) -> Self {
        Self { requests, per }
    }
}
