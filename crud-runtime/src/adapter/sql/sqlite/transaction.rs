//! Changes that take more than one statement: several of them, or such as are audited, guarded or refer to
//! what may be soft-deleted.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use chrono::{DateTime, Utc};
use sqlx::sqlite::{SqliteConnection, SqliteRow};

use super::connections::{all, first};
use super::dialect::{Argument, Sqlite};
use super::error::{general, translate, translate_delete};
use super::pieces::{self, Pieces};
use super::row::{Record, differs, owned};
use super::update_many::update_many;
use super::{explain, key};
use crate::adapter::sql::dialect::{Dialect, Of};
use crate::adapter::sql::list::{self, Part};
use crate::adapter::sql::statement::{Sql, Text, stored};
use crate::adapter::sql::write::{self, Condition, deletion_timestamp, insert_arguments, soft_references, touch};
use crate::adapter::{AdapterError, Guard, Outcome, Recorder, Row, Target, Update, Work};
use crate::descriptor::Descriptor;
use crate::query::{ListQuery, Predicate};
use crate::value::Value;

/// A change in a transaction.
pub(super) struct Item {
    pub(super) outcome: Outcome,
    before: Option<SqliteRow>,
    after: Option<SqliteRow>,
    /// Whether it changed anything.
    changed: bool,
}

impl Item {
    const fn new() -> Self {
        Self { outcome: Outcome::Done, before: None, after: None, changed: false }
    }

    const fn is_done(&self) -> bool {
        matches!(self.outcome, Outcome::Done)
    }

    /// The record as it is now, or as it was when it was removed.
    pub(super) fn record(&self) -> Option<&SqliteRow> {
        self.after.as_ref().or(self.before.as_ref()).filter(|_| self.is_done())
    }
}

/// Work on a connection that is in a transaction.
pub(super) struct Transaction<'a> {
    connection: &'a mut SqliteConnection,
    resource: &'static Descriptor,
    time: DateTime<Utc>,
    pub(super) items: Vec<Item>,
}

/// A key as text, by which records are found again.
type Key = String;

/// A change, by index, and the arguments that it binds.
type Bound = (usize, Vec<Argument>);

impl<'a> Transaction<'a> {
    /// So many changes, none of which has happened.
    pub(super) fn new(
        connection: &'a mut SqliteConnection,
        resource: &'static Descriptor,
        time: DateTime<Utc>,
        changes: usize,
    ) -> Self {
        Self { connection, resource, time, items: (0..changes).map(|_| Item::new()).collect() }
    }

    /// Does the work; what became of it is in the items.
    pub(super) async fn work(&mut self, work: Work<'_>) -> Result<(), AdapterError> {
        match work {
            Work::Insert(records) => self.insert(records).await,
            Work::Update(updates) => self.update(updates).await,
            Work::SoftDelete(targets) | Work::Restore(targets) | Work::Delete(targets) | Work::Purge(targets) => {
                let records = self.read(targets.iter().map(|target| target.id)).await?;
                self.targets(work, targets, records).await
            }
        }
    }

    /// Inserts the audit entries of what was changed.
    pub(super) async fn record(&mut self, recorder: &dyn Recorder) -> Result<(), AdapterError> {
        let (resource, time, log) = (self.resource, self.time, recorder.log());
        let row = |row| Record { resource, row };
        let mut entries = Vec::with_capacity(self.items.len());
        for item in self.items.iter().filter(|item| item.changed && item.is_done()) {
            let (before, after) = (item.before.as_ref().map(row), item.after.as_ref().map(row));
            let before = before.as_ref().map(|record| record as &dyn Row);
            let entry = recorder.entry(time, before, after.as_ref().map(|record| record as &dyn Row))?;
            entries.push(insert_arguments::<Sqlite>(log, &entry, time)?);
        }
        let statement =
            |range: Range<usize>| write::insert_many::<Sqlite>(log, entries[range].iter().map(Vec::as_slice), false);
        let values = entries.first().map_or(0, Vec::len);
        let pieces = pieces::run(self.connection, entries.len(), values, statement, general).await?;
        match pieces.refused.into_iter().next() {
            Some((_, error)) => Err(error),
            None => Ok(()),
        }
    }

