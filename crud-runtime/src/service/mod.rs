//! The service: resources, a database, and the program around them.

mod access;
mod authentication;
pub(crate) mod background;
pub(crate) mod builder;
mod checks;
mod computed;
#[cfg(feature = "config")]
pub mod config;
mod describing;
mod document;
mod extensions;
mod former_checks;
mod hook_checks;
mod http_options;
#[cfg(feature = "jobs")]
mod jobs;
mod key_checks;
mod link_checks;
mod memberships;
#[cfg(feature = "metrics")]
mod metrics;
#[cfg(feature = "migrations")]
pub mod migrations;
pub mod moving;
mod open;
mod open_routes;
mod operating;
mod own_routes;
#[cfg(all(feature = "config", feature = "migrations"))]
mod own_tables;
mod ownership;
mod program_authentication;
mod replacements;
mod resources;
mod role_registry;
mod roles;
mod route_resources;
mod scope_checks;
mod serving;
mod session_probe;
mod session_variables;
mod shared_tables;
mod stores;
mod table_descriptions;
mod table_facts;
mod tables;
#[cfg(feature = "testing")]
pub mod testing;
mod unused_tables;
mod view_checks;
