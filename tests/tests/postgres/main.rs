//! What is PostgreSQL's alone: its tables, its errors and its limits.
#![allow(missing_docs)] // helpers of a test binary

mod connections;
mod errors;
mod indexes;
mod migrations;
mod support;
mod together;
