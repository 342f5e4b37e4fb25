//! The layers around every route of a service.

pub(crate) mod caller;
pub(crate) mod challenge;
#[cfg(feature = "compression")]
pub(crate) mod compression;
pub(crate) mod cors;
mod login_link;
#[cfg(feature = "metrics")]
pub(crate) mod metrics;
#[cfg(feature = "metrics")]
mod metrics_text;
pub(crate) mod middleware;
pub(crate) mod plain_errors;
pub(crate) mod problem_format;
#[cfg(feature = "metrics")]
mod process_metrics;
pub(crate) mod request_id;
