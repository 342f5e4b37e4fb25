//! Changes from the program's own code: the typed store, audit entries, and the resources of a service.

pub(crate) mod app;
pub(crate) mod audit_record;
pub(crate) mod batch;
pub(crate) mod caller;
mod compare_and_set;
pub(crate) mod counter;
pub(crate) mod cursor;
#[cfg(feature = "migrations")]
pub(crate) mod data_migration;
pub(crate) mod each_row;
pub(crate) mod hooks;
pub(crate) mod idempotency;
pub(crate) mod increment;
#[cfg(feature = "jobs")]
pub(crate) mod jobs;
pub(crate) mod logged_dependants;
pub(crate) mod mounted_resource;
pub(crate) mod owned_record;
pub(crate) mod page;
pub(crate) mod rate_limiter;
pub(crate) mod resource_options;
pub(crate) mod secret;
pub(crate) mod set_some;
mod store_scope;
pub(crate) mod subqueries;
pub(crate) mod tenant_reads;
pub(crate) mod tenant_store;
pub(crate) mod transaction;
pub(crate) mod typed_store;
pub(crate) mod typed_writes;
pub(crate) mod unsaid;
mod untyped_store;
pub(crate) mod visible_record;
pub(crate) mod write_probe;
pub(crate) mod writer;
