#![doc = include_str!("../README.md")]

mod access;
mod agent;
mod answer;
mod budget;
mod endpoint;
mod fault;
mod headers;
mod hidden;
mod mcp;
mod message;
mod origin;
mod protection;
mod revision;
mod server;
mod tool;

pub use self::mcp::Mcp;
