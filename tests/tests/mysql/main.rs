//! What is MySQL's and MariaDB's alone: their tables, their errors, and writers that meet.
#![allow(missing_docs)] // helpers of a test binary

mod connections;
mod errors;
mod indexes;
mod migrations;
mod support;
mod writers;
