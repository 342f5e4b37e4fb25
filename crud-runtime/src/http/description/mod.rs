//! The description of a route: its operation, its parameters and the schemas of its records, for the OpenAPI document.
//!
//! Parameters, operations and own routes state their descriptions in these types, and [`openapi`](super::openapi)
//! writes the document from them.

pub(crate) mod auth;
pub(crate) mod documented_resource;
pub(crate) mod documented_type;
#[cfg(not(feature = "utoipa"))]
mod documented_values;
pub(crate) mod example;
mod implement;
pub(crate) mod json_schema;
pub(crate) mod name;
pub(crate) mod operation_doc;
pub(crate) mod page;
pub(crate) mod problem;
pub(crate) mod record_schema;
pub(crate) mod relation;
pub(crate) mod rule;
pub(crate) mod sample;
pub(crate) mod security;
pub(crate) mod security_scheme;
#[cfg(feature = "utoipa")]
pub(crate) mod to_schema;
#[cfg(feature = "utoipa")]
pub(crate) mod utoipa_schema;
pub(crate) mod value_schema;
pub(crate) mod wording;
pub(crate) mod written_schema;
