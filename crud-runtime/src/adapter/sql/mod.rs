//! The SQL half of storage: what the SQL databases share, and each of them.
//!
//! `statement` is the one place where the text of a statement comes together, of static pieces and
//! quoted identifiers, with every value bound. `list` and `write` say what a statement has to say,
//! `schema` which tables, constraints and indexes resources want; `dialect` is where databases differ.

mod dialect;
mod list;
mod schema;
mod sqlite;
mod statement;
mod write;

pub use sqlite::SqliteAdapter;
