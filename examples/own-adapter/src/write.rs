//! Changes, inside a transaction without concurrent writers.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use crud_runtime::adapter::{
    AdapterError, Decision, Guard, Intent, Key, Mode, Outcome, Recorder, Row, Target, Update, Work, WorkWhere, Write,
    WriteSink, WriteWhere, decide, is_same,
};
use crud_runtime::column::Value;
use crud_runtime::descriptor::{Descriptor, Role};

use crate::order::SortedKey;
use crate::predicate::satisfies;
use crate::tables::{Record, Tables};
use crate::{references, unique};

/// A successful change: the record before and after it, the same `Arc` where nothing changed.
#[derive(Debug)]
pub(crate) struct Changed {
    before: Option<Arc<Record>>,
    after: Option<Arc<Record>>,
}

impl Changed {
    /// The record after the change, or the deleted record.
    pub(crate) fn record(&self) -> Option<&Record> {
        self.after.as_deref().or(self.before.as_deref())
    }

    fn is_change(&self) -> bool {
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => !Arc::ptr_eq(before, after),
            _ => true,
        }
    }
}

/// The result of one change.
pub(crate) type Attempt = Result<Changed, Outcome>;

/// Applies changes to a copy of the tables; returns their results and whether to commit.
///
/// # Errors
/// When something fails that is not the fault of a single change.
pub(crate) fn write(
    tables: &mut Tables,
    resource: &'static Descriptor,
    write: &Write<'_>,
) -> Result<(Vec<Attempt>, bool), AdapterError> {
    let mut transaction = Transaction { tables, resource, tenant: write.tenant, time: write.clock.stamp() };
    let attempts: Vec<Attempt> = match write.work {
        Work::Insert(records) => records.iter().map(|record| transaction.insert(record)).collect(),
        Work::Update(updates) => {
            let change = |update: &Update<'_>| {
                transaction.change(Intent::Update(update.changes), update.id, update.guard.as_deref())
            };
            updates.iter().map(change).collect()
        }
        Work::SoftDelete(targets) => transaction.change_each(Intent::SoftDelete, targets),
        Work::Restore(targets) => transaction.change_each(Intent::Restore, targets),
        Work::Delete(targets) => transaction.change_each(Intent::Delete, targets),
        Work::Purge(targets) => transaction.change_each(Intent::Purge, targets),
    };
    let attempts = attempts.into_iter().map(outcome_or_failure).collect::<Result<Vec<Attempt>, _>>()?;
    let commit = match write.mode {
        Mode::Atomic => attempts.iter().all(Result::is_ok),
        Mode::Partial => true,
        Mode::Rehearsal => false,
    };
    if let Some(recorder) = write.recorder.as_deref().filter(|_| commit) {
        transaction.record(recorder, attempts.iter().flatten())?;
    }
    Ok((attempts, commit))
}

/// The outcomes of changes. The records of committed changes are passed to the sink.
///
/// # Errors
/// Errors of the sink.
pub(crate) fn outcomes(
    attempts: Vec<Attempt>,
    commit: bool,
    sink: &mut dyn WriteSink,
) -> Result<Vec<Outcome>, AdapterError> {
    for (index, changed) in attempts.iter().enumerate().filter(|_| commit) {
        if let Some(record) = changed.as_ref().ok().and_then(Changed::record) {
            sink.record(index, record)?;
        }
    }
    Ok(attempts.into_iter().map(|attempt| attempt.map_or_else(|outcome| outcome, |_| Outcome::Done)).collect())
}

/// Restores or purges the soft-deleted records that satisfy a predicate; returns their number.
///
/// # Errors
/// The first record's error.
pub(crate) fn write_where(
    tables: &mut Tables,
    resource: &'static Descriptor,
    write: &WriteWhere<'_>,
) -> Result<u64, AdapterError> {
    let selected = |record: &&Arc<Record>| record.is_deleted(resource) && satisfies(write.filter, record);
    // Newest first: a record usually refers to an older one of its resource.
    let records = tables.get(resource.table)?.records.values().rev().filter(selected);
    let ids: Vec<Key> = records.map(|record| Key::of(resource, &record.0)).collect();
    let mut transaction = Transaction { tables, resource, tenant: write.tenant, time: write.clock.stamp() };
    let mut done = Vec::with_capacity(ids.len());
    let intent = match write.work {
        WorkWhere::Restore => Intent::Restore,
        WorkWhere::Purge => Intent::Purge,
    };
    for id in &ids {
        match transaction.change(intent, id, None) {
            Ok(changed) => done.push(changed),
            Err(Outcome::Failed(error)) => return Err(error),
            // An earlier change has deleted the record by CASCADE.
            Err(_) => {}
        }
    }
    if let Some(recorder) = write.recorder.as_deref() {
        transaction.record(recorder, done.iter())?;
    }
    Ok(done.len() as u64)
}

