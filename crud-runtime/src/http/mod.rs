//! HTTP: routes, handlers, request bodies, responses and the OpenAPI document.

#[cfg(feature = "docs")]
pub(crate) mod accept;
pub(crate) mod access_names;
pub(crate) mod access_table;
pub(crate) mod action;
pub(crate) mod body;
#[cfg(feature = "auth")]
mod challenge;
#[cfg(feature = "compression")]
mod compression;
mod connection_state;
mod connections;
pub(crate) mod cors;
mod csv;
#[cfg(feature = "auth")]
mod current_user;
pub(crate) mod descriptors;
pub(crate) mod docs_access;
pub(crate) mod drain;
pub(crate) mod etag;
mod exchange;
pub(crate) mod expand;
#[cfg(feature = "docs")]
pub(crate) mod gzip;
pub(crate) mod handler;
mod head_lines;
pub(crate) mod idempotency_key;
mod in_flight;
mod linger;
pub(crate) mod listen;
pub(crate) mod memory;
#[cfg(feature = "metrics")]
pub(crate) mod metrics;
pub(crate) mod middleware;
mod mount;
pub mod openapi;
mod plain_errors;
pub(crate) mod prefer;
pub(crate) mod principal_source;
pub(crate) mod problem;
pub(crate) mod problem_format;
pub(crate) mod render;
mod request_body;
pub(crate) mod request_id;
pub(crate) mod request_identity;
pub(crate) mod resource_routes;
pub(crate) mod router;
pub(crate) mod routes;
pub(crate) mod schema_watch;
pub(crate) mod serve;
pub(crate) mod served_document;
pub(crate) mod service_routes;
pub(crate) mod session_token;
pub(crate) mod state;
mod write_timeout;
