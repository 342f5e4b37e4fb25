//! Storage of a service: the table of the databases, and the layers around them.

#[doc(hidden)]
pub mod backends;
pub(crate) mod layers;
#[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite-pool"))]
pub(crate) mod pool;
#[cfg(test)]
pub(crate) mod recording;
pub(crate) mod replicas;

#[cfg(feature = "config")]
pub(crate) use crud_core::storage::index_use;
#[cfg(feature = "migrations")]
pub(crate) use crud_core::storage::migrations;
pub(crate) use crud_core::storage::{
    adapter, adapter_layer, administration, back_off, capabilities, decide, error, facts, future, indexes,
    migrate_error, position, schema, session_variables, shards, sql_value, transaction, transaction_layer, transfer,
    uniques, unused_table, write,
};
