//! The SQL half of storage: what the SQL databases share, and each of them.
//!
//! `statement` is the one place where the text of a statement comes together, of static pieces and
//! quoted identifiers, with every value bound. `write` makes changes on a connection. `schema` compares and creates tables. `pool` keeps the
//! connections to a server. Databases differ by three traits: `dialect` is how
//! one spells statements, `driver` how they run on its connections, `connections` where an adapter takes these from.

mod adapter;
#[cfg(any(feature = "mysql", feature = "postgres"))]
mod connection_error;
mod connections;
mod dialect;
mod driver;
mod loading;
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
mod replacement;
mod schema;
mod scope;
mod slow_lists;
mod slow_statements;
#[cfg(feature = "sqlite")]
mod sqlite;
mod statement;
#[cfg(any(feature = "mysql", feature = "sqlite"))]
mod text_list;
mod transaction;
mod transfer;
mod write;

#[cfg(feature = "mysql")]
pub use mysql::MySqlAdapter;
#[cfg(feature = "postgres")]
pub use postgres::PostgresAdapter;
#[cfg(all(feature = "postgres", feature = "testing"))]
pub use postgres::fuzzing as postgres_fuzzing;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteAdapter;
#[cfg(feature = "sqlite-pool")]
pub use sqlite::SqlitePoolAdapter;

/// Target of the log lines: that of storage, whatever crate it is in.
#[cfg(any(feature = "migrations", feature = "mysql", feature = "postgres", feature = "sqlite-pool"))]
const TARGET: &str = "crud_runtime::storage::sql";
