//! Tables that the service keeps for itself.

pub(crate) mod counter;
pub(crate) mod idempotency;
pub(crate) mod owner;
pub(crate) mod request_window;
pub(crate) mod secret;
pub(crate) mod sharded;
pub(crate) mod write_probe;
