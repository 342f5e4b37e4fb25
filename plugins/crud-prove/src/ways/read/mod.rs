//! Ways that only read.

pub(crate) mod agent;
pub(crate) mod aggregate;
pub(crate) mod condition;
pub(crate) mod list;
pub(crate) mod log;
pub(crate) mod record;
pub(crate) mod related;
