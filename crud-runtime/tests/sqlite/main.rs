//! The SQLite adapter, through its public face, on real databases.
#![cfg(feature = "sqlite")]
#![allow(missing_docs, unreachable_pub)] // helpers of a test binary

mod basics;
mod connections;
mod constraints;
mod foreign;
mod guards;
mod indexes;
mod kinds;
mod migrations;
mod model;
mod queries;
mod service;
mod support;
