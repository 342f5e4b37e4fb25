//! [`TestRecords`]: the stored records of a resource of a service under test.

use std::fmt;
use std::sync::Arc;

use super::client::Test;
use crate::model::adapter_error::AdapterError;
use crate::model::changes::Changes;
use crate::model::descriptor::{Descriptor, SortKey};
use crate::model::key::Key;
use crate::model::problem::Problem;
use crate::model::row::Row;
use crate::model::value::Value;
use crate::query::ListQuery;
use crate::storage::write::{Outcome, Recorder, Target, Work, Write, WriteSink};
use crate::store::audit_record::Action;
use crate::store::each_row::each_row;
use crate::store::owned_record::OwnedRecord;
use crate::store::writer::audit_recorder::AuditRecorder;
use crate::store::writer::record_values::with_defaults;

impl Test {
    /// The stored records of a resource, as the database has them: those of every tenant and owner, deleted ones included. No
    /// rule, scope or hook applies to what is written here.
    ///
    /// ```
    /// use crud_runtime::column::Value;
    /// # use crud_runtime::prelude::*;
    /// # #[derive(Debug, Clone, Resource)] struct Part { id: i64, label: String }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> crud_runtime::Result<()> {
    /// # let test = Service::connect("sqlite::memory:").await?.resource::<Part>().test().await?;
    /// let parts = test.records(Part::DESCRIPTOR);
    /// parts.insert([(1, Value::Text("M8".to_owned()))]).await?;
    /// assert_eq!(parts.all().await?[0][1], Value::Text("M8".to_owned()));
    /// # Ok(()) }
    /// ```
    pub fn records(&self, resource: &'static Descriptor) -> TestRecords {
        TestRecords { test: self.clone(), resource }
    }
}

/// The stored records of a resource of a service under test: see [`Test::records`]. A record is a value of each column of the
/// description.
#[derive(Clone)]
#[must_use = "a handle does nothing until it reads or writes"]
pub struct TestRecords {
    test: Test,
    resource: &'static Descriptor,
}

impl fmt::Debug for TestRecords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestRecords").field("resource", &self.resource.name).finish_non_exhaustive()
    }
}

impl TestRecords {
    /// Inserts a record with values for some columns, by their indexes, and defaults for the others. Returns the record
    /// as stored. Where the resource has a log, the insert has an audit entry.
    ///
    /// # Errors
    /// When the database refuses it.
    pub async fn insert(&self, values: impl IntoIterator<Item = (usize, Value)>) -> Result<Vec<Value>, Problem> {
        let mut changes = Changes::new();
        values.into_iter().for_each(|(column, value)| changes.set(column, value));
        let records = [with_defaults(self.resource, changes)];
        let inserted = self.write(Work::Insert(&records), Action::Create).await?;
        inserted.ok_or_else(|| Problem::internal("the adapter returned no record"))
    }

    /// Marks a record as deleted, where the resource has soft delete.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn soft_delete(&self, key: &Key) -> Result<(), Problem> {
        self.write(Work::SoftDelete(&[Target::new(key, None)]), Action::SoftDelete).await.map(drop)
    }

    /// Removes a record, if it is there.
    ///
    /// # Errors
    /// When the database refuses it, such as for a record that others refer to.
    pub async fn remove(&self, key: &Key) -> Result<(), Problem> {
        self.write(Work::Delete(&[Target::new(key, None)]), Action::Delete).await.map(drop)
    }

    /// Every record, in the order of keys where it has one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn all(&self) -> Result<Vec<Vec<Value>>, Problem> {
        let (resource, mut found) = (self.resource, Vec::new());
        let mut sink = each_row(|row| {
            found.push(OwnedRecord::read(resource, row)?.into_values());
            Ok(())
        });
        let query = ListQuery::all(resource).sort(SortKey::of_key(resource, false));
        let listed = self.test.app().adapter().list(resource, &query, &mut sink).await;
        listed.map_err(|error| self.problem(error))?;
        Ok(found)
    }

    /// A record, if it is there.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn get(&self, key: &Key) -> Result<Option<Vec<Value>>, Problem> {
        let (resource, mut found) = (self.resource, None);
        let mut sink = each_row(|row| {
            found = Some(OwnedRecord::read(resource, row)?.into_values());
            Ok(())
        });
        let read = self.test.app().adapter().get(resource, key, None, &mut sink).await;
        read.map_err(|error| self.problem(error))?;
        Ok(found)
    }

    /// Applies a change; returns the record, if there is one.
    async fn write(&self, work: Work<'_>, action: Action) -> Result<Option<Vec<Value>>, Problem> {
        let recorder = AuditRecorder::new(self.resource, action, None).map(|it| Arc::new(it) as Arc<dyn Recorder>);
        let write = Write::atomic(work, recorder).with_clock(self.test.clock());
        let mut written = Written { resource: self.resource, record: None };
        let outcomes = self.test.app().adapter().write(self.resource, write, &mut written).await;
        match outcomes.map_err(|error| self.problem(error))?.pop() {
            Some(Outcome::Failed(error)) => Err(self.problem(error)),
            _ => Ok(written.record),
        }
    }

    fn problem(&self, error: AdapterError) -> Problem {
        Problem::from_adapter(self.resource, error)
    }
}

/// A sink that keeps the record of a change.
struct Written {
    resource: &'static Descriptor,
    record: Option<Vec<Value>>,
}

impl WriteSink for Written {
    fn record(&mut self, _: usize, row: &dyn Row) -> Result<(), AdapterError> {
        self.record = Some(OwnedRecord::read(self.resource, row)?.into_values());
        Ok(())
    }
}
