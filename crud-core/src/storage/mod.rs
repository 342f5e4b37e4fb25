//! Storage: what a database has to do, and the rules and types that all of them share.

pub mod adapter;
pub mod aggregate;
pub mod back_off;
pub mod capabilities;
pub mod decide;
pub mod error;
pub mod facts;
pub mod future;
pub mod index_use;
pub mod indexes;
pub mod json_text;
pub mod migrate_error;
pub mod migrations;
pub mod page;
pub mod position;
mod problem;
pub mod rounding;
pub mod schema;
pub mod session_variables;
pub mod sql_value;
pub mod status;
pub mod trace;
pub mod transaction;
pub mod transfer;
pub mod uniques;
pub mod unused_table;
pub mod write;