    async fn insert(&mut self, records: &[Vec<Value>]) -> Result<(), AdapterError> {
        let (resource, time) = (self.resource, self.time);
        let references = soft_references(resource).flat_map(|(column, target)| {
            records.iter().enumerate().map(move |(item, record)| (item, column, target, &record[column]))
        });
        self.refuse_deleted(references.collect()).await?;
        let mut ready: Vec<Bound> = Vec::with_capacity(records.len());
        for (index, record) in records.iter().enumerate() {
            if !self.items[index].is_done() {
                continue;
            }
            match insert_arguments::<Sqlite>(resource, record, time) {
                Ok(arguments) => ready.push((index, arguments)),
                Err(error) => self.items[index].outcome = Outcome::Failed(error),
            }
        }
        let fixed = Sqlite::statements(resource)?;
        let statement = |range: Range<usize>| match &ready[range] {
            // Also the only form that an insert without values has.
            [(_, arguments)] => Ok(Sql::with_arguments(fixed.insert, arguments.clone())),
            several => write::insert_many(resource, several.iter().map(|(_, arguments)| arguments.as_slice()), true),
        };
        let values = fixed.insert_columns.len();
        // Without values there is one record to a statement.
        let values = if values == 0 { usize::MAX } else { values };
        let translate = |error| translate(resource, error);
        let pieces = pieces::run(self.connection, ready.len(), values, statement, translate).await?;
        for (range, rows) in pieces.done {
            let assigned = fixed.insert_columns.iter().all(|column| *column != resource.id);
            let mut keyed = rows.into_iter().map(|row| Ok((owned(Record { resource, row: &row }, resource.id)?, row)));
            let mut keyed = keyed.by_ref().collect::<Result<Vec<(Value, SqliteRow)>, AdapterError>>()?;
            if assigned {
                // Keys are counted up in the order of the records; rows come in any.
                keyed.sort_by_key(|(id, _)| if let Value::Int(id) = id { *id } else { 0 });
                for ((_, row), (index, _)) in keyed.into_iter().zip(&ready[range]) {
                    self.done(*index, None, Some(row));
                }
            } else {
                let mut rows: HashMap<Key, SqliteRow> =
                    keyed.into_iter().map(|(id, row)| (id.to_string(), row)).collect();
                for (index, _) in &ready[range] {
                    let row = rows.remove(&records[*index][resource.id].to_string());
                    self.done(*index, None, row);
                }
            }
        }
        for (position, error) in pieces.refused {
            let index = ready[position].0;
            let error = explain(self.connection, resource, error, records[index].iter().enumerate()).await;
            self.items[index].outcome = Outcome::Failed(error);
        }
        Ok(())
    }

