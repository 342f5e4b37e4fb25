//! Changes within a scope that depends on records of other resources.
//!
//! The values by which the changed records refer to others are looked up first, for the records as they are and as they
//! would be written: guards then only compare values. Where storage has transactions of several calls, all of this is
//! one transaction, which locks the records and those that they refer to. On other storage, the guard refuses a record
//! that has changed since, and its values are looked up again.

use std::collections::{BTreeMap, HashMap};

use crud_core::retry;

use super::related_scopes::{Lookup, ScopeValues};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::key::Key;
use crate::model::problem::Problem;
use crate::model::row::Row;
use crate::query::record_scope::RecordScope;
use crate::storage::back_off::Retries;
use crate::storage::write::{Mode, Work, WriteSink};
use crate::store::hooks::Hooks;
use crate::store::owned_record::OwnedRecord;
use crate::store::transaction::shared::End;
use crate::store::writer::write_error::record_id;
use crate::store::writer::{RecordWriter, Results, Unit};

/// Records as they would be written, by the indexes of their changes.
type Written = BTreeMap<usize, ScopeValues>;

impl RecordWriter<'_> {
    /// Applies the changes of this work whose records are in the scope before and after.
    ///
    /// # Errors
    /// When the database fails; no change has happened then.
    pub(in crate::store) async fn write_in_related_scope(
        &self,
        scope: &RecordScope,
        work: Work<'_>,
        mode: Mode,
        sink: &mut dyn WriteSink,
    ) -> Result<Results, Problem> {
        if !self.adapter().capabilities().interactive {
            return self.write_in_related_scope_unlocked(scope, work, mode, sink).await;
        }
        let mut refused = Written::new();
        loop {
            let (_, (attempt, is_kept, ended)) = retry!(
                async {
                    let unit = Unit::begin(self).await?;
                    let writer = RecordWriter { transaction: Some(&unit.transaction), ..self.clone() };
                    let attempt = writer.attempt_in_related_scope(scope, work, mode, &refused).await;
                    let is_kept = match (&attempt, mode) {
                        (Ok(attempt), Mode::Atomic) => attempt.results.iter().all(Result::is_ok),
                        (Ok(attempt), Mode::Partial) => attempt.late.is_empty(),
                        _ => false,
                    };
                    let ended = if is_kept { unit.keep().await } else { unit.undo().await };
                    Ok::<_, Problem>((unit.own_end().await, (attempt, is_kept, ended)))
                },
                End::is_conflict
            )?;
            let Attempt { results, records, late } = attempt?;
            ended.map_err(|error| self.problem(error))?;
            // A partial write leaves out the records that a hook has moved out of the scope, and writes the others.
            if mode == Mode::Partial && !late.is_empty() {
                refused.extend(late);
                continue;
            }
            for (index, record) in records.into_iter().filter(|_| is_kept) {
                sink.record(index, &record).map_err(|error| self.problem(error))?;
            }
            return Ok(results);
        }
    }

    /// Applies the changes on storage without transactions of several calls.
    async fn write_in_related_scope_unlocked(
        &self,
        scope: &RecordScope,
        work: Work<'_>,
        mode: Mode,
        sink: &mut dyn WriteSink,
    ) -> Result<Results, Problem> {
        let mut retries = Retries::new();
        loop {
            let refused = self.look_up_led(scope, work, &Written::new()).await?;
            let results = self.write_referring(work, mode, sink, refused).await?;
            let is_moved = scope.has_missed() && results.iter().all(Result::is_err);
            if !is_moved || !retries.is_left() {
                return Ok(results);
            }
            retries.wait().await;
        }
    }

    /// Applies the changes in the writer's transaction, except those that are known to leave the scope.
    async fn attempt_in_related_scope(
        &self,
        scope: &RecordScope,
        work: Work<'_>,
        mode: Mode,
        known: &Written,
    ) -> Result<Attempt, Problem> {
        let resource = self.resource();
        let refused = self.look_up_led(scope, work, known).await?;
        let mut records = Records { resource, records: BTreeMap::new() };
        let mut results = self.write_referring(work, mode, &mut records, refused).await?;
        let mut late = Written::new();
        if Hooks::of(resource).is_some() && matches!(work, Work::Insert(_) | Work::Update(_)) {
            let columns = || scope.columns_of_changes();
            let written =
                records.records.iter().map(|(index, row)| (*index, ScopeValues::of(resource, columns(), row)));
            let written: Written = written.collect();
            let looked_up = self.lookup().look_up(resource, scope, written.values()).await;
            looked_up.map_err(|error| self.problem(error))?;
            for (index, row) in written {
                if let Some(problem) = self.refusal(scope, &row)? {
                    results[index] = Err(problem.into());
                    late.insert(index, row);
                }
            }
        }
        Ok(Attempt { results, records: records.records, late })
    }

    /// Looks up the records as they are and as they would be written; returns the problems of the latter. A hook may
    /// change a record before it is written: for a resource with hooks, the written records are looked up afterwards.
    async fn look_up_led(
        &self,
        scope: &RecordScope,
        work: Work<'_>,
        known: &Written,
    ) -> Result<BTreeMap<usize, Problem>, Problem> {
        let resource = self.resource();
        let ids: Vec<&Key> = (0..work.len()).filter_map(|index| record_id(work, index)).collect();
        scope.forget();
        let stored = self.lookup().stored(resource, scope, &ids).await.map_err(|error| self.problem(error))?;
        let after =
            if Hooks::of(resource).is_some() { known.clone() } else { results_of(resource, scope, work, &stored) };
        let looked_up = self.lookup().look_up(resource, scope, stored.values().chain(after.values())).await;
        looked_up.map_err(|error| self.problem(error))?;
        let mut refused = BTreeMap::new();
        for (index, row) in &after {
            let before = record_id(work, *index).and_then(|id| stored.get(&id.lookup()));
            // The guard refuses records that may not be changed at all.
            let may_change = match before {
                Some(before) => self.may_change(scope, before)?,
                None => true,
            };
            if may_change && let Some(problem) = self.refusal(scope, row)? {
                refused.insert(*index, problem);
            }
        }
        Ok(refused)
    }

    /// Refuses a written record that is not in the scope, after the records that refer to it are written too.
    ///
    /// # Errors
    /// `permission_denied`, `validation_failed`; when the database fails.
    pub(crate) async fn require_in_scope(&self, id: &Key) -> Result<(), Problem> {
        let Some(scope) = self.scope else { return Ok(()) };
        scope.forget();
        let mut stored =
            self.lookup().stored(self.resource(), scope, &[id]).await.map_err(|error| self.problem(error))?;
        // A removed record has no values.
        let row = stored.remove(&id.lookup()).unwrap_or_default();
        let looked_up = self.lookup().look_up(self.resource(), scope, std::iter::once(&row)).await;
        looked_up.map_err(|error| self.problem(error))?;
        self.refusal(scope, &row)?.map_or(Ok(()), Err)
    }

    fn lookup(&self) -> Lookup<'_> {
        match self.transaction {
            Some(transaction) => Lookup::within(transaction),
            None => Lookup::of(self.adapter()),
        }
    }

    fn may_change(&self, scope: &RecordScope, row: &ScopeValues) -> Result<bool, Problem> {
        let resource = self.resource();
        let is_in = scope.admits(resource, row).map_err(|error| self.problem(error))?;
        // The guard of the record checks the times.
        Ok(is_in && scope.admits_change_at_any_time(resource, row).map_err(|error| self.problem(error))?)
    }

    fn refusal(&self, scope: &RecordScope, row: &ScopeValues) -> Result<Option<Problem>, Problem> {
        scope.refusal_of_result(self.resource(), row).map_err(|error| self.problem(error))
    }
}

