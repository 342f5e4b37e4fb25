//! Sending: URLs, addresses and the HTTP client.

pub(crate) mod address;
pub(crate) mod client;
pub(crate) mod destination;
pub(crate) mod resolver;
