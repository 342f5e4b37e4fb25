//! Comparison of tables with their resources.
//!
//! `diff` compares the whole database with all resources, `table_diff`
//! one table with its resource, `search` its indexes of words; `absent` is of a table that is not there. `compared` is the
//! result. `renamed_columns` and `renamed_tables` find what has a former name still, and show how a table looks once it is renamed;
//! `index_names` gives its indexes the names that follow.

mod absent;
pub(crate) mod compared;
pub(crate) mod diff;
pub(crate) mod index_names;
pub(crate) mod renamed_columns;
pub(crate) mod renamed_tables;
pub(crate) mod search;
pub(crate) mod table_diff;
