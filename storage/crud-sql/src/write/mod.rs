//! Changes on a connection. [`Strategy`] chooses how: one statement, an optimistic write, or locked records.
//!
//! | Way | Round trips for one audited update | Used for |
//! |---|---|---|
//! | [single statement](single_statement) | – | one change without audit entry or guard |
//! | optimistic (PostgreSQL) | 2 | one change with its entry: read a version, write over that version alone |
//! | [`transactional_write`] | 5 | everything else, and what the others leave undecided |
//!
//! [`group_commit`] lets concurrent requests share one locking transaction.

pub(crate) mod bisect;
#[cfg(feature = "postgres")]
pub(crate) mod group_commit;
mod single_statement;
pub(crate) mod tenants;
pub(crate) mod transactional_write;
#[cfg(any(feature = "postgres", feature = "sqlite"))]
pub(crate) mod work_kind;

use self::bisect::Savepoints;
use self::tenants::Tenants;
use self::transactional_write::TransactionalWrite;
use super::dialect::Lock;
use super::driver::{Connection, Driver, Record};
use super::facts::{Effects, Facts, Versions};
use super::scope::Scope;
use super::statement::change::in_state;
use super::statement::select::{self, Part};
use crate::change::{Attempt, Change};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Descriptor, SortKey};
use crate::model::key::Key;
use crate::query::ListQuery;
use crate::storage::decide::RecordState;
use crate::storage::write::{Mode, Outcome, Target, Work, WorkWhere, Write, WriteSink, WriteWhere};

/// Number of records that a change by filter reads at a time.
const CHUNK: u64 = 500;

/// Strategy of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Strategy {
    SingleStatement,
    Optimistic,
    Locking,
}

impl Strategy {
    fn of<D: Driver>(resource: &'static Descriptor, write: &Write<'_>, effects: Effects) -> Self {
        let removes = matches!(write.work, Work::Delete(_) | Work::Purge(_));
        // A transaction is needed to find out whether a trigger has kept the record.
        let is_watched = effects.rereads || removes && effects.leaves_out;
        let single = write.work.len() == 1 && write.mode != Mode::Rehearsal && !is_watched;
        // An optimistic write makes the entry before storage returns the record: that must be predictable.
        let foresees = write.recorder.is_none() || !effects.changes && !resource.is_computed;
        // An insert has no version to compare.
        let has_version = effects.versions == Versions::Comparable || matches!(write.work, Work::Insert(_));
        match single {
            true if single_statement::suffices::<D>(resource, write) => Self::SingleStatement,
            true if D::OPTIMISTIC && foresees && has_version => Self::Optimistic,
            _ => Self::Locking,
        }
    }
}

/// The changes of a write.
pub(crate) struct WriteResult<D: Driver> {
    changes: Vec<Change<D>>,
    committed: bool,
}

impl<D: Driver> WriteResult<D> {
    /// The result of a write of one change, which is either durable or was not applied.
    pub(crate) fn of_one(change: Change<D>) -> Self {
        Self { changes: vec![change], committed: true }
    }

    /// Whether the write has left no transaction to roll back.
    pub(crate) const fn is_committed(&self) -> bool {
        self.committed
    }

    /// Passes the written records to the sink, and returns the outcomes.
    pub(crate) fn emit(
        self,
        resource: &'static Descriptor,
        facts: &Facts,
        sink: &mut dyn WriteSink,
    ) -> Result<Vec<Outcome>, AdapterError> {
        for (index, change) in self.changes.iter().enumerate().filter(|_| self.committed) {
            if let Some(row) = change.record() {
                sink.record(index, &Record::<D>::new(resource, row))?;
            }
        }
        let outcome = |change: Change<D>| match change.outcome {
            Outcome::Failed(error) => Outcome::Failed(facts.with_columns(resource, error)),
            outcome => outcome,
        };
        Ok(self.changes.into_iter().map(outcome).collect())
    }
}

/// Applies the one change of a write by single, separately committed statements, where these suffice.
pub(crate) async fn without_transaction<D: Driver>(
    connection: &mut Connection<D>,
    resource: &'static Descriptor,
    write: &Write<'_>,
    effects: Effects,
) -> Result<Attempt<D>, AdapterError> {
    let strategy = if D::is_in_transaction(connection) && !D::lock(Lock::Change).is_empty() {
        // A refused statement could abort the transaction, and an optimistic write would commit it.
        Strategy::Locking
    } else {
        Strategy::of::<D>(resource, write, effects)
    };
    match strategy {
        Strategy::SingleStatement => single_statement::change(connection, resource, write).await,
        Strategy::Optimistic => D::change_optimistically(connection, resource, write).await,
        Strategy::Locking => Ok(Attempt::Undecided),
    }
}

