//! Changes as the program makes them: the typed store, audit entries, and the resources of a service.

pub(crate) mod audit_entry;
pub(crate) mod audit_record;
pub(crate) mod changer;
pub(crate) mod find;
pub(crate) mod mounted_resource;
pub(crate) mod record;
pub(crate) mod resource_options;
pub(crate) mod typed_store;
