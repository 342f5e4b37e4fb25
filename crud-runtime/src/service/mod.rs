//! The service: resources, a database, and the program around them.

pub(crate) mod access;
pub(crate) mod background;
mod beside;
pub(crate) mod builder;
mod checks;
mod computed;
#[cfg(feature = "config")]
pub mod config;
mod document;
pub(crate) mod document_options;
pub(crate) mod extension_options;
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
pub(crate) mod plugin_command;
pub(crate) mod plugin_settings;
mod plugin_tables;
mod replacements;
mod resources;
pub(crate) mod server_options;
mod serving;
mod sharding;
mod stores;
mod tables;
#[cfg(feature = "testing")]
pub mod testing;
