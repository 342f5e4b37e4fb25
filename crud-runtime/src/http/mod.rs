//! HTTP: routes, handlers, request bodies, responses and the OpenAPI document.

pub(crate) mod accepted_types;
pub(crate) mod access;
mod admission;
pub(crate) mod base_url;
pub(crate) mod body;
pub(crate) mod built_in;
pub(crate) mod client_address;
pub(crate) mod deprecation;
pub(crate) mod description;
pub(crate) mod handler;
pub(crate) mod head;
pub(crate) mod idempotency;
pub(crate) mod layer;
pub(crate) mod limits;
pub(crate) mod model;
pub mod openapi;
pub(crate) mod operation;
pub(crate) mod param;
pub(crate) mod path;
pub(crate) mod path_route;
pub(crate) mod principal_source;
pub(crate) mod render;
pub(crate) mod request_policy;
pub(crate) mod router;
pub(crate) mod routing;
pub(crate) mod same_origin;
pub(crate) mod schema_watch;
pub(crate) mod server;
pub(crate) mod service_paths;
pub(crate) mod service_routes;
pub(crate) mod state;
#[cfg(feature = "pages")]
pub(crate) mod static_file;
#[cfg(feature = "pages")]
pub(crate) mod static_files;
