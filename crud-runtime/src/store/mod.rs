//! Changes from the program's own code: the typed store, audit entries, and the resources of a service.

pub(crate) mod app;
pub(crate) mod audit_record;
pub(crate) mod cursor;
#[cfg(feature = "migrations")]
pub(crate) mod data_migration;
pub(crate) mod each_row;
pub(crate) mod hooks;
#[cfg(feature = "jobs")]
pub(crate) mod jobs;
pub(crate) mod mounted;
pub(crate) mod observer;
pub(crate) mod owned_record;
pub(crate) mod scope;
pub(crate) mod stored_record;
pub(crate) mod stored_records;
pub(crate) mod tables;
pub(crate) mod time_zone;
pub(crate) mod transaction;
pub(crate) mod typed;
mod untyped;
pub(crate) mod writer;
