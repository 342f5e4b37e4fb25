//! Changes of an untyped store.

use std::sync::Arc;

use super::store::UntypedStore;
use crate::model::adapter_error::AdapterError;
use crate::model::changes::Changes;
use crate::model::descriptor::SortKey;
use crate::model::key::Key;
use crate::model::problem::Problem;
use crate::model::row::RowSink;
use crate::query::{ListQuery, Predicate, Scope};
use crate::storage::adapter::{Adapter, BoxFuture};
use crate::storage::decide::{RecordState, state};
use crate::storage::error::Result;
use crate::storage::write::{Guard, Mode, Target, Update, Work, WorkWhere, WriteSink};
use crate::store::each_row::each_row;
use crate::store::scope::store_scope::{ScopeGuard, ScopedWork};
use crate::store::scope::subqueries::resolved;
use crate::store::typed::increment;
use crate::store::writer::no_sink::NoSink;
use crate::store::writer::record_values;
use crate::store::writer::related_scopes::Lookup;
use crate::store::writer::upsert::{Done, OnConflict, Upsert, unique_of};
use crate::store::writer::write_error::{WriteError, record_id};
use crate::store::writer::{OnlyRecord, RecordWriter};

/// Number of records that a change by filter reads at a time.
const CHUNK: u64 = 500;

impl UntypedStore {
    /// Completes a new record by the values that the scope determines.
    pub(super) fn assign(&self, changes: &mut Changes) -> Result<(), Problem> {
        self.app.scope().assign(self.mounted.resource(), self.app.actor(), changes)
    }

    pub(crate) fn create<'a>(
        &'a self,
        mut changes: Changes,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<(), Problem>> {
        Box::pin(async move {
            record_values::truncate_times(&mut changes);
            self.assign(&mut changes)?;
            record_values::validate_new(&self.mounted, &changes)?;
            self.write_one(Work::Insert(&[record_values::with_defaults(self.mounted.resource(), changes)]), sink).await
        })
    }

    /// Creates a record, or changes the one that has its values of these columns.
    pub(crate) fn upsert<'a>(
        &'a self,
        columns: &'a [usize],
        mut changes: Changes,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<Done, Problem>> {
        Box::pin(async move {
            let resource = self.mounted.resource();
            let Some(unique) = unique_of(resource, columns) else {
                let names = resource.names_of(columns);
                let problem =
                    format!("{} is not unique by the exact values of {names}: no record to change", resource.name);
                return Err(Problem::internal(problem));
            };
            record_values::truncate_times(&mut changes);
            let mut present = changes.clone();
            resource.key().iter().for_each(|column| drop(present.take(*column)));
            self.assign(&mut changes)?;
            record_values::validate_new(&self.mounted, &changes)?;
            let record = record_values::with_defaults(resource, changes);
            let key = unique.columns.iter().map(|column| record[*column].clone()).collect();
            let records = self.records()?;
            let active = self.app.scope().deletion(resource) == Scope::Active;
            let guard = ScopeGuard::of_update(resource, &records, active, &present);
            let on_conflict = OnConflict::Update(&present, guard.clone().map(|guard| guard as Arc<dyn Guard>));
            let (record, mode) = (Ok(record), Mode::Atomic);
            let upsert =
                Upsert { unique: &unique, key, record, on_conflict, records: &records, may_restore: true, mode };
            // A deleted record that the caller does not see holds the values.
            let held = || self.problem(AdapterError::Unique { columns: unique.columns.clone() });
            let writer = RecordWriter { scope: Some(&records), ..self.writer()? };
            writer.upsert(upsert, sink).await.map_err(|error| match error {
                WriteError::Refused => guard.and_then(|guard| guard.refusal()).unwrap_or_else(held),
                WriteError::Problem(problem) => problem,
            })
        })
    }

    pub(crate) fn update<'a>(
        &'a self,
        id: &'a Key,
        mut changes: Changes,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<(), Problem>> {
        Box::pin(async move {
            record_values::truncate_times(&mut changes);
            if changes.increments().next().is_some() {
                return self.update_locked(id, changes, None, sink).await.map(drop);
            }
            record_values::validate_patch(&self.mounted, &changes)?;
            self.write_one(Work::Update(&[Update::new(id, &changes, None)]), sink).await
        })
    }

