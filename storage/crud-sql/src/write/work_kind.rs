//! [`WorkKind`]: the kind of a write's changes, without their values.

use crate::model::value::Value;
use crate::storage::write::{Target, Update, Work};

/// The kind of a change; see [`Work`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum WorkKind {
    Insert,
    Update,
    SoftDelete,
    Restore,
    Delete,
    Purge,
}

impl WorkKind {
    /// The kind of these changes.
    pub(crate) fn of(work: Work<'_>) -> Self {
        match work {
            Work::Insert(_) => Self::Insert,
            Work::Update(_) => Self::Update,
            Work::SoftDelete(_) => Self::SoftDelete,
            Work::Restore(_) => Self::Restore,
            Work::Delete(_) => Self::Delete,
            Work::Purge(_) => Self::Purge,
        }
    }

    /// The changes as work of this kind: inserts of `records`, the updates, or changes of the targets.
    pub(crate) fn work<'w>(
        self,
        records: &'w [Vec<Value>],
        updates: &'w [Update<'w>],
        targets: &'w [Target<'w>],
    ) -> Work<'w> {
        match self {
            Self::Insert => Work::Insert(records),
            Self::Update => Work::Update(updates),
            Self::SoftDelete => Work::SoftDelete(targets),
            Self::Restore => Work::Restore(targets),
            Self::Delete => Work::Delete(targets),
            Self::Purge => Work::Purge(targets),
        }
    }
}
