//! What is specific to PostgreSQL: tables, errors and limits.
#![allow(missing_docs)] // helpers of a test binary

mod connections;
mod errors;
mod group_commit;
mod indexes;
mod migrations;
mod support;
