//! Connections to a server: its URL, which of several is the primary, where a standby is, and what a commit waits for.

pub(super) mod connect;
pub(super) mod hosts;
mod known_engines;
pub(super) mod options;
pub(super) mod position;
pub(super) mod primary;
pub(super) mod synchronous;
