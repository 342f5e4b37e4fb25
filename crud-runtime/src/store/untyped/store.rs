//! [`UntypedStore`]: the part of a store that is not generic over the record's type, compiled once.

use std::borrow::Cow;
use std::collections::HashSet;
use std::future::ready;
use std::sync::Arc;

use crud_core::retry;

use crate::model::adapter_error::AdapterError;
use crate::model::changes::Changes;
use crate::model::descriptor::{Descriptor, SortKey};
use crate::model::key::Key;
use crate::model::problem::{Code, FieldError, Problem};
use crate::model::row::RowSink;
use crate::model::value::Value;
use crate::query::record_scope::RecordScope;
use crate::query::visibility::RecordVisibility;
use crate::query::{AggregateQuery, Group, ListQuery, Predicate, Scope};
use crate::storage::adapter::{Adapter, BoxFuture};
use crate::storage::decide::{RecordState, state};
use crate::storage::error::Result;
use crate::storage::write::{Guard, Mode, Target, Update, Work, WorkWhere, WriteSink};
use crate::store::app::App;
use crate::store::each_row::each_row;
use crate::store::mounted::resource::MountedResource;
use crate::store::scope::store_scope::{ScopeGuard, ScopedWork};
use crate::store::scope::subqueries::resolved;
use crate::store::scope::visible_record::read_visible;
use crate::store::transaction::shared::{End, SharedTransaction};
use crate::store::typed::batch::BatchError;
use crate::store::typed::increment;
use crate::store::writer::leads::Lookup;
use crate::store::writer::no_sink::NoSink;
use crate::store::writer::record_values;
use crate::store::writer::reference_rule::ReferenceRule;
use crate::store::writer::state_change::StateChange;
use crate::store::writer::upsert::{Done, OnConflict, Upsert, unique_of};
use crate::store::writer::write_error::{WriteError, record_id};
use crate::store::writer::{OnlyRecord, RecordWriter};

/// Limit of keys in a query.
const KEYS: usize = 500;

/// Number of records that a change by filter reads at a time.
const CHUNK: u64 = 500;

/// A resource's records, by descriptor; [`Store`](crate::store::typed::store::Store) adds the record's type.
#[derive(Clone)]
pub(crate) struct UntypedStore {
    /// Its scope says whose records the store reads and writes.
    pub(crate) app: App,
    pub(crate) mounted: Arc<MountedResource>,
    /// The transaction to work in; without one, in storage itself, unless the task has a transaction open.
    pub(crate) transaction: Option<Arc<SharedTransaction>>,
}

impl UntypedStore {
    pub(crate) fn problem(&self, error: AdapterError) -> Problem {
        self.app.problem(self.mounted.resource(), error)
    }

    pub(crate) fn adapter(&self) -> Result<&dyn Adapter, Problem> {
        match &self.transaction {
            Some(transaction) => Ok(&**transaction),
            None => self.app.refuse_inside_transaction().map(|()| &**self.app.adapter()),
        }
    }

