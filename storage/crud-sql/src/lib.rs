//! SQL storage of `crud-runtime`: SQLite, PostgreSQL, MySQL and MariaDB, each by its feature.
//!
//! Programs enable them by the features of `crud-runtime` with the same names.
//!
//! `statement` is the one place where the text of a statement comes together, of static pieces and quoted identifiers,
//! with every value bound. `write` makes changes on a connection. `catalogue` reads the tables of a database, `schema`
//! compares and creates them. `pool` keeps the connections to a server. Databases differ by six traits: `dialect`
//! spells statements, `driver` runs them on a connection, `catalogue::driver` describes tables, `schema::driver`
//! creates tables, `schema::migration_driver` alters them, and `connections` provides an adapter's connections.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(
    not(all(feature = "migrations", feature = "mysql", feature = "postgres", feature = "sqlite-pool")),
    allow(
        dead_code,
        reason = "each database uses its part of what they share; the build with all finds code without use"
    )
)]
#![cfg_attr(
    not(any(feature = "mysql", feature = "postgres", feature = "sqlite")),
    allow(unused, reason = "without a database, the text of statements alone is read")
)]

mod adapter;
mod advice;
mod catalogue;
mod change;
mod column_names;
#[cfg(any(feature = "mysql", feature = "postgres"))]
mod connection_error;
mod connections;
mod dialect;
mod distinct;
mod driver;
mod facts;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
mod group_sizes;
mod identifier;
mod in_order;
#[cfg(any(feature = "mysql", feature = "postgres"))]
mod known_engine;
mod learning;
mod loading;
mod long_lists;
#[cfg(feature = "mysql")]
mod mysql;
#[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite-pool"))]
mod over_sqlx;
mod page_with_total;
mod plan;
#[cfg(any(feature = "mysql", feature = "postgres"))]
mod pool;
#[cfg(feature = "postgres")]
mod postgres;
mod quoted;
#[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite"))]
mod raised;
mod replacement;
mod schema;
mod scope;
mod search_index;
#[cfg(feature = "migrations")]
mod shadow;
mod slow_lists;
mod slow_statements;
mod sql_parts;
#[cfg(feature = "sqlite")]
mod sqlite;
mod statement;
mod statements;
mod table_dialect;
#[cfg(any(feature = "mysql", feature = "sqlite"))]
mod text_list;
mod transaction;
mod transfer;
#[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite"))]
mod wait_queue;
mod write;

use crud_core::{model, query, storage};

pub use adapter::SqlAdapter;
#[cfg(feature = "mysql")]
pub use mysql::MySqlAdapter;
#[cfg(feature = "postgres")]
pub use postgres::PostgresAdapter;
#[cfg(all(feature = "postgres", feature = "testing"))]
#[doc(hidden)]
pub use postgres::fuzzing as postgres_fuzzing;
#[cfg(feature = "migrations")]
#[doc(hidden)]
pub use shadow::EmptyDatabase;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteAdapter;
#[cfg(feature = "sqlite-pool")]
pub use sqlite::SqlitePoolAdapter;

#[doc(hidden)]
pub mod text {
    //! The parts of a migration's text.
    pub use crate::sql_parts::{Parts, is_blank, parts_of_script, unquoted};
    pub use crate::statements::statements;
}

/// Target of this crate's log lines: the one of storage, independent of the crate's name.
const TARGET: &str = "crud_runtime::storage::sql";