/// Separates the fault of a change, which is an outcome, from a failure of storage, which ends the write.
fn outcome_or_failure(attempt: Attempt) -> Result<Attempt, AdapterError> {
    match attempt {
        Err(Outcome::Failed(error)) if !error.is_refusal() => Err(error),
        attempt => Ok(attempt),
    }
}

/// Changes of one resource's records, with one timestamp.
struct Transaction<'a> {
    tables: &'a mut Tables,
    resource: &'static Descriptor,
    /// The tenant of the records; `None`: records of every tenant.
    tenant: Option<&'a Value>,
    time: DateTime<Utc>,
}

impl Transaction<'_> {
    fn change_each(&mut self, intent: Intent<'_>, targets: &[Target<'_>]) -> Vec<Attempt> {
        targets.iter().map(|target| self.change(intent, target.id, target.guard.as_deref())).collect()
    }

    fn insert(&mut self, values: &[Value]) -> Attempt {
        let after = insert(self.tables, self.resource, values, self.time).map_err(Outcome::Failed)?;
        Ok(Changed { before: None, after: Some(after) })
    }

    /// Changes a stored record, as `decide` says.
    fn change(&mut self, intent: Intent<'_>, id: &Key, guard: Option<&dyn Guard>) -> Attempt {
        let resource = self.resource;
        let stored = self.tables.get(resource.table).map_err(Outcome::Failed)?.get(id);
        let stored = stored.filter(|record| record.is_of(resource, self.tenant)).cloned();
        let row = stored.as_deref().map(|record| record as &dyn Row);
        let decision = decide(resource, intent, row, guard).map_err(Outcome::Failed)?;
        if let Some(outcome) = decision.outcome().filter(|_| decision != Decision::Unchanged) {
            return Err(outcome);
        }
        let before = stored.ok_or(Outcome::Missing)?;
        let mut record = Record::clone(&before);
        match (decision, intent) {
            (Decision::Unchanged, _) => return Ok(Changed { after: Some(before.clone()), before: Some(before) }),
            (Decision::Remove, _) => {
                references::remove(self.tables, resource.table, id).map_err(Outcome::Failed)?;
                return Ok(Changed { before: Some(before), after: None });
            }
            (Decision::SoftDelete, _) => record.set_deleted(resource, Some(self.time)),
            (Decision::Restore, _) => record.set_deleted(resource, None),
            (Decision::Update { restores }, Intent::Update(changes)) => {
                for (column, value) in changes.iter() {
                    record.0[column] = value.clone();
                }
                record.set_time(resource, Role::UpdatedAt, self.time);
                if restores {
                    record.set_deleted(resource, None);
                }
                // Only changed references are checked: an unchanged one may lead to a record that was soft-deleted
                // meanwhile.
                let begins =
                    |column| changes.get(column).is_some_and(|value: &Value| !is_same(before.get(column), value));
                references::check(self.tables, resource, &record, begins).map_err(Outcome::Failed)?;
            }
            // Other decisions have an outcome already, or belong to another intent.
            _ => return Err(Outcome::Failed(AdapterError::Unsupported { what: "this decision" })),
        }
        self.put(before, record)
    }

    /// Replaces a record.
    fn put(&mut self, before: Arc<Record>, mut record: Record) -> Attempt {
        record.rescale(self.resource);
        let table = self.tables.get_mut(self.resource.table).map_err(Outcome::Failed)?;
        unique::check(table, &record).map_err(Outcome::Failed)?;
        let after = Arc::new(record);
        table.put(after.clone());
        Ok(Changed { before: Some(before), after: Some(after) })
    }

    /// Inserts the audit entries of the changes.
    fn record<'c>(
        &mut self,
        recorder: &dyn Recorder,
        changes: impl Iterator<Item = &'c Changed>,
    ) -> Result<(), AdapterError> {
        let row = |record: &'c Option<Arc<Record>>| record.as_deref().map(|record| record as &dyn Row);
        for Changed { before, after } in changes.filter(|change| change.is_change()) {
            let entry = recorder.entry(self.time, row(before), row(after))?;
            insert(self.tables, recorder.log(), &entry, self.time)?;
        }
        Ok(())
    }
}

/// Inserts a record.
fn insert(
    tables: &mut Tables,
    resource: &'static Descriptor,
    values: &[Value],
    time: DateTime<Utc>,
) -> Result<Arc<Record>, AdapterError> {
    let mut record = Record(values.to_vec());
    record.rescale(resource);
    record.set_time(resource, Role::CreatedAt, time);
    record.set_time(resource, Role::UpdatedAt, time);
    record.set_deleted(resource, None);
    if Key::of(resource, &record.0).is_null() {
        record.0[resource.id] = tables.get_mut(resource.table)?.assign();
    }
    references::check(tables, resource, &record, |_| true)?;
    let table = tables.get_mut(resource.table)?;
    if table.records.contains_key(&SortedKey(Key::of(resource, &record.0))) {
        return Err(AdapterError::Unique { columns: resource.key().to_vec() });
    }
    unique::check(table, &record)?;
    let record = Arc::new(record);
    table.put(record.clone());
    Ok(record)
}