/// See [`Adapter::write`](crate::storage::adapter::Adapter::write).
pub(crate) async fn run<D: Driver>(
    connection: &mut Connection<D>,
    resource: &'static Descriptor,
    write: &Write<'_>,
    effects: Effects,
) -> Result<WriteResult<D>, AdapterError> {
    if let Attempt::Settled(change) = without_transaction(connection, resource, write, effects).await? {
        return Ok(WriteResult::of_one(change));
    }
    match in_transaction(connection, resource, write, effects, Savepoints::None).await {
        Err(error) if D::ERROR_ABORTS && error.is_refusal() => {
            if write.work.len() == 1 {
                let change = Change::new(Outcome::Failed(error), None);
                return Ok(WriteResult { changes: vec![change], committed: false });
            }
            // Only savepoints find out which of the changes are refused; they cost time for all of them, so that they
            // are only used now.
            in_transaction(connection, resource, write, effects, Savepoints::EachStatement).await
        }
        done => done,
    }
}

async fn in_transaction<D: Driver>(
    connection: &mut Connection<D>,
    resource: &'static Descriptor,
    write: &Write<'_>,
    effects: Effects,
    savepoints: Savepoints,
) -> Result<WriteResult<D>, AdapterError> {
    let is_nested = D::is_in_transaction(connection);
    let mut transaction = Scope::<D>::begin(connection, D::BEGIN).await.map_err(D::general)?;
    if let (Some(statement), false, Savepoints::EachStatement) = (D::UNDEFER, is_nested, savepoints) {
        // Deferred constraints are checked at once: the commit would not say which change is refused.
        D::execute(&mut transaction, statement).await.map_err(D::general)?;
    }
    let mut transactional =
        TransactionalWrite::<D>::new(&mut transaction, resource, savepoints, write.work.len(), &write.clock);
    transactional.effects = effects;
    transactional.tenants = Tenants::One(write.tenant);
    transactional.most_failures = write.most_failures.filter(|_| write.mode != Mode::Partial);
    transactional.work(write.work).await?;
    let commit = match write.mode {
        Mode::Atomic => transactional.changes.iter().all(Change::is_done),
        Mode::Partial => true,
        Mode::Rehearsal => false,
    };
    if commit && let Some(recorder) = write.recorder.as_deref() {
        transactional.record(recorder.log(), |_| recorder).await?;
    }
    let changes = transactional.changes;
    if commit {
        let removes = matches!(write.work, Work::Delete(_) | Work::Purge(_));
        let translate = |error| if removes { D::translate_delete(error) } else { D::translate(resource, error) };
        transaction.commit().await.map_err(translate)?;
    } else {
        transaction.rollback().await.map_err(D::general)?;
    }
    Ok(WriteResult { changes, committed: commit })
}

/// See [`Adapter::write_where`](crate::storage::adapter::Adapter::write_where).
pub(crate) async fn run_where<D: Driver>(
    connection: &mut Connection<D>,
    resource: &'static Descriptor,
    write: &WriteWhere<'_>,
    effects: Effects,
) -> Result<u64, AdapterError> {
    let lock = D::lock(match write.work {
        WorkWhere::Restore => Lock::Change,
        WorkWhere::Purge => Lock::Remove,
    });
    let deleted = in_state(resource, RecordState::Deleted)?;
    let query = ListQuery::all(resource).filter(deleted.and(write.filter.clone())).limit(CHUNK);
    // The newest first: a record that refers to another one of the same resource is usually newer.
    let query = query.sort(SortKey::of_key(resource, true));
    let mut transaction = Scope::<D>::begin(connection, D::BEGIN).await.map_err(D::general)?;
    let mut count = 0;
    loop {
        // No offset: records of the last chunk no longer satisfy the filter.
        let mut select = select::select::<D>(resource, &query, Part::Whole, query.limit)?;
        select.push(lock);
        let rows = D::all(&mut transaction, select.finish()).await.map_err(D::general)?;
        let ids = rows.iter().map(|row| Key::of_row(resource, &Record::<D>::new(resource, row)));
        let ids: Vec<Key> = ids.collect::<Result<_, _>>()?;
        let targets: Vec<Target<'_>> = ids.iter().map(|id| Target::new(id, None)).collect();
        let work = match write.work {
            WorkWhere::Restore => Work::Restore(&targets),
            WorkWhere::Purge => Work::Purge(&targets),
        };
        let mut chunk =
            TransactionalWrite::<D>::new(&mut transaction, resource, Savepoints::None, work.len(), &write.clock);
        chunk.effects = effects;
        chunk.tenants = Tenants::One(write.tenant);
        let records = ids.iter().map(Key::lookup).zip(rows).collect();
        chunk.targets(work, &targets, records).await?;
        chunk.reread().await?;
        if let Some(recorder) = write.recorder.as_deref() {
            chunk.record(recorder.log(), |_| recorder).await?;
        }
        for change in chunk.changes {
            if let Outcome::Failed(error) = change.outcome {
                return Err(error);
            }
        }
        count += targets.len() as u64;
        if (targets.len() as u64) < CHUNK {
            break;
        }
    }
    transaction.commit().await.map_err(|error| D::translate(resource, error))?;
    Ok(count)
}
