//! The tables of webhooks.

pub(crate) mod delivery;
pub(crate) mod lease;
pub(crate) mod progress;
pub(crate) mod webhook;
