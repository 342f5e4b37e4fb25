//! The documents of new records and of audit entries, with their times and keys.

use chrono::{DateTime, Utc};
use mongodb::bson::{Bson, Document};

use super::Writer;
use crate::counter;
use crate::database::Session;
use crate::error::Failure;
use crate::field::{STRONG, UNIQUE, VERSION, WEAK};
use crate::model::descriptor::{Descriptor, Role};
use crate::model::key::Key;
use crate::model::row::Row;
use crate::model::value::Value;
use crate::record::Record;
use crate::unique;
use crate::value::key;

impl Writer<'_> {
    /// The document of the audit entry of a change, if changes are recorded.
    pub(super) async fn entry(
        &self,
        session: &mut Session<'_>,
        time: DateTime<Utc>,
        before: Option<&Record>,
        after: Option<&Record>,
    ) -> Result<Option<Document>, Failure> {
        let Some(recorder) = self.recorder else { return Ok(None) };
        let before = before.map(|record| record as &dyn Row);
        let after = after.map(|record| record as &dyn Row);
        let values = recorder.entry(time, before, after)?;
        let log = recorder.log();
        let record = new_record(session, log, values, time).await?;
        document(&record, 0, 0).map(Some)
    }
}

/// A new record with these values, with its times, and its key where storage assigns it.
pub(super) async fn new_record(
    session: &mut Session<'_>,
    resource: &'static Descriptor,
    values: Vec<Value>,
    time: DateTime<Utc>,
) -> Result<Record, Failure> {
    let mut record = Record::new(resource, values, Bson::Null);
    record.set_time(Role::CreatedAt, time);
    record.set_time(Role::UpdatedAt, time);
    record.set_deleted(None);
    if let Some(column) = resource.counted_key() {
        record.set(column, Value::Int(counter::next(session, resource).await?));
    }
    record.key = key(resource, &Key::of_row(resource, &record)?);
    Ok(record)
}

/// The document of a new record. Its references to itself are counted: `strong` ones forbid its removal, `weak` ones do
/// not.
pub(super) fn document(record: &Record, strong: i64, weak: i64) -> Result<Document, Failure> {
    let mut document = record.fields()?;
    document.insert(VERSION, 1_i64);
    document.insert(UNIQUE, unique::texts(record)?);
    document.insert(STRONG, strong);
    document.insert(WEAK, weak);
    Ok(document)
}
