//! Tables: what resources want, what a database has, and the statements between the two.
//!
//! `table_dialect` is how a database defines tables, `ddl` writes their definitions: `folded` those of columns for indexes
//! without regard to letter case, `foreign_key` the columns of references, `search_index` indexes of words. `table` is a table
//! as the database describes it. `comparison` finds how it differs from its resource, `renames` what has a former name still,
//! `view` how views differ. `plan` is what a service creates by itself. `script` writes the statements of a migration by the
//! database's `alteration`, and `history` applies migrations and records them. `index_use` and `unused_tables` say what of a
//! database is used.

#[cfg(feature = "migrations")]
pub(crate) mod alteration;
pub(crate) mod by_place;
pub(crate) mod comparison;
pub(crate) mod ddl;
pub(crate) mod driver;
mod folded;
pub(crate) mod foreign_key;
#[cfg(feature = "migrations")]
pub(crate) mod history;
pub(crate) mod index_reads;
pub(crate) mod index_use;
pub(crate) mod plan;
pub(crate) mod renames;
#[cfg(feature = "migrations")]
pub(crate) mod script;
pub(crate) mod search_index;
pub(crate) mod table;
pub(crate) mod table_dialect;
pub(crate) mod unused_tables;
pub(crate) mod view;
