//! What is specific to MySQL and MariaDB: tables and errors.
#![allow(missing_docs)] // helpers of a test binary

mod connections;
mod errors;
mod indexes;
mod migrations;
mod support;
