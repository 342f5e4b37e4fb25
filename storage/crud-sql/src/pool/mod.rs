//! Connections to a server.

pub(crate) mod connection_cache;
#[cfg(feature = "migrations")]
mod migrations;
pub(crate) mod options;
pub(crate) mod server;
pub(crate) mod statement_timeout;