    /// Updates an active record that satisfies a condition; returns whether it does.
    pub(crate) fn update_if<'a>(
        &'a self,
        id: &'a Key,
        condition: Predicate,
        mut changes: Changes,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<bool, Problem>> {
        Box::pin(async move {
            record_values::truncate_times(&mut changes);
            self.update_locked(id, changes, Some(condition), sink).await
        })
    }

    /// Updates a record based on its values under a lock; on storage without locks, only if it is still as it was read.
    async fn update_locked(
        &self,
        id: &Key,
        changes: Changes,
        condition: Option<Predicate>,
        sink: &mut dyn RowSink,
    ) -> Result<bool, Problem> {
        if !self.adapter()?.capabilities().interactive {
            return self.compare_and_set(id, &changes, condition.as_ref(), sink).await;
        }
        self.in_transaction(sink, |store, sink| {
            let (id, changes, condition) = (id.clone(), changes.clone(), condition.clone());
            Box::pin(async move { store.update_within(&id, changes, condition, sink).await })
        })
        .await
    }

    async fn update_within(
        &self,
        id: &Key,
        changes: Changes,
        condition: Option<Predicate>,
        sink: &mut dyn RowSink,
    ) -> Result<bool, Problem> {
        let (resource, transaction) = (self.mounted.resource(), self.transaction()?);
        let mut resolved = None;
        let mut resolving = each_row(|row| {
            resolved = Some(increment::resolve(resource, row, changes.clone()));
            Ok(())
        });
        self.lock(id, &mut resolving).await?;
        let Some(changes) = resolved else { return Err(Problem::record_not_found(resource, id)) };
        if let Some(condition) = condition {
            let of_key = Predicate::of_key(resource, id);
            let satisfied = transaction.count(resource, &of_key.and(condition)).await;
            if satisfied.map_err(|error| self.problem(error))? == 0 {
                return Ok(false);
            }
        }
        let changes = changes?;
        record_values::validate_patch(&self.mounted, &changes)?;
        self.write_one(Work::Update(&[Update::new(id, &changes, None)]), sink).await?;
        Ok(true)
    }

