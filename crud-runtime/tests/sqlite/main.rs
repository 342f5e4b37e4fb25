//! The SQLite adapter through its public interface, on real databases.
#![cfg(feature = "sqlite")]
#![allow(missing_docs, unreachable_pub)] // helpers of a test binary

mod basics;
mod connections;
mod constraints;
mod foreign_tables;
mod guards;
mod indexes;

mod migrations;
mod model;
mod queries;
mod round_trips;
mod service;
mod support;
