//! Webhooks: events that are sent to other services.

mod backoff;
mod builder;
mod pattern;
mod queue;
mod routes;
mod sender;
mod sending;
mod signature;
mod table;

pub use builder::Webhooks;
