//! Resources of a running service, with their options.

pub(crate) mod options;
pub(crate) mod rate_limiter;
pub(crate) mod resource;
pub(crate) mod shared_limit;
