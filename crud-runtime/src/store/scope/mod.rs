//! Scope of the records that a store reads and writes, its conditions on storage, and the entries of reads across tenants.

pub(crate) mod caller;
pub(crate) mod store_scope;
pub(crate) mod subqueries;
pub(crate) mod tenant_reads;
pub(crate) mod visible_record;
