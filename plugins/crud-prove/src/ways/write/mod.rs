//! Ways that change records. Each creates a record to change, and removes it afterwards.

pub(crate) mod agent;
pub(crate) mod batch;
pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod events;
pub(crate) mod link;
pub(crate) mod nested;
pub(crate) mod target;
pub(crate) mod transition;
pub(crate) mod update;
