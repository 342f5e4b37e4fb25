//! Changes: [`Writer`] applies the changes of one write, each by a write of one document.
//!
//! Without transactions, a change reads its document, decides, and replaces the version that it read. Where another
//! change came between, it starts over. The audit entry is in the same write, in the [outbox](super::outbox). With
//! transactions, documents, entries and references of a write are in one transaction of the server, which starts over
//! after a conflict.

mod change;
mod entry;
mod insert;
mod rehearse;
mod remove;
mod size;

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mongodb::bson::{Bson, Document, RawDocument};
use tokio::time::sleep;

use self::change::id_of;
use super::TARGET;
use super::database::{Database, Session};
use super::error::Failure;
use super::field::{OUTBOX, PENDING};
use super::outbox;
use super::record::{Record, raw};
use super::record_locks::RecordLocks;
use super::schema::Schema;
use crate::model::adapter_error::AdapterError;
use crate::model::clock::Clock;
use crate::model::descriptor::Descriptor;
use crate::model::key::Key;
use crate::model::value::Value;
use crate::storage::back_off::back_off;
use crate::storage::write::{Outcome, Recorder, Work};

/// The most doublings of the back-off between two attempts.
const MAX_DOUBLINGS: u32 = 4;

/// A change: its outcome, and its record.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) outcome: Outcome,
    /// The record as it is stored now, or as it was before its removal.
    pub(super) record: Option<Record>,
}

impl Change {
    pub(super) const fn done(record: Record) -> Self {
        Self { outcome: Outcome::Done, record: Some(record) }
    }

    pub(super) const fn not_done(outcome: Outcome) -> Self {
        Self { outcome, record: None }
    }

    /// A change that a rule of storage refuses.
    const fn failed(error: AdapterError) -> Self {
        Self::not_done(Outcome::Failed(error))
    }

    pub(super) const fn is_done(&self) -> bool {
        matches!(self.outcome, Outcome::Done)
    }
}

/// Result of an attempt at a change; `None` when another change came between, and it starts over.
type Attempt = Option<Change>;

/// Applies the changes of a write.
#[derive(Debug, Clone, Copy)]
pub(super) struct Writer<'a> {
    pub(super) database: &'a Arc<Database>,
    pub(super) locks: &'a RecordLocks,
    pub(super) resource: &'static Descriptor,
    pub(super) recorder: Option<&'a dyn Recorder>,
    /// Source of the time of each change.
    pub(super) clock: &'a Clock,
    /// The tenant of the records; `None`: records of every tenant.
    pub(super) tenant: Option<&'a Value>,
}

impl Writer<'_> {
    /// Applies these changes, one after another.
    ///
    /// # Errors
    /// When a change fails for a reason other than the change itself.
    pub(super) async fn all(
        &self,
        session: &mut Session<'_>,
        work: Work<'_>,
        indexes: Range<usize>,
    ) -> Result<Vec<Change>, Failure> {
        let mut changes = Vec::with_capacity(indexes.len());
        for index in indexes {
            changes.push(self.one(session, work, index).await?);
        }
        Ok(changes)
    }

    /// Applies one change.
    ///
    /// # Errors
    /// When the change fails for a reason other than the change itself.
    async fn one(&self, session: &mut Session<'_>, work: Work<'_>, index: usize) -> Result<Change, Failure> {
        let id = if session.is_in_transaction() { None } else { key_of(self.resource, work, index) };
        let _turn = match &id {
            Some(id) => Some(self.locks.wait(self.resource.table, id).await),
            None => None,
        };
        let mut attempts = Attempts::new(self.database.limit());
        loop {
            let attempt = match work {
                Work::Insert(records) => self.insert(session, &records[index]).await,
                _ => self.change(session, work, index).await,
            };
            match attempt {
                Ok(Some(change)) => return Ok(change),
                Ok(None) if session.is_in_transaction() => return Err(Failure::Outdated),
                Ok(None) => attempts.next().await?,
                Err(failure) => return refused(self.resource, failure),
            }
        }
    }

    /// Delivers the outbox of a document after the change to this version.
    async fn deliver(
        &self,
        session: &mut Session<'_>,
        key: &Bson,
        version: i64,
        document: &RawDocument,
    ) -> Result<(), Failure> {
        outbox::deliver(session, document).await?;
        outbox::clear(session, self.resource.table, key, version).await
    }

    /// Delivers an audit entry in a transaction, or puts it into the fields of the change.
    async fn post(
        &self,
        session: &mut Session<'_>,
        entry: Option<Document>,
        fields: &mut Document,
    ) -> Result<(), Failure> {
        let (Some(entry), Some(recorder)) = (entry, self.recorder) else { return Ok(()) };
        let log = recorder.log().table;
        if session.is_in_transaction() {
            return session.insert(log, &raw(&entry)?).await;
        }
        fields.insert(OUTBOX, vec![outbox::entry(log, entry)]);
        fields.insert(PENDING, true);
        Ok(())
    }

    async fn schema(&self, session: &mut Session<'_>) -> Result<Schema, Failure> {
        Schema::read(session).await
    }
}

/// The text of the key of the record that a change applies to, unless storage assigns it.
///
/// A create takes the lock as well: it is later in the log than a removal that it waited for.
fn key_of(resource: &Descriptor, work: Work<'_>, index: usize) -> Option<String> {
    match work {
        Work::Insert(_) if resource.counted_key().is_some() => None,
        Work::Insert(records) => Some(Key::of(resource, records.get(index)?).to_string()),
        work => id_of(work, index).map(Key::to_string),
    }
}

/// The refused change, where the failure is the change's own; any other failure ends the write.
fn refused(resource: &Descriptor, failure: Failure) -> Result<Change, Failure> {
    match failure {
        Failure::Adapter(error) if error.is_refusal() => Ok(Change::failed(error)),
        Failure::TooLarge => {
            tracing::debug!(target: TARGET, resource = resource.name, "a document is larger than the server stores");
            Ok(Change::failed(AdapterError::TooLarge { column: None }))
        }
        failure => Err(failure),
    }
}

/// The attempts at a change, until a time limit.
#[derive(Debug)]
pub(super) struct Attempts {
    end: Instant,
    count: u32,
}

impl Attempts {
    pub(super) fn new(limit: Duration) -> Self {
        Self { end: Instant::now() + limit, count: 0 }
    }

    /// Waits for the next attempt.
    ///
    /// # Errors
    /// [`AdapterError::Timeout`] after the time limit.
    pub(super) async fn next(&mut self) -> Result<(), AdapterError> {
        if Instant::now() > self.end {
            return Err(AdapterError::Timeout);
        }
        sleep(back_off(self.count.min(MAX_DOUBLINGS))).await;
        self.count += 1;
        Ok(())
    }
}
