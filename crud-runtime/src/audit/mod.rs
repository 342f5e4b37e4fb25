//! The audit log: a record of every change, in the same transaction as the change.

mod actor;
mod as_of;
mod entry;
mod log;
mod query;
mod record;

pub use actor::Actor;
pub(crate) use as_of::{Past, as_of};
pub(crate) use entry::Entry;
pub use log::{AuditLog, EntityId};
pub(crate) use query::{DEFAULT_LIMIT, ENTITY_PARAMETERS, LogQuery, MAX_LIMIT, PARAMETERS};
pub use record::{AuditRecord, AuditRecordFields, AuditRecordPatch, NewAuditRecord};

use std::fmt;

/// What happened to a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Action {
    /// It was created.
    Create,
    /// It was changed.
    Update,
    /// It was removed for good: deleted without soft delete, or purged.
    Delete,
    /// It was marked as deleted.
    SoftDelete,
    /// It is no longer marked as deleted.
    Restore,
}

impl Action {
    /// Every action.
    pub const ALL: [Self; 5] = [Self::Create, Self::Update, Self::Delete, Self::SoftDelete, Self::Restore];

    /// Its name in the log, such as `soft_delete`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::SoftDelete => "soft_delete",
            Self::Restore => "restore",
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
