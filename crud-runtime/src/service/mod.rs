//! The service: resources, a database, and the program around them.

pub(crate) mod builder;
mod checks;
#[cfg(feature = "config")]
pub mod config;
mod document;
mod hook_checks;
#[cfg(feature = "migrations")]
pub mod migrations;
mod serving;
mod stores;
mod tables;
