//! Changes that take more than one statement: several of them, or such as are audited, guarded or refer to
//! what may be soft-deleted.

use std::collections::{BTreeMap, HashMap};
use std::iter::once;
use std::ops::Range;
use std::slice::Iter;

use chrono::{DateTime, Utc};

use super::bisect;
use super::bisect::{Care, Pieces};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Descriptor, SortKey};
use crate::model::row::Row;
use crate::model::text;
use crate::model::value::Value;
use crate::query::{ListQuery, Predicate};
use crate::storage::sql::dialect::Of;
use crate::storage::sql::driver::{Connection, DatabaseRow, Engine, Lock, Record};
use crate::storage::sql::statement::change;
use crate::storage::sql::statement::change::{
    Condition, deletion_timestamp, insert_arguments, insert_values, insertable, into_insert_values, soft_references,
    touch,
};
use crate::storage::sql::statement::multi_row;
use crate::storage::sql::statement::select;
use crate::storage::sql::statement::select::Part;
use crate::storage::sql::statement::{Sql, key, storable};
use crate::storage::write::{Guard, Outcome, Recorder, Target, Update, Work};

/// A change in a transaction.
pub(crate) struct Item<E: Engine> {
    pub(crate) outcome: Outcome,
    before: Option<DatabaseRow<E>>,
    after: Option<DatabaseRow<E>>,
    /// Whether it changed anything.
    changed: bool,
}

impl<E: Engine> Item<E> {
    /// A change that happened by one statement, or did not.
    pub(crate) const fn at_once(outcome: Outcome, record: Option<DatabaseRow<E>>) -> Self {
        Self { outcome, before: None, after: record, changed: true }
    }

    const fn new() -> Self {
        Self { outcome: Outcome::Done, before: None, after: None, changed: false }
    }

    const fn is_done(&self) -> bool {
        matches!(self.outcome, Outcome::Done)
    }

    /// The record as it is now, or as it was when it was removed.
    pub(crate) fn record(&self) -> Option<&DatabaseRow<E>> {
        self.after.as_ref().or(self.before.as_ref()).filter(|_| self.is_done())
    }
}

/// Work on a connection that is in a transaction.
pub(crate) struct Transaction<'a, E: Engine> {
    connection: &'a mut Connection<E>,
    resource: &'static Descriptor,
    care: Care,
    /// When the changes happen; later than the locks on their records.
    time: DateTime<Utc>,
    pub(crate) items: Vec<Item<E>>,
}

/// A key as text, by which records are found again.
type Key = String;

/// Records by their keys.
type Found<E> = HashMap<Key, DatabaseRow<E>>;

impl<'a, E: Engine> Transaction<'a, E> {
    /// So many changes, none of which has happened.
    pub(crate) fn new(
        connection: &'a mut Connection<E>,
        resource: &'static Descriptor,
        care: Care,
        changes: usize,
    ) -> Self {
        let items = (0..changes).map(|_| Item::new()).collect();
        Self { connection, resource, care, time: text::stamp(), items }
    }

    /// Does the work; what became of it is in the items.
    pub(crate) async fn work(&mut self, work: Work<'_>) -> Result<(), AdapterError> {
        match work {
            Work::Insert(records) => self.insert(records).await,
            Work::Update(updates) => self.update(updates).await,
            Work::SoftDelete(targets) | Work::Restore(targets) | Work::Delete(targets) | Work::Purge(targets) => {
                let removes = matches!(work, Work::Delete(_) | Work::Purge(_));
                let lock = if removes { Lock::Remove } else { Lock::Change };
                let records = self.read(targets.iter().map(|target| target.id.clone()).collect(), lock).await?;
                self.targets(work, targets, records).await
            }
        }
    }

