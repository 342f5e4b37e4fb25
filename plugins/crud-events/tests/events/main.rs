//! Events over HTTP, on every back end that has transactions of several calls.

mod board;
mod contract;
mod program;
mod scopes;
mod servers;
mod start;
mod streams;
