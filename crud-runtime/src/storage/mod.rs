//! Storage: the databases that do what `crud-core` asks of one, the table of them, and what stands before them.

#[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite"))]
mod advice;
#[doc(hidden)]
pub mod backends;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
pub(crate) mod group_sizes;
pub(crate) mod observed;
#[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite-pool"))]
pub(crate) mod pool;
#[cfg(any(feature = "migrations", feature = "sqlite"))]
pub(crate) mod quoted;
#[cfg(test)]
pub(crate) mod recording;
pub(crate) mod replicas;
#[cfg(feature = "migrations")]
pub(crate) mod shadow;
#[cfg(any(feature = "sqlite", feature = "postgres", feature = "mysql"))]
pub(crate) mod sql;
#[cfg(feature = "migrations")]
pub(crate) mod statements;
#[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite", feature = "sqlite-pool"))]
mod waiting_line;

#[cfg(any(feature = "mysql", feature = "sqlite"))]
use crud_core::storage::json_text;
#[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite"))]
use crud_core::storage::page;
pub(crate) use crud_core::storage::{
    adapter, back_off, capabilities, decide, error, future, index_use, migrate_error, migrations, position, schema,
    sql_value, status, transaction, transfer, uniques, unused_table, write,
};
#[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite"))]
use crud_core::storage::{indexes, rounding, trace};
