//! The audit log: an entry for every change, in the change's transaction.

mod as_of;
mod log;
mod removal;
mod unlogged;

pub(crate) use as_of::{AsOf, PastState, is_deleted};
pub use log::AuditLog;
pub(crate) use unlogged::Unlogged;

pub use crate::store::audit_record::{
    Action, AuditRecord, AuditRecordFields, AuditRecordPatch, EntityId, NewAuditRecord,
};
