//! The operations of resources, a file each: its routes, their description for the document, and its handler. A handler
//! is not generic over the resource, so it is compiled once.

pub(crate) mod aggregate;
mod as_of;
pub(crate) mod audit_log;
pub(crate) mod batch;
mod create;
mod delete;
mod export;
mod get;
mod history;
pub(crate) mod import;
#[cfg(feature = "json-patch")]
mod json_patch;
pub(crate) mod links;
pub(crate) mod list;
mod moves;
pub(crate) mod nested;
mod purge;
mod restore;
pub(crate) mod route;
pub(crate) mod table;
mod transition;
mod update;
mod upsert;
mod written;