    pub(crate) fn writer(&self) -> Result<RecordWriter<'_>, Problem> {
        self.adapter()?;
        Ok(RecordWriter {
            app: &self.app,
            mounted: &self.mounted,
            transaction: self.transaction.as_ref(),
            actor: self.app.shared_actor(),
            caller: None,
            state_change: StateChange::default(),
            references: ReferenceRule::Store { scope: self.app.scope(), actor: self.app.actor() },
            scope: None,
            most_failures: None,
            // A handle that reports reads does so by its adapter.
            reads: None,
        })
    }

    pub(crate) fn require_soft_delete(&self) -> Result<(), Problem> {
        let resource = self.mounted.resource();
        match resource.soft_delete {
            Some(_) => Ok(()),
            None => Err(Problem::new(Code::ValidationFailed, format!("{} has no soft delete", resource.name))),
        }
    }

    pub(crate) fn list<'a>(
        &'a self,
        query: &'a ListQuery,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<(), Problem>> {
        Box::pin(async move {
            let (adapter, query) = (self.adapter()?, self.in_scope(query)?);
            let listed = async {
                if !query.joined.is_empty() && !adapter.capabilities().subqueries {
                    return Err(AdapterError::Unsupported { what: "orders by fields of other records" });
                }
                match resolved(adapter, &query.filter, None).await? {
                    Cow::Borrowed(_) => adapter.list(self.mounted.resource(), &query, sink).await,
                    Cow::Owned(filter) => {
                        let mut query = ListQuery::clone(&query);
                        query.filter = filter;
                        adapter.list(self.mounted.resource(), &query, sink).await
                    }
                }
            };
            listed.await.map_err(|error| self.problem(error))
        })
    }

    /// Passes the active records of another resource with these keys to the sink, as far as they are in the store's scope.
    pub(crate) fn list_keys<'a>(
        &'a self,
        other: &'static Descriptor,
        keys: Vec<Key>,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<(), Problem>> {
        Box::pin(async move {
            let adapter = self.adapter()?;
            let records = Scope::Active.predicate(other).and(self.records_of(other)?.predicate());
            let records = resolved(adapter, &records, None).await.map_err(|error| self.problem(error))?;
            for keys in keys.chunks(KEYS) {
                let with_key = Predicate::of_keys(other, keys);
                let query = ListQuery::all(other).sort(SortKey::of_key(other, false));
                let query = query.filter(with_key.and(Predicate::clone(&records)));
                adapter.list(other, &query, sink).await.map_err(|error| Problem::from_adapter(other, error))?;
            }
            Ok(())
        })
    }

    /// Counts the records of a query, up to a limit if there is one.
    pub(crate) fn count<'a>(&'a self, query: &'a ListQuery, limit: Option<u64>) -> BoxFuture<'a, Result<u64, Problem>> {
        Box::pin(async move {
            let (adapter, query, resource) = (self.adapter()?, self.in_scope(query)?, self.mounted.resource());
            let counted = async {
                let filter = resolved(adapter, &query.filter, None).await?;
                match limit {
                    Some(limit) => adapter.count_up_to(resource, &filter, limit).await,
                    None => adapter.count(resource, &filter).await,
                }
            };
            counted.await.map_err(|error| self.problem(error))
        })
    }

    /// Groups the records of a query.
    pub(crate) fn aggregate<'a>(
        &'a self,
        query: &'a ListQuery,
        mut groups: AggregateQuery,
    ) -> BoxFuture<'a, Result<Vec<Group>, Problem>> {
        Box::pin(async move {
            let (adapter, query, resource) = (self.adapter()?, self.in_scope(query)?, self.mounted.resource());
            let lacks = |column: usize, what: &str| {
                let name = resource.columns[column].json;
                Err(Problem::validation([FieldError::field(name, "type", format!("has no {what}"))]))
            };
            for key in &groups.group_by {
                if key.bucket.is_some_and(|bucket| !bucket.is_of(&resource.columns[key.column])) {
                    return lacks(key.column, "spans of time");
                }
            }
            for measure in &groups.measures {
                if !measure.function.is_of(&resource.columns[measure.column]) {
                    return lacks(measure.column, "sum, average or order");
                }
            }
            let grouped = async {
                groups.filter = resolved(adapter, &query.filter, None).await?.into_owned();
                adapter.aggregate(resource, &groups).await
            };
            grouped.await.map_err(|error| self.problem(error))
        })
    }

    /// The records of the store's scope.
    pub(crate) fn records(&self) -> Result<RecordScope, Problem> {
        self.records_of(self.mounted.resource())
    }

    fn records_of(&self, resource: &'static Descriptor) -> Result<RecordScope, Problem> {
        Ok(self.app.scope().records(resource, self.app.actor())?.by_clock(self.app.clock()))
    }

    /// The query, limited to the store's scope.
    fn in_scope<'q>(&self, query: &'q ListQuery) -> Result<Cow<'q, ListQuery>, Problem> {
        let (records, deletion) = (self.records()?, self.app.scope().deletion(self.mounted.resource()));
        if records.is_unrestricted() && deletion == Scope::All {
            return Ok(Cow::Borrowed(query));
        }
        let records = records.predicate().and(deletion.predicate(self.mounted.resource()));
        let filter = records.and(query.filter.clone());
        let mut query = query.clone();
        query.filter = filter;
        Ok(Cow::Owned(query))
    }

    pub(crate) fn find<'a>(
        &'a self,
        id: &'a Key,
        scope: Scope,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<bool, Problem>> {
        match (scope, self.app.scope().deletion(self.mounted.resource())) {
            (Scope::Deleted, Scope::Active) => Box::pin(ready(Ok(false))),
            (Scope::All, shown) => self.find_in_state(id, shown, sink),
            (scope, _) => self.find_in_state(id, scope, sink),
        }
    }

    /// Finds a record in one of these states, for any caller.
    pub(crate) fn find_in_state<'a>(
        &'a self,
        id: &'a Key,
        scope: Scope,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<bool, Problem>> {
        Box::pin(async move {
            let records = self.records()?;
            let visibility = RecordVisibility { scope, records: Some(&records) };
            read_visible(self.adapter()?, self.mounted.resource(), id, visibility, sink)
                .await
                .map_err(|error| self.problem(error))
        })
    }

    /// Completes a new record by what the scope determines of it.
    fn assign(&self, changes: &mut Changes) -> Result<(), Problem> {
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

    /// Updates an active record that satisfies a condition; whether it does.
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

    /// Updates every active record that satisfies a condition, or without changes deletes it; their number.
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

    /// Updates a record by what it is when it is locked, or where storage locks none, while it is what was read.
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

    /// Runs work in the store's transaction, or in one for this work alone.
    async fn in_transaction<T>(
        &self,
        sink: &mut dyn RowSink,
        work: impl for<'s> Fn(Self, &'s mut dyn RowSink) -> BoxFuture<'s, Result<T, Problem>> + Send,
    ) -> Result<T, Problem> {
        if self.transaction.is_some() {
            return work(self.clone(), sink).await;
        }
        self.app.refuse_inside_transaction()?;
        let (_, result) = retry!(
            async {
                let begun = self.app.start_transaction().await;
                let transaction = begun.map_err(|error| self.problem(error))?;
                let store = Self { transaction: Some(transaction.clone()), ..self.clone() };
                let result = work(store, &mut *sink).await;
                let ended = match &result {
                    Ok(_) => transaction.commit().await.map_err(|error| self.problem(error)),
                    Err(_) => {
                        transaction.abandon();
                        Ok(())
                    }
                };
                Ok::<_, Problem>((transaction.end().await, ended.and(result)))
            },
            End::is_conflict
        )?;
        result
    }

    /// The transaction that the store works in.
    fn transaction(&self) -> Result<&SharedTransaction, Problem> {
        let transaction = self.transaction.as_deref();
        let missing =
            "the store is in no transaction: take that of one, `tx.store()` within `app.transaction(async |tx| …)`";
        transaction.ok_or_else(|| Problem::internal(missing))
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

    /// Reads an active record and locks it; whether there is one.
    pub(crate) fn lock<'a>(&'a self, id: &'a Key, sink: &'a mut dyn RowSink) -> BoxFuture<'a, Result<bool, Problem>> {
        Box::pin(async move {
            let resource = self.mounted.resource();
            let (records, transaction) = (self.records()?, self.transaction()?);
            if records.is_led() {
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
            transaction.lock(resource, id, &mut active).await.map_err(|error| self.problem(error))?;
            Ok(found)
        })
    }

    /// Makes one change of a record.
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

    /// Makes changes of records in the store's scope; a record outside of it is not found.
    async fn write(
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

    /// Creates the valid records of a batch; the errors of the others, where the batch keeps those.
    pub(crate) fn create_batch<'a>(
        &'a self,
        mut new: Vec<Changes>,
        sink: &'a mut dyn WriteSink,
    ) -> BoxFuture<'a, Result<Vec<BatchError>>> {
        Box::pin(async move {
            new.iter_mut().for_each(record_values::truncate_times);
            let resource = self.mounted.resource();
            let (valid, indexes, errors) = validate_items(new, |changes| {
                self.assign(changes)?;
                record_values::validate_new(&self.mounted, changes)
            });
            let records: Vec<Vec<Value>> =
                valid.into_iter().map(|changes| record_values::with_defaults(resource, changes)).collect();
            self.write_batch(Work::Insert(&records), &indexes, errors, sink).await
        })
    }

    /// Changes the records of a batch; the errors as of [`create_batch`](Self::create_batch).
    pub(crate) fn update_batch<'a>(
        &'a self,
        mut patches: Vec<(Key, Changes)>,
        sink: &'a mut dyn WriteSink,
    ) -> BoxFuture<'a, Result<Vec<BatchError>>> {
        Box::pin(async move {
            for (_, changes) in &mut patches {
                record_values::truncate_times(changes);
            }
            self.refuse_duplicates(patches.iter().map(|(id, _)| id))?;
            let (valid, indexes, errors) =
                validate_items(patches, |(_, changes)| record_values::validate_patch(&self.mounted, changes));
            let updates: Vec<Update<'_>> = valid.iter().map(|(id, changes)| Update::new(id, changes, None)).collect();
            self.write_batch(Work::Update(&updates), &indexes, errors, sink).await
        })
    }

    /// Deletes the records of a batch; the errors as of [`create_batch`](Self::create_batch).
    pub(crate) fn delete_batch<'a>(
        &'a self,
        ids: Vec<Key>,
        sink: &'a mut dyn WriteSink,
    ) -> BoxFuture<'a, Result<Vec<BatchError>>> {
        Box::pin(async move {
            self.refuse_duplicates(ids.iter())?;
            let targets: Vec<Target<'_>> = ids.iter().map(|id| Target::new(id, None)).collect();
            let indexes: Vec<usize> = (0..ids.len()).collect();
            self.write_batch(self.deletes(&targets), &indexes, Vec::new(), sink).await
        })
    }

    /// The deletes of these records: soft ones, where the resource has soft delete.
    fn deletes<'t>(&self, targets: &'t [Target<'t>]) -> Work<'t> {
        if self.mounted.resource().soft_delete.is_some() { Work::SoftDelete(targets) } else { Work::Delete(targets) }
    }

    fn refuse_duplicates<'a>(&self, ids: impl Iterator<Item = &'a Key>) -> Result<(), Problem> {
        let mut seen = HashSet::new();
        let names = self.mounted.resource().key_names();
        let repeated = ids.enumerate().filter(|(_, id)| !seen.insert(id.to_string()));
        let errors: Vec<FieldError> = repeated
            .map(|(index, _)| {
                FieldError::field(&names, "duplicate", "must not repeat an earlier item's").in_item(index)
            })
            .collect();
        if errors.is_empty() { Ok(()) } else { Err(Problem::validation(errors)) }
    }

    /// Writes the valid items of a batch, whose indexes these are, beside the errors of the others.
    async fn write_batch(
        &self,
        work: Work<'_>,
        indexes: &[usize],
        mut errors: Vec<BatchError>,
        sink: &mut dyn WriteSink,
    ) -> Result<Vec<BatchError>> {
        // Whether the successful items are kept when others fail.
        let partial = self.mounted.options().batch.is_some_and(|batch| batch.partial);
        let mode = match (partial, errors.is_empty()) {
            (true, _) => Mode::Partial,
            (false, true) => Mode::Atomic,
            // Finds the other errors of a batch that fails.
            (false, false) => Mode::Rehearsal,
        };
        let results = self.write(work, mode, sink).await?;
        let failed = indexes.iter().zip(results);
        errors.extend(failed.filter_map(|(index, result)| Some(BatchError { index: *index, problem: result.err()? })));
        errors.sort_by_key(|error| error.index);
        if errors.is_empty() || partial {
            Ok(errors)
        } else {
            Err(Problem::from_items(errors.into_iter().map(|error| (error.index, error.problem))).into())
        }
    }
}

/// Sorts the items of a batch by validity: the valid ones, their indexes in the batch, and the errors of the others.
fn validate_items<T>(
    items: Vec<T>,
    validate: impl Fn(&mut T) -> Result<(), Problem>,
) -> (Vec<T>, Vec<usize>, Vec<BatchError>) {
    let (mut valid, mut indexes, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    for (index, mut item) in items.into_iter().enumerate() {
        match validate(&mut item) {
            Ok(()) => {
                indexes.push(index);
                valid.push(item);
            }
            Err(problem) => errors.push(BatchError { index, problem }),
        }
    }
    (valid, indexes, errors)
}
