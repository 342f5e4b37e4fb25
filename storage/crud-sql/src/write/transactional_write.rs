//! Changes that take more than one statement: several changes, or one that is audited, guarded or refers to a record
//! that may be soft-deleted.

use std::collections::{BTreeMap, HashMap};
use std::iter::Empty;
use std::ops::Range;

use chrono::{DateTime, Utc};

use super::bisect::{self, Bisected, Savepoints, Size};
use super::tenants::Tenants;
use crate::change::{Change, LEFT_OUT};
use crate::dialect::{ColumnRef, Lock};
use crate::driver::{Connection, DatabaseRow, Driver, Record};
use crate::facts::{Effects, NewValues};
use crate::model::adapter_error::AdapterError;
use crate::model::clock::Clock;
use crate::model::descriptor::{Descriptor, SortKey};
use crate::model::key::Key;
use crate::model::row::Row;
use crate::model::value::Value;
use crate::query::{ListQuery, Predicate, deletion};
use crate::statement::change::{
    self as statements, deletion_timestamp, insert_arguments, insert_columns, insert_values, insertable,
    into_insert_values, touch,
};
use crate::statement::multi_row;
use crate::statement::select;
use crate::statement::select::Part;
use crate::statement::{Sql, storable};
use crate::storage::decide::{
    Decision, GuardedReference, Intent, IntentCondition, RecordState, begun_references, decide, guarded_references,
    state,
};
use crate::storage::write::{Guard, Outcome, Recorder, Target, Update, Work};

/// Changes on a connection that is in a transaction.
pub(crate) struct TransactionalWrite<'a, D: Driver> {
    connection: &'a mut Connection<D>,
    resource: &'static Descriptor,
    savepoints: Savepoints,
    clock: Clock,
    /// The time of the changes, which is taken after their records are locked.
    time: DateTime<Utc>,
    pub(crate) changes: Vec<Change<D>>,
    /// Number of failed inserts after which the others are not tried.
    pub(crate) most_failures: Option<usize>,
    /// Effects of the table's triggers.
    pub(crate) effects: Effects,
    /// Tenants of the records that are changed or removed.
    pub(crate) tenants: Tenants<'a>,
}

/// A key as text, to find its record in a map.
type KeyText = String;

/// Records by their keys.
type Found<D> = HashMap<KeyText, DatabaseRow<D>>;

impl<'a, D: Driver> TransactionalWrite<'a, D> {
    /// The state of this number of changes, all of them pending.
    pub(crate) fn new(
        connection: &'a mut Connection<D>,
        resource: &'static Descriptor,
        savepoints: Savepoints,
        changes: usize,
        clock: &Clock,
    ) -> Self {
        let changes = (0..changes).map(|_| Change::pending()).collect();
        Self {
            connection,
            resource,
            savepoints,
            clock: clock.clone(),
            time: clock.now(),
            changes,
            most_failures: None,
            effects: Effects::default(),
            tenants: Tenants::One(None),
        }
    }

    /// Applies the changes; the outcomes are in `changes`.
    pub(crate) async fn work(&mut self, work: Work<'_>) -> Result<(), AdapterError> {
        match work {
            Work::Insert(records) => self.insert(records).await?,
            Work::Update(updates) => self.update(updates).await?,
            Work::SoftDelete(targets) | Work::Restore(targets) | Work::Delete(targets) | Work::Purge(targets) => {
                let removes = matches!(work, Work::Delete(_) | Work::Purge(_));
                let lock = if removes { Lock::Remove } else { Lock::Change };
                let records = self.read(targets.iter().map(|target| target.id.clone()).collect(), lock).await?;
                self.targets(work, targets, records).await?;
            }
        }
        self.reread().await
    }

