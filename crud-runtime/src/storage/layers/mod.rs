//! Layers around storage, each of which does one thing.

pub(crate) mod call_spans;
#[cfg(feature = "metrics")]
pub(crate) mod call_times;
pub(crate) mod disk_failures;
pub(crate) mod one_tenant;
pub(crate) mod table_overrides;
pub(crate) mod tenant_read_audit;
pub(crate) mod unchanged;
pub(crate) mod write_epoch;
