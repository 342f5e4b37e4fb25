//! Comparison of tables with their resources.
//!
//! `diff` compares the whole database with all resources, `table_diff`
//! one table with its resource, `search` its indexes of words; `absent` is of a table that is not there. `compared` is the
//! result.

mod absent;
pub(crate) mod compared;
pub(crate) mod diff;
pub(crate) mod search;
pub(crate) mod table_diff;
