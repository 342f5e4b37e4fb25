//! [`OwnedWrite`]: a write that borrows nothing from its request.

use std::sync::Arc;

use futures_util::FutureExt;

use super::connection::Connection;
use crate::facts::Effects;
use crate::model::adapter_error::AdapterError;
use crate::model::changes::Changes;
use crate::model::clock::Clock;
use crate::model::descriptor::Descriptor;
use crate::model::key::Key;
use crate::model::value::{Value, value_size};
use crate::query::Predicate;
use crate::sqlite::dialect::Sqlite;
use crate::storage::write::{Guard, Mode, Recorder, Target, Update, Work, WorkWhere, Write, WriteWhere};
use crate::write::work_kind::WorkKind;
use crate::write::{self, WriteResult};

/// A change that the writer's thread applies.
pub(super) enum OwnedWrite {
    Write {
        work: OwnedWork,
        mode: Mode,
        recorder: Option<Arc<dyn Recorder>>,
        clock: Clock,
        most_failures: Option<usize>,
        tenant: Option<Value>,
        effects: Effects,
    },
    Where {
        work: WorkWhere,
        filter: Predicate,
        recorder: Option<Arc<dyn Recorder>>,
        clock: Clock,
        tenant: Option<Value>,
        effects: Effects,
    },
}

/// Result of an [`OwnedWrite`].
pub(super) enum Applied {
    Write(WriteResult<Sqlite>),
    /// The number of changed records.
    Where(u64),
}

/// The changes of a write, all of one kind; the lists of the other kinds are empty.
pub(super) struct OwnedWork {
    kind: WorkKind,
    records: Vec<Vec<Value>>,
    updates: Vec<OwnedUpdate>,
    targets: Vec<(Key, Option<Arc<dyn Guard>>)>,
}

/// The key of a record, its new values, and the guard that must allow them.
type OwnedUpdate = (Key, Changes, Option<Arc<dyn Guard>>);

impl OwnedWrite {
    /// Copies a write.
    pub(super) fn of(write: &Write<'_>, effects: Effects) -> Self {
        let (mut records, mut updates, mut targets) = (Vec::new(), Vec::new(), Vec::new());
        match write.work {
            Work::Insert(all) => records = all.to_vec(),
            Work::Update(all) => {
                let update = |one: &Update<'_>| (one.id.clone(), one.changes.clone(), one.guard.clone());
                updates = all.iter().map(update).collect();
            }
            Work::SoftDelete(all) | Work::Restore(all) | Work::Delete(all) | Work::Purge(all) => {
                targets = all.iter().map(|one| (one.id.clone(), one.guard.clone())).collect();
            }
        }
        let work = OwnedWork { kind: WorkKind::of(write.work), records, updates, targets };
        let (recorder, clock, tenant) = (write.recorder.clone(), write.clock.clone(), write.tenant.cloned());
        Self::Write { work, mode: write.mode, recorder, clock, most_failures: write.most_failures, tenant, effects }
    }

    /// Copies a write by filter.
    pub(super) fn of_where(write: &WriteWhere<'_>, effects: Effects) -> Self {
        Self::Where {
            work: write.work,
            filter: write.filter.clone(),
            recorder: write.recorder.clone(),
            clock: write.clock.clone(),
            tenant: write.tenant.cloned(),
            effects,
        }
    }

    /// The approximate size of the values in bytes.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Write { work: OwnedWork { records, updates, targets, .. }, .. } => {
                let updated = updates.iter().flat_map(|(_, changes, _)| changes.iter()).map(|(_, value)| value);
                let values: usize = records.iter().flatten().chain(updated).map(value_size).sum();
                values + targets.len() * size_of::<Key>()
            }
            Self::Where { .. } => size_of::<Self>(),
        }
    }

    /// Applies the change on a connection of this thread.
    pub(super) fn apply(
        &self,
        connection: &mut Connection,
        resource: &'static Descriptor,
    ) -> Result<Applied, AdapterError> {
        match self {
            Self::Write { work, mode, recorder, clock, most_failures, tenant, effects } => {
                let updates = work.updates.iter().map(|(id, changes, guard)| Update::new(id, changes, guard.clone()));
                let updates: Vec<Update<'_>> = updates.collect();
                let targets = work.targets.iter().map(|(id, guard)| Target::new(id, guard.clone()));
                let targets: Vec<Target<'_>> = targets.collect();
                let work = work.kind.work(&work.records, &updates, &targets);
                let write = Write::new(work, *mode, recorder.clone()).with_clock(clock).stopping_after(*most_failures);
                let write = write.of_tenant(tenant.as_ref());
                at_once(write::run::<Sqlite>(connection, resource, &write, *effects)).map(Applied::Write)
            }
            Self::Where { work, filter, recorder, clock, tenant, effects } => {
                let write = WriteWhere::new(*work, filter, recorder.clone()).with_clock(clock);
                let write = write.of_tenant(tenant.as_ref());
                at_once(write::run_where::<Sqlite>(connection, resource, &write, *effects)).map(Applied::Where)
            }
        }
    }
}

/// The output of a future that only calls a connection of this thread, and is therefore ready at once.
pub(super) fn at_once<T, E: From<AdapterError>>(future: impl Future<Output = Result<T, E>>) -> Result<T, E> {
    let waits = || Err(AdapterError::Other("a call on the writer's own connection waited".into()).into());
    future.now_or_never().unwrap_or_else(waits)
}
