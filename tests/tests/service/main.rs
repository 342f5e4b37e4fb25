//! A service as a process: its memory and its shutdown.

mod memory;
mod shutdown;
