//! The audit log: an entry for every change, in the change's transaction.

mod as_of;
mod log;
mod removal;

pub(crate) use as_of::{AsOf, PastState};
pub use log::AuditLog;

pub use crate::model::actor::Actor;
pub use crate::store::audit_record::{
    Action, AuditRecord, AuditRecordFields, AuditRecordPatch, EntityId, NewAuditRecord,
};
