//! What is MySQL's and MariaDB's alone: their tables and their errors.
#![allow(missing_docs)] // helpers of a test binary

mod connections;
mod errors;
mod indexes;
mod migrations;
mod support;
