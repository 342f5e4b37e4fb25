//! [`Watch`]: the records of a change while hooks and triggers of other tables may change them in its transaction.
//!
//! A change that a hook makes by a store is a change with its own audit entry. A change by SQL, or by a trigger of
//! another table, has none: it gets the entry of an update, so that the history of a record leads to what is stored.

use std::collections::HashMap;
use std::slice;
use std::sync::Arc;

use super::no_sink::NoSink;
use super::{Action, RecordWriter};
use crate::model::descriptor::Descriptor;
use crate::model::key::Key;
use crate::model::problem::Problem;
use crate::model::row::RowSink;
use crate::model::value::Value;
use crate::query::{ListQuery, Predicate};
use crate::storage::adapter::Adapter;
use crate::storage::write::{Recorder, Work, Write};
use crate::store::app::App;
use crate::store::audit_record::write_entries;
use crate::store::each_row::each_row;
use crate::store::owned_record::{KeepingSink, OwnedRecord};
use crate::store::transaction::shared::SharedTransaction;

/// Number of records that are read at a time.
const CHUNK: usize = 500;

/// The watch over records of a resource in a transaction.
pub(in crate::store) struct Watch<'a> {
    app: &'a App,
    resource: &'static Descriptor,
    transaction: &'a Arc<SharedTransaction>,
    /// Makes the entries of changes that have none.
    recorder: Option<Arc<dyn Recorder>>,
    /// The tenant of the records, where the writer states one.
    tenant: Option<Value>,
}

impl<'a> Watch<'a> {
    /// The watch over the records of a writer.
    pub(in crate::store) fn of(writer: &'a RecordWriter<'_>, transaction: &'a Arc<SharedTransaction>) -> Self {
        let (app, resource, recorder) = (writer.app, writer.resource(), writer.recorder(Action::Update));
        Self { app, resource, transaction, recorder, tenant: writer.tenant().cloned() }
    }

    /// Begins the watch of a record, as it is stored now.
    ///
    /// # Errors
    /// When the database fails.
    pub(in crate::store) async fn begin(&self, stored: &OwnedRecord) -> Result<(), Problem> {
        // The hook of another change may have run a statement before it made this change.
        self.record(stored).await?;
        self.transaction.watched().watch(self.resource, &self.key_of(stored)?, stored.clone());
        Ok(())
    }

    /// Ends the watch of a record.
    ///
    /// # Errors
    /// Errors of reading its key.
    pub(in crate::store) fn end(&self, record: &OwnedRecord) -> Result<(), Problem> {
        self.transaction.watched().unwatch(self.resource, &self.key_of(record)?);
        Ok(())
    }

    /// The key as it is stored: a request may spell it otherwise.
    fn key_of(&self, record: &OwnedRecord) -> Result<Key, Problem> {
        Key::of_row(self.resource, record).map_err(|error| self.app.problem(self.resource, error))
    }

    /// Reads a record again, and writes the entry of what has changed.
    ///
    /// # Errors
    /// When the database fails.
    pub(in crate::store) async fn reread(&self, record: &OwnedRecord) -> Result<Option<OwnedRecord>, Problem> {
        let key = self.key_of(record)?;
        let stored = self.read(slice::from_ref(&key)).await?.remove(&key.lookup());
        if let Some(stored) = &stored {
            self.record(stored).await?;
        }
        Ok(stored)
    }

    /// The records of these keys that are there, by their keys as text.
    ///
    /// # Errors
    /// When the database fails.
    pub(in crate::store) async fn read(&self, ids: &[Key]) -> Result<HashMap<String, OwnedRecord>, Problem> {
        let resource = self.resource;
        let mut found = HashMap::with_capacity(ids.len());
        for ids in ids.chunks(CHUNK) {
            let of_tenant = Predicate::of_tenant(resource, self.tenant.as_ref());
            let query = ListQuery::all(resource).filter(Predicate::of_keys(resource, ids).and(of_tenant));
            let mut sink = each_row(|row| {
                found.insert(Key::of_row(resource, row)?.lookup(), OwnedRecord::read(resource, row)?);
                Ok(())
            });
            let listed = self.transaction.list(resource, &query, &mut sink).await;
            listed.map_err(|error| self.app.problem(resource, error))?;
        }
        Ok(found)
    }

    /// Writes the entry of unrecorded changes since the record's last change; returns the changed columns.
    ///
    /// # Errors
    /// When the database fails.
    pub(in crate::store) async fn record(&self, stored: &OwnedRecord) -> Result<Vec<usize>, Problem> {
        let id = self.key_of(stored)?;
        let last = self.transaction.watched().last(self.resource, &id).cloned();
        let Some(last) = last else { return Ok(Vec::new()) };
        let columns = last.differences(self.resource, stored);
        if columns.is_empty() {
            return Ok(columns);
        }
        if let Some(recorder) = &self.recorder {
            let problem = |error| self.app.problem(self.resource, error);
            let entry = recorder.entry(self.app.clock().stamp(), Some(&last), Some(stored)).map_err(problem)?;
            let entries = [entry];
            let write = Write::atomic(Work::Insert(&entries), None);
            write_entries(&**self.transaction, write, &mut NoSink).await.map_err(problem)?;
        }
        self.transaction.watched().note(self.resource, &id, stored.clone());
        Ok(columns)
    }
}

impl RecordWriter<'_> {
    /// Watches a record as a change in the writer's transaction has left it.
    ///
    /// # Errors
    /// When the database fails.
    pub(crate) async fn watch(&self, record: &OwnedRecord) -> Result<(), Problem> {
        Watch::of(self, self.own_transaction()?).begin(record).await
    }

    /// Ends the watch of a record.
    ///
    /// # Errors
    /// Errors of reading its key.
    pub(crate) fn unwatch(&self, record: &OwnedRecord) -> Result<(), Problem> {
        Watch::of(self, self.own_transaction()?).end(record)
    }

    /// Passes a watched record to the sink as it is stored now, and ends its watch. Unrecorded changes get their entry.
    ///
    /// # Errors
    /// When the database fails; `not_found` where the record is gone.
    pub(crate) async fn reread(&self, id: &Key, sink: &mut dyn RowSink) -> Result<(), Problem> {
        let (resource, transaction) = (self.resource(), self.own_transaction()?);
        let mut keeping = KeepingSink::new(resource, sink);
        let found =
            transaction.get(resource, id, self.tenant(), &mut keeping).await.map_err(|error| self.problem(error))?;
        if !found {
            return Err(Problem::record_not_found(resource, id));
        }
        // A record with an unreadable value is answered without it.
        let Some(stored) = keeping.record else { return Ok(()) };
        let watch = Watch::of(self, transaction);
        watch.record(&stored).await?;
        watch.end(&stored)
    }

    fn own_transaction(&self) -> Result<&Arc<SharedTransaction>, Problem> {
        self.transaction.ok_or_else(|| Problem::internal("the change is in no transaction"))
    }
}
