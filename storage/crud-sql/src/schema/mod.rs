//! Tables: what resources want, what a database has, and the statements between the two.
//!
//! `table_dialect` is how a database defines tables, `folded` how it compares text without regard to letter case. `indexes` says which constraints and indexes a resource wants, `ddl` writes them. `table` is a table as the
//! database describes it, `present_tables` reads all that a comparison needs at once; `table_diff` compares it with the resource, `diff` the whole database with all resources.
//! `plan` is what a service creates by itself. `search` is the index of words. `script` writes the statements of a migration by the database's
//! `alteration`, `online` those of tables that others use meanwhile, with a remark on their `size` and `cost`, `view` those of views, `baseline` those of the
//! tables as they are, `check` reads the conditions of CHECK constraints and asks which values they admit, `rename_script` those of columns that `rename` finds by their former names, `rename_table_script` those of tables that `rename_table` finds, `index_names` gives their indexes the names that follow, `retyped_index` spells those of a column of another type, `foreign_key_script` adds foreign keys, `replaced` finds the constraints in whose place others are, `duplicates` the records that a unique index refuses, `history` applies migrations and records them, and `migration_items` is what the databases have alike of all that.

mod absent;
#[cfg(feature = "migrations")]
mod advice;
#[cfg(feature = "migrations")]
pub(crate) mod alteration;
#[cfg(feature = "migrations")]
pub(crate) mod baseline;
pub(crate) mod by_place;
#[cfg(feature = "migrations")]
pub(crate) mod check;
pub(crate) mod compared;
#[cfg(feature = "migrations")]
pub(crate) mod cost;
pub(crate) mod ddl;
pub(crate) mod diff;
#[cfg(feature = "migrations")]
pub(crate) mod duplicates;
mod folded;
#[cfg(feature = "migrations")]
mod folded_script;
pub(crate) mod foreign_key;
#[cfg(feature = "migrations")]
mod foreign_key_script;
#[cfg(feature = "migrations")]
pub(crate) mod history;
pub(crate) mod index_names;
pub(crate) mod index_use;
#[cfg(feature = "migrations")]
pub(crate) mod migration_items;
#[cfg(feature = "migrations")]
pub(crate) mod online;
pub(crate) mod plan;
pub(crate) mod present_tables;
pub(crate) mod rename;
#[cfg(feature = "migrations")]
pub(crate) mod rename_script;
pub(crate) mod rename_table;
#[cfg(feature = "migrations")]
mod rename_table_script;
#[cfg(feature = "migrations")]
pub(crate) mod replaced;
#[cfg(feature = "migrations")]
mod retyped_index;
#[cfg(feature = "migrations")]
pub(crate) mod script;
pub(crate) mod search;
pub(crate) mod search_index;
#[cfg(feature = "migrations")]
pub(crate) mod size;
pub(crate) mod table;
pub(crate) mod table_dialect;
pub(crate) mod table_diff;
pub(crate) mod unused_tables;
pub(crate) mod view;
#[cfg(feature = "migrations")]
mod view_script;
