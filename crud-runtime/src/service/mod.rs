//! The service: resources, a database, and the program around them.

mod access;
mod authentication;
pub(crate) mod background;
pub(crate) mod builder;
mod checks;
#[cfg(feature = "config")]
pub mod config;
mod document;
mod former_checks;
mod hook_checks;
#[cfg(feature = "jobs")]
mod jobs;
#[cfg(feature = "metrics")]
mod metrics;
#[cfg(feature = "migrations")]
pub mod migrations;
pub mod moving;
mod open_routes;
mod own_routes;
#[cfg(all(feature = "config", feature = "migrations"))]
mod own_tables;
mod program_authentication;
mod replacements;
mod route_resources;
mod serving;
mod shared_tables;
mod stores;
mod table_descriptions;
mod tables;
#[cfg(feature = "testing")]
pub mod testing;
mod unused_tables;
mod view_checks;
