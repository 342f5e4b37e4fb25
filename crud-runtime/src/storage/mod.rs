//! Storage: what a database has to do, and the databases that do it.

pub(crate) mod adapter;
#[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite"))]
mod advice;
pub(crate) mod back_off;
#[doc(hidden)]
pub mod backends;
pub(crate) mod capabilities;
pub(crate) mod decide;
pub(crate) mod error;
pub(crate) mod future;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
pub(crate) mod group_sizes;
pub(crate) mod index_use;
#[cfg(any(feature = "mongodb", feature = "mysql", feature = "postgres", feature = "sqlite"))]
pub(crate) mod indexes;
#[cfg(any(feature = "mongodb", feature = "mysql", feature = "sqlite"))]
mod json_text;
pub(crate) mod migrate_error;
#[cfg(feature = "migrations")]
pub mod migrations;
#[cfg(feature = "mongodb")]
pub(crate) mod mongodb;
pub(crate) mod observed;
pub(crate) mod page;
pub(crate) mod position;
mod problem;
#[cfg(any(feature = "migrations", feature = "sqlite"))]
pub(crate) mod quoted;
#[cfg(test)]
pub(crate) mod recording;
pub(crate) mod replicas;
#[cfg(any(feature = "mongodb", feature = "mysql", feature = "postgres", feature = "sqlite"))]
mod rounding;
pub mod schema;
#[cfg(feature = "migrations")]
pub(crate) mod shadow;
#[cfg(any(feature = "sqlite", feature = "postgres", feature = "mysql"))]
pub(crate) mod sql;
#[cfg(feature = "migrations")]
pub(crate) mod statements;
pub(crate) mod status;
#[cfg(any(feature = "mongodb", feature = "mysql", feature = "postgres", feature = "sqlite"))]
mod trace;
pub(crate) mod transaction;
pub(crate) mod transfer;
pub(crate) mod uniques;
pub(crate) mod unused_table;
#[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite", feature = "sqlite-pool"))]
mod waiting_line;
pub(crate) mod write;
