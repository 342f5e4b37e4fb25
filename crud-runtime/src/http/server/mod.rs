//! The server of connections: it accepts, limits and drains them, and counts the memory of their requests.

mod connection_state;
mod connections;
pub(crate) mod descriptors;
pub(crate) mod drain;
mod head_lines;
mod in_flight;
mod linger;
pub(crate) mod listen;
mod log_format;
pub(crate) mod memory_budget;
mod request_body;
pub(crate) mod serve;
mod write_timeout;
