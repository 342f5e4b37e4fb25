//! HTTP: routes, handlers, request bodies, responses and the OpenAPI document.

#[cfg(feature = "docs")]
pub(crate) mod accept;
pub(crate) mod access_names;
pub(crate) mod access_rules;
pub(crate) mod access_table;
pub(crate) mod action;
pub(crate) mod body;
#[cfg(feature = "auth")]
mod challenge;
pub(crate) mod client_address;
#[cfg(feature = "compression")]
mod compression;
pub(crate) mod cors;
mod csv;
#[cfg(feature = "auth")]
mod current_user;
pub(crate) mod descriptors;
pub(crate) mod docs_access;
pub(crate) mod etag;
pub(crate) mod expand;
pub(crate) mod frame;
#[cfg(feature = "docs")]
pub(crate) mod gzip;
pub(crate) mod handler;
pub(crate) mod idempotency_key;
mod in_flight;
#[cfg(feature = "metrics")]
pub(crate) mod metrics;
pub(crate) mod middleware;
mod mount;
pub mod openapi;
pub(crate) mod operation;
pub(crate) mod param;
mod plain_errors;
pub(crate) mod prefer;
pub(crate) mod principal_source;
pub(crate) mod problem;
pub(crate) mod problem_format;
pub(crate) mod render;
pub(crate) mod request_id;
pub(crate) mod request_identity;
pub(crate) mod resource_routes;
pub(crate) mod router;
pub(crate) mod schema_watch;
pub(crate) mod served_document;
pub(crate) mod server;
pub(crate) mod service_routes;
pub(crate) mod session_token;
pub(crate) mod state;
