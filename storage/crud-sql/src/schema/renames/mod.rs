//! Columns and tables that have their former names still.
//!
//! `rename` and `rename_table` find them, and show how a table looks once they are renamed; `index_names` gives their indexes
//! the names that follow. `rename_script` and `rename_table_script` write the statements.

pub(crate) mod index_names;
pub(crate) mod rename;
#[cfg(feature = "migrations")]
pub(crate) mod rename_script;
pub(crate) mod rename_table;
#[cfg(feature = "migrations")]
pub(crate) mod rename_table_script;