    async fn update(&mut self, updates: &[Update<'_>]) -> Result<(), AdapterError> {
        let resource = self.resource;
        let mut records = self.read(updates.iter().map(|update| update.id)).await?;
        let mut references = Vec::new();
        let mut differing = Vec::with_capacity(updates.len());
        for (index, update) in updates.iter().enumerate() {
            let Some(row) = self.admit(index, records.remove(&update.id.to_string()), update.guard)? else { continue };
            let record = Record { resource, row: &row };
            let restores = self.restores(record)?;
            if restores || differs(record, update.changes) {
                for (column, target) in soft_references(resource) {
                    // A reference that stays as it is may be to a record that went since.
                    if let Some(value) =
                        update.changes.get(column).filter(|v| owned(record, column).ok().as_ref() != Some(v))
                    {
                        references.push((index, column, target, value));
                    }
                }
                differing.push((index, restores));
            }
            self.items[index].before = Some(row);
        }
        self.refuse_deleted(references).await?;
        let mut groups: BTreeMap<(Vec<usize>, bool), Vec<Bound>> = BTreeMap::new();
        for (index, restores) in differing {
            if !self.items[index].is_done() {
                continue;
            }
            match arguments(resource, &updates[index]) {
                Ok((columns, arguments)) => groups.entry((columns, restores)).or_default().push((index, arguments)),
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
        group: &[Bound],
    ) -> Result<(), AdapterError> {
        let (resource, time) = (self.resource, self.time);
        let statement = |range: Range<usize>| match &group[range] {
            [(index, _)] => write::update(resource, &updates[*index], Condition::Always, time, restores),
            several => {
                let rows = several.iter().map(|(_, arguments)| arguments.as_slice());
                update_many(resource, columns, touch(resource, time, restores), rows)
            }
        };
        let translate = |error| translate(resource, error);
        let pieces = pieces::run(self.connection, group.len(), columns.len() + 1, statement, translate).await?;
        let Pieces { done, refused } = pieces;
        let mut rows = self.keyed(done)?;
        for (index, _) in group {
            if let Some(row) = rows.remove(&updates[*index].id.to_string()) {
                let before = self.items[*index].before.take();
                self.done(*index, before, Some(row));
            }
        }
        for (position, error) in refused {
            let index = group[position].0;
            let error = explain(self.connection, resource, error, updates[index].changes.iter()).await;
            self.items[index].outcome = Outcome::Failed(error);
        }
        Ok(())
    }

    /// Soft-deletes, restores or removes records, which are at hand.
    pub(super) async fn targets(
        &mut self,
        work: Work<'_>,
        targets: &[Target<'_>],
        mut records: HashMap<Key, SqliteRow>,
    ) -> Result<(), AdapterError> {
        let resource = self.resource;
        let wanted = match work {
            Work::SoftDelete(_) => Some(false),
            Work::Restore(_) | Work::Purge(_) => Some(true),
            _ => None,
        };
        let mut ready = Vec::with_capacity(targets.len());
        for (index, target) in targets.iter().enumerate() {
            let Some(row) = self.admit(index, records.remove(&target.id.to_string()), target.guard)? else { continue };
            if let Some(wanted) = wanted
                && self.is_deleted(Record { resource, row: &row })? != wanted
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
            if removes {
                write::delete(resource, &of_these)
            } else {
                write::set_deleted(resource, deleted_at, &of_these)
            }
        };
        let translate = |error| if removes { translate_delete(error) } else { translate(resource, error) };
        let pieces = pieces::run(self.connection, ready.len(), 1, statement, translate).await?;
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

    fn done(&mut self, index: usize, before: Option<SqliteRow>, after: Option<SqliteRow>) {
        self.items[index] = Item { outcome: Outcome::Done, before, after, changed: true };
    }

    /// The record, if it is there and may be changed.
    fn admit(
        &mut self,
        index: usize,
        row: Option<SqliteRow>,
        guard: Option<&dyn Guard>,
    ) -> Result<Option<SqliteRow>, AdapterError> {
        let Some(row) = row else {
            self.items[index].outcome = Outcome::Missing;
            return Ok(None);
        };
        let admits = match guard {
            Some(guard) => guard.admits(&Record { resource: self.resource, row: &row })?,
            None => true,
        };
        if !admits {
            self.items[index].outcome = Outcome::Refused;
        }
        Ok(admits.then_some(row))
    }

    fn is_deleted(&self, record: Record<'_>) -> Result<bool, AdapterError> {
        Ok(!owned(record, deletion_timestamp(self.resource)?)?.is_null())
    }

    /// Whether an update restores this record.
    fn restores(&self, record: Record<'_>) -> Result<bool, AdapterError> {
        let restores = self.resource.soft_delete.is_some_and(|soft_delete| soft_delete.auto_restore_on_update);
        Ok(restores && self.is_deleted(record)?)
    }

    /// The records of these keys.
    async fn read(&mut self, ids: impl Iterator<Item = &Value>) -> Result<HashMap<Key, SqliteRow>, AdapterError> {
        let resource = self.resource;
        let ids: Vec<Value> = ids.cloned().collect();
        if let [id] = ids.as_slice() {
            let get = Text::Fixed(Sqlite::statements(resource)?.get);
            let row = first(self.connection, get, vec![key(resource, id)]).await.map_err(general)?;
            return self.keyed([(0..1, row.into_iter().collect())]);
        }
        self.select(resource, resource.id, ids, Predicate::All).await
    }

    /// The records of a resource that have one of these values and satisfy a predicate.
    async fn select(
        &mut self,
        resource: &'static Descriptor,
        column: usize,
        values: Vec<Value>,
        predicate: Predicate,
    ) -> Result<HashMap<Key, SqliteRow>, AdapterError> {
        // Far below what SQLite binds, and a lookup for each value anyway.
        const AT_ONCE: usize = 1024;
        let mut found = HashMap::with_capacity(values.len());
        for values in values.chunks(AT_ONCE) {
            let of_these = Predicate::In { column, negated: false, values: values.to_vec() };
            let query =
                ListQuery { sort: Vec::new(), filter: of_these.and(predicate.clone()), ..ListQuery::all(resource) };
            let (text, arguments) = list::select::<Sqlite>(resource, &query, Part::Whole, None)?.finish();
            for row in all(self.connection, text, arguments).await.map_err(general)? {
                found.insert(owned(Record { resource, row: &row }, resource.id)?.to_string(), row);
            }
        }
        Ok(found)
    }

    fn keyed(
        &self,
        pieces: impl IntoIterator<Item = (Range<usize>, Vec<SqliteRow>)>,
    ) -> Result<HashMap<Key, SqliteRow>, AdapterError> {
        let resource = self.resource;
        let rows = pieces.into_iter().flat_map(|(_, rows)| rows);
        rows.map(|row| Ok((owned(Record { resource, row: &row }, resource.id)?.to_string(), row))).collect()
    }

    /// Refuses the changes that would refer to soft-deleted records.
    async fn refuse_deleted(
        &mut self,
        references: Vec<(usize, usize, &'static Descriptor, &Value)>,
    ) -> Result<(), AdapterError> {
        let mut refused: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (column, target) in soft_references(self.resource) {
            let of_column: Vec<(usize, &Value)> = references
                .iter()
                .filter(|(_, other, _, value)| *other == column && !value.is_null())
                .map(|(item, _, _, value)| (*item, *value))
                .collect();
            let mut values: Vec<Value> = of_column.iter().map(|(_, value)| (*value).clone()).collect();
            values.sort_by_cached_key(Value::to_string);
            values.dedup();
            if values.is_empty() {
                continue;
            }
            let deleted = Predicate::IsNull { column: deletion_timestamp(target)?, null: false };
            let deleted = self.select(target, target.id, values, deleted).await?;
            for (item, _) in of_column.iter().filter(|(_, value)| deleted.contains_key(&value.to_string())) {
                refused.entry(*item).or_default().push(column);
            }
        }
        for (item, columns) in refused {
            self.items[item].outcome = Outcome::Failed(AdapterError::ReferenceNotFound { columns });
        }
        Ok(())
    }
}

/// The columns of an update, in order, and its arguments: the key and the values.
fn arguments(resource: &'static Descriptor, update: &Update<'_>) -> Result<(Vec<usize>, Vec<Argument>), AdapterError> {
    let mut changes: Vec<(usize, &Value)> = update.changes.iter().collect();
    changes.sort_by_key(|(column, _)| *column);
    let mut arguments = vec![key(resource, update.id)];
    for (column, value) in &changes {
        arguments.push(stored::<Sqlite>(Of { resource, column: *column }, value)?);
    }
    Ok((changes.into_iter().map(|(column, _)| column).collect(), arguments))
}
