//! The service: resources, a database, and the program around them.

mod access;
pub(crate) mod background;
pub(crate) mod builder;
mod checks;
mod computed;
#[cfg(feature = "config")]
pub mod config;
mod document;
#[cfg(feature = "jobs")]
mod jobs;
#[cfg(feature = "metrics")]
mod metrics;
#[cfg(feature = "migrations")]
pub mod migrations;
pub mod moving;
mod open;
mod options;
mod own_routes;
pub(crate) mod plugin;
mod replacements;
mod resources;
mod serving;
mod stores;
mod tables;
#[cfg(feature = "testing")]
pub mod testing;
