//! The service: resources, a database, and the program around them.

pub(crate) mod builder;
#[cfg(feature = "config")]
pub mod config;
#[cfg(feature = "migrations")]
pub mod migrations;
