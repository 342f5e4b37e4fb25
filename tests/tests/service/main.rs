//! A service as a process: what it costs, how it ends, and what it leaves when it is killed.

mod crash;
mod memory;
mod shutdown;
