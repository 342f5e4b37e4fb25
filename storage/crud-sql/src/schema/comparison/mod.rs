//! Comparison of tables with their resources.
//!
//! `present_tables` reads all tables that it needs at once. `diff` compares the whole database with all resources, `table_diff`
//! one table with its resource, `search` its indexes of words; `absent` is of a table that is not there. `compared` is the
//! result.

mod absent;
pub(crate) mod compared;
pub(crate) mod diff;
pub(crate) mod present_tables;
pub(crate) mod search;
pub(crate) mod table_diff;