/// The records that changes would write, if the changes set values.
fn results_of(
    resource: &'static Descriptor,
    scope: &RecordScope,
    work: Work<'_>,
    stored: &HashMap<String, ScopeValues>,
) -> Written {
    match work {
        Work::Insert(records) => {
            let row = |record: &Vec<_>| {
                ScopeValues::of(resource, scope.columns_of_changes(), &OwnedRecord::new(record.clone()))
            };
            records.iter().map(row).enumerate().collect()
        }
        Work::Update(updates) => {
            let changed = updates.iter().enumerate();
            let changed = changed
                .filter_map(|(index, update)| Some((index, stored.get(&update.id.lookup())?.changed(update.changes))));
            changed.collect()
        }
        Work::SoftDelete(_) | Work::Restore(_) | Work::Delete(_) | Work::Purge(_) => Written::new(),
    }
}

/// The outcomes of one attempt.
struct Attempt {
    results: Results,
    /// The records that were written.
    records: BTreeMap<usize, OwnedRecord>,
    /// Records that are not in the scope as they were written.
    late: Written,
}

/// Keeps the records of a write until it is durable.
struct Records {
    resource: &'static Descriptor,
    records: BTreeMap<usize, OwnedRecord>,
}

impl WriteSink for Records {
    fn record(&mut self, index: usize, row: &dyn Row) -> Result<(), AdapterError> {
        self.records.insert(index, OwnedRecord::read(self.resource, row)?);
        Ok(())
    }
}
