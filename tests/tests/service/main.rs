//! A service as a process: what it costs, and how it ends.

mod memory;
mod shutdown;
