//! [`Single`]: one change that borrows nothing from who wants it.

use std::sync::Arc;

use crate::model::changes::Changes;
use crate::model::descriptor::Descriptor;
use crate::model::value::Value;
use crate::storage::write::{Guard, Mode, Recorder, Target, Update, Work, Write};

/// What a change does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Insert,
    Update,
    SoftDelete,
    Restore,
    Delete,
    Purge,
}

/// One change.
pub(crate) struct Single {
    /// The key of the record, null where storage assigns it.
    id: Value,
    /// The record to insert.
    record: Vec<Value>,
    /// The new values of an update.
    changes: Changes,
    guard: Option<Arc<dyn Guard>>,
    pub(crate) recorder: Option<Arc<dyn Recorder>>,
}

impl Single {
    /// What a write does that is about one record.
    pub(crate) fn kind(write: &Write<'_>) -> Option<Kind> {
        match write.work {
            _ if write.mode == Mode::Rehearsal || write.work.len() != 1 => None,
            Work::Insert(_) => Some(Kind::Insert),
            Work::Update(_) => Some(Kind::Update),
            Work::SoftDelete(_) => Some(Kind::SoftDelete),
            Work::Restore(_) => Some(Kind::Restore),
            Work::Delete(_) => Some(Kind::Delete),
            Work::Purge(_) => Some(Kind::Purge),
        }
    }

    /// The first change of a write, if there is one.
    pub(crate) fn of(resource: &Descriptor, write: &Write<'_>) -> Option<Self> {
        let recorder = write.recorder.clone();
        let nothing = || (Vec::new(), Changes::new());
        let (id, (record, changes), guard) = match write.work {
            Work::Insert(records) => {
                let record = records.first()?;
                (&record[resource.id], (record.clone(), Changes::new()), None)
            }
            Work::Update(updates) => {
                let update = updates.first()?;
                (update.id, (Vec::new(), update.changes.clone()), update.guard.clone())
            }
            Work::SoftDelete(targets) | Work::Restore(targets) | Work::Delete(targets) | Work::Purge(targets) => {
                let target = targets.first()?;
                (target.id, nothing(), target.guard.clone())
            }
        };
        Some(Self { id: id.clone(), record, changes, guard, recorder })
    }

    /// The key of the record, if it is known.
    pub(crate) fn id(&self) -> Option<&Value> {
        Some(&self.id).filter(|id| !id.is_null())
    }

    /// Takes the record to insert.
    pub(crate) fn take_record(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.record)
    }

    /// The change as an update.
    pub(crate) fn update(&self) -> Update<'_> {
        Update::new(&self.id, &self.changes, self.guard.clone())
    }

    /// The change as one that is about a record as a whole.
    pub(crate) fn target(&self) -> Target<'_> {
        Target::new(&self.id, self.guard.clone())
    }
}
