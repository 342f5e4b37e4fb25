//! The queue: deliveries of events are created, claimed, attempted and finished.

pub(crate) mod add;
pub(crate) mod attempt;
pub(crate) mod claim;
pub(crate) mod content;
pub(crate) mod fan_out;
pub(crate) mod finish;
pub(crate) mod in_flight;
pub(crate) mod run;
pub(crate) mod sweep;
