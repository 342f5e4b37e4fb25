//! [`OwnedChange`]: one change that borrows nothing from its request.

use std::sync::Arc;

use crate::model::changes::Changes;
use crate::model::clock::Clock;
use crate::model::descriptor::Descriptor;
use crate::model::key::Key;
use crate::model::value::Value;
use crate::storage::write::{Guard, Recorder, Target, Update, Work, Write};

pub(super) struct OwnedChange {
    /// The key of the record; null where storage assigns it.
    id: Key,
    /// The record to insert.
    record: Vec<Value>,
    /// The new values of an update.
    changes: Changes,
    guard: Option<Arc<dyn Guard>>,
    pub(super) recorder: Option<Arc<dyn Recorder>>,
    pub(super) clock: Clock,
    /// The tenant of the record.
    tenant: Option<Value>,
}

impl OwnedChange {
    /// The first change of a write, if there is one.
    pub(super) fn of(resource: &Descriptor, write: &Write<'_>) -> Option<Self> {
        let recorder = write.recorder.clone();
        let nothing = || (Vec::new(), Changes::new());
        let (id, (record, changes), guard) = match write.work {
            Work::Insert(records) => {
                let record = records.first()?;
                (Key::of(resource, record), (record.clone(), Changes::new()), None)
            }
            Work::Update(updates) => {
                let update = updates.first()?;
                (update.id.clone(), (Vec::new(), update.changes.clone()), update.guard.clone())
            }
            Work::SoftDelete(targets) | Work::Restore(targets) | Work::Delete(targets) | Work::Purge(targets) => {
                let target = targets.first()?;
                (target.id.clone(), nothing(), target.guard.clone())
            }
        };
        let (clock, tenant) = (write.clock.clone(), write.tenant.cloned());
        Some(Self { id, record, changes, guard, recorder, clock, tenant })
    }

    /// The key of the record; `None` where storage assigns it.
    pub(super) fn id(&self) -> Option<&Key> {
        Some(&self.id).filter(|id| !id.is_null())
    }

    /// The tenant to which the record must belong, if any.
    pub(super) const fn tenant(&self) -> Option<&Value> {
        self.tenant.as_ref()
    }

    /// Takes the record to insert.
    pub(super) fn take_record(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.record)
    }

    /// The change as an update.
    pub(super) fn update(&self) -> Update<'_> {
        Update::new(&self.id, &self.changes, self.guard.clone())
    }

    /// The change as a target.
    pub(super) fn target(&self) -> Target<'_> {
        Target::new(&self.id, self.guard.clone())
    }
}
