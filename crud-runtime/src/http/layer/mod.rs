//! The layers around every route of a service.

#[cfg(feature = "compression")]
pub(crate) mod compression;
pub(crate) mod cors;
#[cfg(feature = "metrics")]
pub(crate) mod metrics;
pub(crate) mod middleware;
pub(crate) mod plain_errors;
pub(crate) mod problem_format;
pub(crate) mod request_id;