    /// Reads the written records again, as triggers may have changed them.
    pub(crate) async fn reread(&mut self) -> Result<(), AdapterError> {
        if !self.effects.rereads {
            return Ok(());
        }
        let resource = self.resource;
        let written = self.changes.iter().enumerate().filter(|(_, change)| change.wrote && change.is_done());
        let written =
            written.filter_map(|(index, change)| Some(self.key_of(change.after.as_ref()?).map(|id| (index, id))));
        let written: Vec<(usize, Key)> = written.collect::<Result<_, _>>()?;
        if written.is_empty() {
            return Ok(());
        }
        let ids = written.iter().map(|(_, id)| id.clone()).collect();
        let mut rows = self.select(resource, ids, Predicate::All, None).await?;
        for (index, id) in written {
            let change = &mut self.changes[index];
            change.after = rows.remove(&id.lookup());
            if change.after.is_none() {
                change.outcome = Outcome::Failed(LEFT_OUT);
            }
        }
        Ok(())
    }

    /// Inserts the audit entries of applied changes into a log. `recorder`: makes the entry of the change at an index.
    pub(crate) async fn record<'r>(
        &mut self,
        log: &'static Descriptor,
        recorder: impl Fn(usize) -> &'r dyn Recorder,
    ) -> Result<(), AdapterError> {
        let resource = self.resource;
        let (columns, time) = (D::statements(log)?.insert_columns, Value::DateTime(self.time));
        let entry = |index: usize, item: &Change<D>| {
            let row = |row| Record::<D>::new(resource, row);
            let (before, after) = (item.before.as_ref().map(row), item.after.as_ref().map(row));
            let before = before.as_ref().map(|record| record as &dyn Row);
            let entry = recorder(index).entry(self.time, before, after.as_ref().map(|record| record as &dyn Row))?;
            insertable::<D>(log, &entry).map(|()| into_insert_values(log, columns, entry, &time))
        };
        let written = self.changes.iter().enumerate().filter(|(_, change)| change.wrote && change.is_done());
        let written: Vec<(usize, &Change<D>)> = written.collect();
        for range in D::ranges(written.len(), columns.len()).into_iter().rev() {
            // Each entry is bound as soon as it is made: an entry takes much more memory than its bound values.
            let mut failed = None;
            let entries = written[range]
                .iter()
                .map_while(|(index, item)| entry(*index, item).map_err(|error| failed = Some(error)).ok());
            let statement = multi_row::insert::<D>(log, columns, entries, None::<Empty<&[Value]>>)?.finish();
            if let Some(error) = failed {
                return Err(error);
            }
            D::all(self.connection, statement).await.map_err(D::general)?;
        }
        Ok(())
    }

    async fn insert(&mut self, records: &[Vec<Value>]) -> Result<(), AdapterError> {
        let resource = self.resource;
        self.stamp();
        let mut references = Vec::new();
        for guarded in guarded_references(resource) {
            let keys = records.iter().enumerate();
            references.extend(keys.filter_map(|(item, record)| Some((item, guarded, guarded.key_in(record)?))));
        }
        let tenants = resource.tenant.map(|of| records.iter().map(|record| &record[of.column]).collect::<Vec<_>>());
        self.refuse_deleted(references, &tenants.unwrap_or_default()).await?;
        let mut ready = Vec::with_capacity(records.len());
        for (index, record) in records.iter().enumerate() {
            if !self.changes[index].is_done() {
                continue;
            }
            match insertable::<D>(resource, record) {
                Ok(()) => ready.push(index),
                Err(error) => self.changes[index].outcome = Outcome::Failed(error),
            }
        }
        let failed = records.len() - ready.len();
        let mut remaining = self.most_failures.map(|most| most.saturating_sub(failed));
        let mut rest = ready.as_slice();
        // Consecutive records that set the same columns share a statement.
        while let Some(first) = rest.first().filter(|_| remaining != Some(0)) {
            let columns = insert_columns::<D>(resource, &records[*first])?;
            let count = if resource.is_filled {
                let sets_same = |index: &&usize| {
                    insert_columns::<D>(resource, &records[**index]).is_ok_and(|others| others == columns)
                };
                rest.iter().take_while(sets_same).count()
            } else {
                rest.len()
            };
            let (run, others) = rest.split_at(count);
            let refused = self.insert_run(records, run, &columns, remaining.unwrap_or(usize::MAX)).await?;
            remaining = remaining.map(|remaining| remaining.saturating_sub(refused));
            rest = others;
        }
        if !ready.is_empty() && !resource.columns[resource.id].is_assigned() {
            // An insert of a chosen key may have waited for a delete of that key, whose entry is later than the time
            // taken before.
            self.stamp();
        }
        Ok(())
    }

    /// Inserts records that set the same columns. Returns the number of refused records.
    async fn insert_run(
        &mut self,
        records: &[Vec<Value>],
        ready: &[usize],
        columns: &[usize],
        most_failures: usize,
    ) -> Result<usize, AdapterError> {
        let (resource, time) = (self.resource, self.time);
        let stamp = Value::DateTime(time);
        let statement = |range: Range<usize>| match &ready[range] {
            // An insert without values has no other form, either.
            [index] => {
                let record = &records[*index];
                statements::insert(resource, record, insert_arguments::<D>(resource, record, time)?)
            }
            several => {
                let records = several.iter().map(|index| records[*index].as_slice());
                let returning = Some(records.clone());
                let rows = records.map(|record| insert_values(resource, columns, record, &stamp));
                multi_row::insert::<D>(resource, columns, rows, returning).map(Sql::finish)
            }
        };
        // A record's row must be recognizable among the returned rows: by the order of assigned keys, or by its own
        // key.
        let assigned = !columns.contains(&resource.id);
        let is_found = !assigned || resource.id_column().kind.integer_range().is_some();
        let is_alone = columns.is_empty() || !is_found || self.effects.leaves_out;
        let values = if is_alone { usize::MAX } else { columns.len() };
        let translate = |error| D::translate(resource, error);
        let size = Size { changes: ready.len(), values, most_failures };
        let bisected = bisect::run::<D>(self.connection, size, self.savepoints, statement, translate).await?;
        for (range, rows) in bisected.done {
            if let [index] = ready[range.clone()] {
                match rows.into_iter().next() {
                    Some(row) => self.done(index, None, Some(row)),
                    None => self.changes[index].outcome = Outcome::Failed(LEFT_OUT),
                }
                continue;
            }
            let keyed = rows.into_iter().map(|row| Ok((self.key_of(&row)?, row)));
            let mut keyed = keyed.collect::<Result<Vec<(Key, DatabaseRow<D>)>, AdapterError>>()?;
            if assigned {
                // Assigned keys ascend in the order of the records; the rows come in any order.
                keyed.sort_by_key(|(id, _)| if let Some(Value::Int(id)) = id.single() { *id } else { 0 });
                for ((_, row), index) in keyed.into_iter().zip(&ready[range]) {
                    self.done(*index, None, Some(row));
                }
            } else {
                let mut rows: Found<D> = keyed.into_iter().map(|(id, row)| (id.lookup(), row)).collect();
                for index in &ready[range] {
                    let row = rows.remove(&Key::of(resource, &records[*index]).lookup());
                    self.done(*index, None, row);
                }
            }
        }
        let refused = bisected.refused.len();
        for (position, error) in bisected.refused {
            let index = ready[position];
            let error = D::explain(self.connection, resource, error, records[index].iter().enumerate().collect()).await;
            self.changes[index].outcome = Outcome::Failed(error);
        }
        Ok(refused)
    }

    async fn update(&mut self, updates: &[Update<'_>]) -> Result<(), AdapterError> {
        let resource = self.resource;
        let mut records = self.read(updates.iter().map(|update| update.id.clone()).collect(), Lock::Change).await?;
        self.stamp();
        let mut references = Vec::new();
        let mut differing = Vec::with_capacity(updates.len());
        for (index, update) in updates.iter().enumerate() {
            let row = records.remove(&update.id.lookup());
            let decided = self.decide(index, Intent::Update(update.changes), row, update.guard.as_deref())?;
            let Some((decision, row)) = decided else { continue };
            let record = Record::<D>::new(resource, &row);
            let begun = begun_references(resource, &record, update.changes)?;
            references.extend(begun.into_iter().map(|(guarded, key)| (index, guarded, key)));
            drop(record);
            differing.push((index, decision == Decision::Update { restores: true }));
            self.changes[index].before = Some(row);
        }
        self.refuse_deleted(references, &self.tenants.all()).await?;
        let mut groups: BTreeMap<(Vec<usize>, bool), Vec<usize>> = BTreeMap::new();
        for (index, restores) in differing {
            if !self.changes[index].is_done() {
                continue;
            }
            match changed_columns::<D>(resource, &updates[index]) {
                Ok(columns) => groups.entry((columns, restores)).or_default().push(index),
                Err(error) => self.changes[index].outcome = Outcome::Failed(error),
            }
        }
        for ((columns, restores), group) in groups {
            self.update_group(updates, &columns, restores, &group).await?;
        }
        Ok(())
    }

    /// Updates records in which the same columns change.
    async fn update_group(
        &mut self,
        updates: &[Update<'_>],
        columns: &[usize],
        restores: bool,
        group: &[usize],
    ) -> Result<(), AdapterError> {
        let (resource, time, tenants) = (self.resource, self.time, &self.tenants);
        let condition = IntentCondition::Always;
        let by_case = self.effects.new_values == NewValues::ByCase;
        let statement = |range: Range<usize>| match &group[range] {
            several if by_case && several.len() > 1 => {
                let updates = several.iter().map(|index| &updates[*index]);
                let touched = touch(resource, time, restores);
                multi_row::update_by_case::<D>(resource, &updates, &tenants.all(), columns, touched).map(Sql::finish)
            }
            [index] => {
                let update = statements::update::<D>(
                    resource,
                    (&updates[*index], tenants.of(*index)),
                    condition,
                    time,
                    restores,
                );
                update.map(Sql::finish)
            }
            several => {
                let updates = several.iter().map(|index| &updates[*index]);
                let ids = updates.clone().map(|update| update.id);
                let rows = updates.map(|Update { id, changes, .. }| {
                    id.values().iter().chain(columns.iter().filter_map(|column| changes.get(*column)))
                });
                let touched = touch(resource, time, restores);
                multi_row::update::<D>(resource, (ids, &tenants.all()), columns, touched, rows).map(Sql::finish)
            }
        };
        let translate = |error| D::translate(resource, error);
        let keys = resource.key().len();
        let values = if by_case { columns.len() * (keys + 1) + keys } else { columns.len() + keys };
        let size = Size { changes: group.len(), values, most_failures: usize::MAX };
        let bisected = bisect::run::<D>(self.connection, size, self.savepoints, statement, translate).await?;
        let Bisected { done, refused } = bisected;
        let mut rows = self.keyed(done)?;
        for index in group {
            if let Some(row) = rows.remove(&updates[*index].id.lookup()) {
                let before = self.changes[*index].before.take();
                self.done(*index, before, Some(row));
            }
        }
        for (position, error) in refused {
            let index = group[position];
            let error = D::explain(self.connection, resource, error, updates[index].changes.iter().collect()).await;
            self.changes[index].outcome = Outcome::Failed(error);
        }
        Ok(())
    }

    /// Soft-deletes, restores or removes records that are already read.
    pub(crate) async fn targets(
        &mut self,
        work: Work<'_>,
        targets: &[Target<'_>],
        mut records: Found<D>,
    ) -> Result<(), AdapterError> {
        self.stamp();
        let resource = self.resource;
        let mut ready = Vec::with_capacity(targets.len());
        for (index, target) in targets.iter().enumerate() {
            let Some((intent, guard)) = Intent::of(work, index) else { continue };
            let row = records.remove(&target.id.lookup());
            if let Some((_, row)) = self.decide(index, intent, row, guard)? {
                self.changes[index].before = Some(row);
                ready.push(index);
            }
        }
        let removes = matches!(work, Work::Delete(_) | Work::Purge(_));
        let deleted_at = matches!(work, Work::SoftDelete(_)).then_some(self.time);
        let of_tenants = self.tenants.predicate(resource);
        let statement = |range: Range<usize>| {
            let of_these = Predicate::of_keys(resource, ready[range].iter().map(|index| targets[*index].id));
            let of_these = of_these.and(of_tenants.clone());
            let statement = if removes {
                statements::delete::<D>(resource, &of_these)
            } else {
                statements::set_deleted::<D>(resource, deleted_at, &of_these)
            };
            statement.map(Sql::finish)
        };
        let translate = |error| if removes { D::translate_delete(error) } else { D::translate(resource, error) };
        let size = Size { changes: ready.len(), values: resource.key().len(), most_failures: usize::MAX };
        let bisected = bisect::run::<D>(self.connection, size, self.savepoints, statement, translate).await?;
        if removes && !D::RETURNS {
            for position in bisected.done.iter().flat_map(|(range, _)| range.clone()) {
                let index = ready[position];
                let before = self.changes[index].before.take();
                self.done(index, before, None);
            }
        }
        let mut rows = self.keyed(bisected.done)?;
        for index in &ready {
            if let Some(row) = rows.remove(&targets[*index].id.lookup()) {
                let before = self.changes[*index].before.take();
                let (before, after) = if removes { (Some(row), None) } else { (before, Some(row)) };
                self.done(*index, before, after);
            } else if removes && D::RETURNS {
                self.changes[*index].outcome = Outcome::Failed(LEFT_OUT);
            }
        }
        for (position, error) in bisected.refused {
            self.changes[ready[position]].outcome = Outcome::Failed(error);
        }
        Ok(())
    }

    fn done(&mut self, index: usize, before: Option<DatabaseRow<D>>, after: Option<DatabaseRow<D>>) {
        self.changes[index] = Change { outcome: Outcome::Done, before, after, wrote: true };
    }

    /// Decides about a change. Returns the decision and the record, or `None` if nothing is to be written.
    fn decide(
        &mut self,
        index: usize,
        intent: Intent<'_>,
        row: Option<DatabaseRow<D>>,
        guard: Option<&dyn Guard>,
    ) -> Result<Option<(Decision, DatabaseRow<D>)>, AdapterError> {
        let row = match row {
            Some(row) => self.tenants.own::<D>(self.resource, index, row)?,
            None => None,
        };
        let record = row.as_ref().map(|row| Record::<D>::new(self.resource, row));
        let decision = decide(self.resource, intent, record.as_ref().map(|record| record as &dyn Row), guard)?;
        drop(record);
        Ok(match decision.outcome() {
            Some(outcome) => {
                let before = row.filter(|_| decision == Decision::Unchanged);
                self.changes[index] = Change { outcome, before, after: None, wrote: false };
                None
            }
            None => row.map(|row| (decision, row)),
        })
    }

    /// Takes the time of the changes, after their records are locked.
    fn stamp(&mut self) {
        self.time = self.clock.stamp();
    }

    /// The records of these keys, locked.
    async fn read(&mut self, ids: Vec<Key>, lock: Lock) -> Result<Found<D>, AdapterError> {
        let resource = self.resource;
        if let [id] = ids.as_slice() {
            let mut get = Sql::<D>::get(resource, id, self.tenants.of(0))?;
            get.push(D::lock(lock));
            let rows = D::all(self.connection, get.finish()).await.map_err(D::general)?;
            self.keyed([(0..1, rows)])
        } else {
            self.select(resource, ids, self.tenants.predicate(resource), Some(lock)).await
        }
    }

    /// The records of a resource that have one of these keys and satisfy a predicate, locked if a lock is given.
    async fn select(
        &mut self,
        resource: &'static Descriptor,
        ids: Vec<Key>,
        predicate: Predicate,
        lock: Option<Lock>,
    ) -> Result<Found<D>, AdapterError> {
        // Far fewer than a database can bind; each key is a separate lookup anyway.
        const CHUNK: usize = 1024;
        // Locked in key order, to avoid deadlocks.
        let lock = lock.map_or("", D::lock);
        let locks = !lock.is_empty();
        let sort = if locks { SortKey::of_key(resource, false) } else { Vec::new() };
        let mut found = HashMap::with_capacity(ids.len());
        for ids in ids.chunks(CHUNK) {
            let of_these = Predicate::of_keys(resource, ids);
            let filter = of_these.and(predicate.clone());
            let query = ListQuery::all(resource).filter(filter).sort(sort.clone());
            let mut select = select::select::<D>(resource, &query, Part::Whole, None)?;
            select.push(lock);
            for row in D::all(self.connection, select.finish()).await.map_err(D::general)? {
                found.insert(Key::of_row(resource, &Record::<D>::new(resource, &row))?.lookup(), row);
            }
        }
        Ok(found)
    }

    fn keyed(
        &self,
        bisected: impl IntoIterator<Item = (Range<usize>, Vec<DatabaseRow<D>>)>,
    ) -> Result<Found<D>, AdapterError> {
        let rows = bisected.into_iter().flat_map(|(_, rows)| rows);
        rows.map(|row| Ok((self.key_of(&row)?.lookup(), row))).collect()
    }

    fn key_of(&self, row: &DatabaseRow<D>) -> Result<Key, AdapterError> {
        Key::of_row(self.resource, &Record::<D>::new(self.resource, row))
    }

    /// Refuses changes that would refer to soft-deleted records. `references`: each with the index of its change and
    /// the key of the referred record. `tenants`: the tenants of the changed records, to which the referred records
    /// must belong, too, if they have tenants.
    async fn refuse_deleted(
        &mut self,
        references: Vec<(usize, GuardedReference, Key)>,
        tenants: &[&Value],
    ) -> Result<(), AdapterError> {
        let mut refused: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for GuardedReference { column, target, .. } in guarded_references(self.resource) {
            let of_column: Vec<(usize, &Key)> = references
                .iter()
                .filter(|(_, other, _)| other.column == column)
                .map(|(item, _, key)| (*item, key))
                .collect();
            let mut keys: Vec<Key> = of_column.iter().map(|(_, key)| (*key).clone()).collect();
            keys.sort_by_cached_key(Key::to_string);
            keys.dedup();
            if keys.is_empty() {
                continue;
            }
            let deleted = deletion(target, deletion_timestamp(target)?, true);
            // If other writers run concurrently, records that are not deleted must be locked, too, to stay so.
            let wanted = if D::lock(Lock::Share).is_empty() { deleted } else { Predicate::All };
            let wanted = wanted.and(Predicate::of_shared_tenants(self.resource, target, tenants.iter().copied()));
            let found = self.select(target, keys, wanted, Some(Lock::Share)).await?;
            for (item, key) in of_column {
                if let Some(row) = found.get(&key.lookup())
                    && state(target, &Record::<D>::new(target, row))? == RecordState::Deleted
                {
                    refused.entry(item).or_default().push(column);
                }
            }
        }
        for (item, columns) in refused {
            self.changes[item].outcome = Outcome::Failed(AdapterError::ReferenceNotFound { columns });
        }
        Ok(())
    }
}

/// The columns that an update sets, in order.
///
/// # Errors
/// [`AdapterError::Constraint`] when a column cannot store its value.
fn changed_columns<D: Driver>(resource: &'static Descriptor, update: &Update<'_>) -> Result<Vec<usize>, AdapterError> {
    let mut changes: Vec<(usize, &Value)> = update.changes.iter().collect();
    changes.sort_by_key(|(column, _)| *column);
    let column = |(column, value)| storable::<D>(ColumnRef { resource, column }, value).map(|()| column);
    changes.into_iter().map(column).collect()
}