    /// Inserts the audit entries of what was changed into a log. `recorder`: what makes the entry of a change.
    pub(crate) async fn record<'r>(
        &mut self,
        log: &'static Descriptor,
        recorder: impl Fn(usize) -> &'r dyn Recorder,
    ) -> Result<(), AdapterError> {
        let resource = self.resource;
        let (columns, time) = (E::statements(log)?.insert_columns, Value::DateTime(self.time));
        let entry = |index: usize, item: &Item<E>| {
            let row = |row| Record::<E>::new(resource, row);
            let (before, after) = (item.before.as_ref().map(row), item.after.as_ref().map(row));
            let before = before.as_ref().map(|record| record as &dyn Row);
            let entry = recorder(index).entry(self.time, before, after.as_ref().map(|record| record as &dyn Row))?;
            insertable::<E>(log, &entry).map(|()| into_insert_values(log, columns, entry, &time))
        };
        let changed = self.items.iter().enumerate().filter(|(_, item)| item.changed && item.is_done());
        let changed: Vec<(usize, &Item<E>)> = changed.collect();
        for range in E::ranges(changed.len(), columns.len()).into_iter().rev() {
            // An entry is bound as soon as it is made: all of them together take much more room than what is bound.
            let mut failed = None;
            let entries = changed[range]
                .iter()
                .map_while(|(index, item)| entry(*index, item).map_err(|error| failed = Some(error)).ok());
            let statement = multi_row::insert::<E>(log, entries, None::<Iter<'_, Value>>)?.finish();
            if let Some(error) = failed {
                return Err(error);
            }
            E::all(self.connection, statement).await.map_err(E::general)?;
        }
        Ok(())
    }

    async fn insert(&mut self, records: &[Vec<Value>]) -> Result<(), AdapterError> {
        let (resource, time) = (self.resource, self.time);
        let references = soft_references(resource).flat_map(|(column, _)| {
            records.iter().enumerate().map(move |(item, record)| (item, column, &record[column]))
        });
        self.refuse_deleted(references.collect()).await?;
        let mut ready = Vec::with_capacity(records.len());
        for (index, record) in records.iter().enumerate() {
            if !self.items[index].is_done() {
                continue;
            }
            match insertable::<E>(resource, record) {
                Ok(()) => ready.push(index),
                Err(error) => self.items[index].outcome = Outcome::Failed(error),
            }
        }
        let (fixed, stamp) = (E::statements(resource)?, Value::DateTime(time));
        let statement = |range: Range<usize>| match &ready[range] {
            // Also the only form that an insert without values has.
            [index] => {
                let record = &records[*index];
                change::insert(resource, &record[resource.id], insert_arguments::<E>(resource, record, time)?)
            }
            several => {
                let records = several.iter().map(|index| records[*index].as_slice());
                let ids = records.clone().map(|record| &record[resource.id]);
                let rows = records.map(|record| insert_values(resource, fixed.insert_columns, record, &stamp));
                multi_row::insert::<E>(resource, rows, Some(ids)).map(Sql::finish)
            }
        };
        let values = fixed.insert_columns.len();
        // Without values there is one record to a statement.
        let values = if values == 0 { usize::MAX } else { values };
        let translate = |error| E::translate(resource, error);
        let pieces = bisect::run::<E>(self.connection, ready.len(), values, self.care, statement, translate).await?;
        for (range, rows) in pieces.done {
            let assigned = fixed.insert_columns.iter().all(|column| *column != resource.id);
            let keyed = rows.into_iter().map(|row| Ok((Record::<E>::new(resource, &row).owned(resource.id)?, row)));
            let mut keyed = keyed.collect::<Result<Vec<(Value, DatabaseRow<E>)>, AdapterError>>()?;
            if assigned {
                // Keys are counted up in the order of the records; rows come in any.
                keyed.sort_by_key(|(id, _)| if let Value::Int(id) = id { *id } else { 0 });
                for ((_, row), index) in keyed.into_iter().zip(&ready[range]) {
                    self.done(*index, None, Some(row));
                }
            } else {
                let mut rows: Found<E> = keyed.into_iter().map(|(id, row)| (id.to_string(), row)).collect();
                for index in &ready[range] {
                    let row = rows.remove(&records[*index][resource.id].to_string());
                    self.done(*index, None, row);
                }
            }
        }
        for (position, error) in pieces.refused {
            let index = ready[position];
            let error = E::explain(self.connection, resource, error, records[index].iter().enumerate().collect()).await;
            self.items[index].outcome = Outcome::Failed(error);
        }
        Ok(())
    }

    async fn update(&mut self, updates: &[Update<'_>]) -> Result<(), AdapterError> {
        let resource = self.resource;
        let mut records = self.read(updates.iter().map(|update| update.id.clone()).collect(), Lock::Change).await?;
        let mut references = Vec::new();
        let mut differing = Vec::with_capacity(updates.len());
        for (index, update) in updates.iter().enumerate() {
            let Some(row) = self.admit(index, records.remove(&update.id.to_string()), update.guard.as_deref())? else {
                continue;
            };
            let record = Record::<E>::new(resource, &row);
            let restores = self.restores(&row)?;
            if restores || record.differs(update.changes) {
                for (column, _) in soft_references(resource) {
                    // A reference that stays as it is may be to a record that went since.
                    if let Some(value) = update.changes.get(column).filter(|value| !record.has(column, value)) {
                        references.push((index, column, value));
                    }
                }
                differing.push((index, restores));
            }
            self.items[index].before = Some(row);
        }
        self.refuse_deleted(references).await?;
        let mut groups: BTreeMap<(Vec<usize>, bool), Vec<usize>> = BTreeMap::new();
        for (index, restores) in differing {
            if !self.items[index].is_done() {
                continue;
            }
            match changed_columns::<E>(resource, &updates[index]) {
                Ok(columns) => groups.entry((columns, restores)).or_default().push(index),
                Err(error) => self.items[index].outcome = Outcome::Failed(error),
            }
        }
        for ((columns, restores), group) in groups {
            self.update_group(updates, &columns, restores, &group).await?;
        }
        Ok(())
    }

    /// Updates records that change in the same columns.
    async fn update_group(
        &mut self,
        updates: &[Update<'_>],
        columns: &[usize],
        restores: bool,
        group: &[usize],
    ) -> Result<(), AdapterError> {
        let (resource, time) = (self.resource, self.time);
        let statement = |range: Range<usize>| match &group[range] {
            [index] => {
                let update = change::update::<E>(resource, &updates[*index], Condition::Always, time, restores);
                update.map(Sql::finish)
            }
            several => {
                let updates = several.iter().map(|index| &updates[*index]);
                let ids = updates.clone().map(|update| update.id);
                let rows = updates.map(|Update { id, changes, .. }| {
                    once(*id).chain(columns.iter().filter_map(|column| changes.get(*column)))
                });
                multi_row::update::<E>(resource, ids, columns, touch(resource, time, restores), rows).map(Sql::finish)
            }
        };
        let translate = |error| E::translate(resource, error);
        let pieces =
            bisect::run::<E>(self.connection, group.len(), columns.len() + 1, self.care, statement, translate).await?;
        let Pieces { done, refused } = pieces;
        let mut rows = self.keyed(done)?;
        for index in group {
            if let Some(row) = rows.remove(&updates[*index].id.to_string()) {
                let before = self.items[*index].before.take();
                self.done(*index, before, Some(row));
            }
        }
        for (position, error) in refused {
            let index = group[position];
            let error = E::explain(self.connection, resource, error, updates[index].changes.iter().collect()).await;
            self.items[index].outcome = Outcome::Failed(error);
        }
        Ok(())
    }

    /// Soft-deletes, restores or removes records, which are at hand.
    pub(crate) async fn targets(
        &mut self,
        work: Work<'_>,
        targets: &[Target<'_>],
        mut records: Found<E>,
    ) -> Result<(), AdapterError> {
        let resource = self.resource;
        let wanted = match work {
            Work::SoftDelete(_) => Some(false),
            Work::Restore(_) | Work::Purge(_) => Some(true),
            _ => None,
        };
        let mut ready = Vec::with_capacity(targets.len());
        for (index, target) in targets.iter().enumerate() {
            let Some(row) = self.admit(index, records.remove(&target.id.to_string()), target.guard.as_deref())? else {
                continue;
            };
            if let Some(wanted) = wanted
                && Self::is_deleted(resource, &row)? != wanted
            {
                self.items[index].outcome = Outcome::WrongState;
                continue;
            }
            self.items[index].before = Some(row);
            ready.push(index);
        }
        let removes = matches!(work, Work::Delete(_) | Work::Purge(_));
        let deleted_at = matches!(work, Work::SoftDelete(_)).then_some(self.time);
        let statement = |range: Range<usize>| {
            let values = ready[range].iter().map(|index| targets[*index].id.clone()).collect();
            let of_these = Predicate::In { column: resource.id, negated: false, values };
            let statement = if removes {
                change::delete::<E>(resource, &of_these)
            } else {
                change::set_deleted::<E>(resource, deleted_at, &of_these)
            };
            statement.map(Sql::finish)
        };
        let translate = |error| if removes { E::translate_delete(error) } else { E::translate(resource, error) };
        let pieces = bisect::run::<E>(self.connection, ready.len(), 1, self.care, statement, translate).await?;
        if removes && !E::RETURNS {
            for position in pieces.done.iter().flat_map(|(range, _)| range.clone()) {
                let index = ready[position];
                let before = self.items[index].before.take();
                self.done(index, before, None);
            }
        }
        let mut rows = self.keyed(pieces.done)?;
        for index in &ready {
            if let Some(row) = rows.remove(&targets[*index].id.to_string()) {
                let before = self.items[*index].before.take();
                let (before, after) = if removes { (Some(row), None) } else { (before, Some(row)) };
                self.done(*index, before, after);
            }
        }
        for (position, error) in pieces.refused {
            self.items[ready[position]].outcome = Outcome::Failed(error);
        }
        Ok(())
    }

    fn done(&mut self, index: usize, before: Option<DatabaseRow<E>>, after: Option<DatabaseRow<E>>) {
        self.items[index] = Item { outcome: Outcome::Done, before, after, changed: true };
    }

    /// The record, if it is there and may be changed.
    fn admit(
        &mut self,
        index: usize,
        row: Option<DatabaseRow<E>>,
        guard: Option<&dyn Guard>,
    ) -> Result<Option<DatabaseRow<E>>, AdapterError> {
        let Some(row) = row else {
            self.items[index].outcome = Outcome::Missing;
            return Ok(None);
        };
        let admits = match guard {
            Some(guard) => guard.admits(&Record::<E>::new(self.resource, &row))?,
            None => true,
        };
        if !admits {
            self.items[index].outcome = Outcome::Refused;
        }
        Ok(admits.then_some(row))
    }

    fn is_deleted(resource: &'static Descriptor, row: &DatabaseRow<E>) -> Result<bool, AdapterError> {
        Ok(!Record::<E>::new(resource, row).owned(deletion_timestamp(resource)?)?.is_null())
    }

    /// Whether an update restores this record.
    fn restores(&self, row: &DatabaseRow<E>) -> Result<bool, AdapterError> {
        let restores = self.resource.soft_delete.is_some_and(|soft_delete| soft_delete.auto_restore_on_update);
        Ok(restores && Self::is_deleted(self.resource, row)?)
    }

    /// The records of these keys, locked; the time of their changes is taken then.
    async fn read(&mut self, ids: Vec<Value>, lock: Lock) -> Result<Found<E>, AdapterError> {
        let resource = self.resource;
        let found = if let [id] = ids.as_slice() {
            let mut get = Sql::<E>::with_arguments(E::statements(resource)?.get, vec![key::<E>(resource, id)]);
            get.push(E::lock(lock));
            let rows = E::all(self.connection, get.finish()).await.map_err(E::general)?;
            self.keyed([(0..1, rows)])?
        } else {
            self.select(resource, ids, Predicate::All, lock).await?
        };
        self.time = text::stamp();
        Ok(found)
    }

    /// The records of a resource that have one of these keys and satisfy a predicate, locked.
    async fn select(
        &mut self,
        resource: &'static Descriptor,
        ids: Vec<Value>,
        predicate: Predicate,
        lock: Lock,
    ) -> Result<Found<E>, AdapterError> {
        // Far below what a database binds, and a lookup for each value anyway.
        const AT_ONCE: usize = 1024;
        // Who locks in one order does not wait for one who waits for him.
        let locks = !E::lock(lock).is_empty();
        let sort: Vec<SortKey> = locks.then_some(SortKey::ascending(resource.id)).into_iter().collect();
        let mut found = HashMap::with_capacity(ids.len());
        for values in ids.chunks(AT_ONCE) {
            let of_these = Predicate::In { column: resource.id, negated: false, values: values.to_vec() };
            let filter = of_these.and(predicate.clone());
            let query = ListQuery { sort: sort.clone(), filter, ..ListQuery::all(resource) };
            let mut select = select::select::<E>(resource, &query, Part::Whole, None)?;
            select.push(E::lock(lock));
            for row in E::all(self.connection, select.finish()).await.map_err(E::general)? {
                found.insert(Record::<E>::new(resource, &row).owned(resource.id)?.to_string(), row);
            }
        }
        Ok(found)
    }

    fn keyed(
        &self,
        pieces: impl IntoIterator<Item = (Range<usize>, Vec<DatabaseRow<E>>)>,
    ) -> Result<Found<E>, AdapterError> {
        let resource = self.resource;
        let rows = pieces.into_iter().flat_map(|(_, rows)| rows);
        rows.map(|row| Ok((Record::<E>::new(resource, &row).owned(resource.id)?.to_string(), row))).collect()
    }

    /// Refuses the changes that would refer to soft-deleted records. `references`: a change, the column by which it
    /// refers, and to what.
    async fn refuse_deleted(&mut self, references: Vec<(usize, usize, &Value)>) -> Result<(), AdapterError> {
        let mut refused: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (column, target) in soft_references(self.resource) {
            let of_column: Vec<(usize, &Value)> = references
                .iter()
                .filter(|(_, other, value)| *other == column && !value.is_null())
                .map(|(item, _, value)| (*item, *value))
                .collect();
            let mut values: Vec<Value> = of_column.iter().map(|(_, value)| (*value).clone()).collect();
            values.sort_by_cached_key(Value::to_string);
            values.dedup();
            if values.is_empty() {
                continue;
            }
            let deleted = Predicate::IsNull { column: deletion_timestamp(target)?, null: false };
            // Where others write meanwhile, those that are not deleted have to stay so.
            let wanted = if E::lock(Lock::Share).is_empty() { deleted } else { Predicate::All };
            let found = self.select(target, values, wanted, Lock::Share).await?;
            for (item, value) in of_column {
                if let Some(row) = found.get(&value.to_string())
                    && Self::is_deleted(target, row)?
                {
                    refused.entry(item).or_default().push(column);
                }
            }
        }
        for (item, columns) in refused {
            self.items[item].outcome = Outcome::Failed(AdapterError::ReferenceNotFound { columns });
        }
        Ok(())
    }
}

/// The columns that an update sets, in order.
///
/// # Errors
/// [`AdapterError::Constraint`] when one of them cannot store its value.
fn changed_columns<E: Engine>(resource: &'static Descriptor, update: &Update<'_>) -> Result<Vec<usize>, AdapterError> {
    let mut changes: Vec<(usize, &Value)> = update.changes.iter().collect();
    changes.sort_by_key(|(column, _)| *column);
    let column = |(column, value)| storable::<E>(Of { resource, column }, value).map(|()| column);
    changes.into_iter().map(column).collect()
}