    /// Updates every active record that satisfies a condition, or deletes them if there are no changes; returns their
    /// number.
    pub(crate) fn change_where(
        &self,
        filter: Predicate,
        mut changes: Option<Changes>,
    ) -> BoxFuture<'_, Result<u64, Problem>> {
        Box::pin(async move {
            changes.iter_mut().for_each(record_values::truncate_times);
            self.in_transaction(&mut NoSink, |store, _| {
                let (filter, changes) = (filter.clone(), changes.clone());
                Box::pin(async move { store.change_where_within(filter, changes).await })
            })
            .await
        })
    }

    async fn change_where_within(&self, filter: Predicate, changes: Option<Changes>) -> Result<u64, Problem> {
        let (resource, transaction) = (self.mounted.resource(), self.transaction()?);
        let filter = self.records()?.change_predicate().and(Scope::Active.predicate(resource)).and(filter);
        let filter = resolved(transaction, &filter, None).await.map_err(|error| self.problem(error))?.into_owned();
        let query = ListQuery::all(resource).filter(filter).sort(SortKey::of_key(resource, false)).limit(CHUNK);
        let mut after = None;
        let mut count = 0;
        loop {
            let mut query = query.clone();
            query.after = after.take();
            let mut chunk = Vec::new();
            let mut sink = each_row(|row| {
                let changes = changes.clone().unwrap_or_default();
                chunk.push((Key::of_row(resource, row)?, increment::resolve(resource, row, changes)));
                Ok(())
            });
            let listed = transaction.list_locked(resource, &query, &mut sink).await;
            listed.map_err(|error| self.problem(error))?;
            let Some((last, _)) = chunk.last() else { break };
            after = Some(last.values().to_vec());
            let found: Vec<(Key, Changes)> =
                chunk.into_iter().map(|(id, changes)| Ok((id, changes?))).collect::<Result<_, Problem>>()?;
            self.change_chunk(&found, changes.is_none()).await?;
            count += found.len() as u64;
            if (found.len() as u64) < CHUNK {
                break;
            }
        }
        Ok(count)
    }

    async fn change_chunk(&self, found: &[(Key, Changes)], delete: bool) -> Result<(), Problem> {
        let updates: Vec<Update<'_>>;
        let targets: Vec<Target<'_>>;
        let work = if delete {
            targets = found.iter().map(|(id, _)| Target::new(id, None)).collect();
            self.deletes(&targets)
        } else {
            found.iter().try_for_each(|(_, changes)| record_values::validate_patch(&self.mounted, changes))?;
            updates = found.iter().map(|(id, changes)| Update::new(id, changes, None)).collect();
            Work::Update(&updates)
        };
        let results = self.write(work, Mode::Atomic, &mut NoSink).await?;
        results.into_iter().collect()
    }

    /// The deletes of these records: soft ones, where the resource has soft delete.
    pub(super) fn deletes<'t>(&self, targets: &'t [Target<'t>]) -> Work<'t> {
        if self.mounted.resource().soft_delete.is_some() { Work::SoftDelete(targets) } else { Work::Delete(targets) }
    }

    /// Reads an active record and locks it; returns whether there is one.
    pub(crate) fn lock<'a>(&'a self, id: &'a Key, sink: &'a mut dyn RowSink) -> BoxFuture<'a, Result<bool, Problem>> {
        Box::pin(async move {
            let resource = self.mounted.resource();
            let (records, transaction) = (self.records()?, self.transaction()?);
            if records.has_related() {
                let looked_up = Lookup::within(transaction).prepare(resource, &records, id).await;
                looked_up.map_err(|error| self.problem(error))?;
            }
            let mut found = false;
            let mut active = each_row(|row| {
                if state(resource, row)? == RecordState::Deleted || !records.admits(resource, row)? {
                    return Ok(());
                }
                found = true;
                sink.row(row)
            });
            transaction.lock(resource, id, records.tenant(), &mut active).await.map_err(|error| self.problem(error))?;
            Ok(found)
        })
    }

    /// Applies one change of a record.
    pub(crate) fn write_one<'a>(
        &'a self,
        work: Work<'a>,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<(), Problem>> {
        Box::pin(async move {
            let mut results = self.write(work, Mode::Atomic, &mut OnlyRecord(sink)).await?;
            results.pop().unwrap_or_else(|| Err(Problem::internal("the adapter returned no outcome")))
        })
    }

    /// Applies changes of records in the store's scope; a record outside of the scope is not found.
    pub(super) async fn write(
        &self,
        work: Work<'_>,
        mode: Mode,
        sink: &mut dyn WriteSink,
    ) -> Result<Vec<Result<(), Problem>>, Problem> {
        let resource = self.mounted.resource();
        let deletion = self.app.scope().deletion(resource);
        let records = self.records()?;
        let scoped = ScopedWork::new(resource, &records, deletion, work);
        let writer = RecordWriter { scope: Some(&records), ..self.writer()? };
        let results = writer.write(scoped.work(), mode, sink).await?;
        let outside = |index| match record_id(work, index) {
            Some(id) => Problem::record_not_found(resource, id),
            None => WriteError::Refused.unguarded(),
        };
        let problem = |(index, result): (usize, Result<(), WriteError>)| {
            result.map_err(|error| match error {
                WriteError::Refused => scoped.refusal(index).unwrap_or_else(|| outside(index)),
                WriteError::Problem(problem) => problem,
            })
        };
        Ok(results.into_iter().enumerate().map(problem).collect())
    }

    pub(crate) fn write_where(&self, work: WorkWhere, filter: Predicate) -> BoxFuture<'_, Result<u64>> {
        Box::pin(async move {
            self.require_soft_delete()?;
            let filter = self.records()?.change_predicate().and(filter);
            let filter =
                resolved(self.adapter()?, &filter, None).await.map_err(|error| self.problem(error))?.into_owned();
            Ok(self.writer()?.write_where(work, &filter).await?)
        })
    }
}
