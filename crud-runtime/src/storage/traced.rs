//! [`Traced`]: an adapter whose calls are spans of `tracing`.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tracing::Instrument;

use super::adapter::{Adapter, BoxFuture};
use super::capabilities::Capabilities;
use super::migrate_error::MigrateError;
#[cfg(feature = "migrations")]
use super::migrations::Migrations;
use super::position::Position;
use super::status::StorageStatus;
use super::transaction::{RawStatement, Transaction};
use super::write::{Outcome, Write, WriteSink, WriteWhere};
use crate::model::adapter_error::AdapterError;
use crate::model::column::ColumnType;
use crate::model::descriptor::{Count, Descriptor};
use crate::model::row::RowSink;
use crate::model::value::Value;
use crate::query::{ListQuery, Predicate, Total};

/// An adapter whose calls are spans named `storage`, at the level `DEBUG`, with `call` and `resource`.
///
/// Where no subscriber takes them, a call costs the check of that and nothing else.
pub(crate) struct Traced(Arc<dyn Adapter>);

impl Traced {
    pub(crate) fn new(adapter: Arc<dyn Adapter>) -> Self {
        Self(adapter)
    }
}

/// Runs a call in its span.
fn traced<'a, T: 'a>(
    call: &'static str,
    resource: Option<&'static Descriptor>,
    future: BoxFuture<'a, T>,
) -> BoxFuture<'a, T> {
    let span = tracing::debug_span!(
        target: "crud_runtime::storage",
        "storage",
        call,
        resource = resource.map(|resource| resource.name),
    );
    if span.is_disabled() { future } else { Box::pin(future.instrument(span)) }
}

impl fmt::Debug for Traced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Adapter for Traced {
    fn capabilities(&self) -> Capabilities {
        self.0.capabilities()
    }

    fn migrate<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<(), MigrateError>> {
        self.0.migrate(resources)
    }

    fn plan<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<Vec<String>, MigrateError>> {
        self.0.plan(resources)
    }

    #[cfg(feature = "migrations")]
    fn migrations(&self) -> Option<&dyn Migrations> {
        self.0.migrations()
    }

    fn ping(&self) -> BoxFuture<'_, Result<(), AdapterError>> {
        traced("ping", None, self.0.ping())
    }

    fn list<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<(), AdapterError>> {
        traced("list", Some(resource), self.0.list(resource, query, sink))
    }

    fn count<'a>(
        &'a self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
    ) -> BoxFuture<'a, Result<u64, AdapterError>> {
        traced("count", Some(resource), self.0.count(resource, filter))
    }

    fn count_up_to<'a>(
        &'a self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
        limit: u64,
    ) -> BoxFuture<'a, Result<u64, AdapterError>> {
        traced("count", Some(resource), self.0.count_up_to(resource, filter, limit))
    }

    fn page<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        count: Count,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<Option<Total>, AdapterError>> {
        traced("page", Some(resource), self.0.page(resource, query, count, sink))
    }

    fn get<'a>(
        &'a self,
        resource: &'static Descriptor,
        id: &'a Value,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<bool, AdapterError>> {
        traced("get", Some(resource), self.0.get(resource, id, sink))
    }

    fn write<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> BoxFuture<'a, Result<Vec<Outcome>, AdapterError>> {
        traced("write", Some(resource), self.0.write(resource, write, sink))
    }

    fn write_where<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: WriteWhere<'a>,
    ) -> BoxFuture<'a, Result<u64, AdapterError>> {
        traced("write_where", Some(resource), self.0.write_where(resource, write))
    }

    fn begin(&self) -> BoxFuture<'_, Result<Box<dyn Transaction>, AdapterError>> {
        let begun = self.0.begin();
        traced(
            "begin",
            None,
            Box::pin(async move { Ok(Box::new(TracedTransaction(begun.await?)) as Box<dyn Transaction>) }),
        )
    }

    fn position(&self) -> BoxFuture<'_, Result<Option<Position>, AdapterError>> {
        self.0.position()
    }

    fn set_time_limit(&self, limit: Duration) {
        self.0.set_time_limit(limit);
    }

    fn status(&self) -> Option<StorageStatus> {
        self.0.status()
    }
}

/// A transaction whose calls are spans as well.
struct TracedTransaction(Box<dyn Transaction>);

impl Transaction for TracedTransaction {
    fn list<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        lock: bool,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<(), AdapterError>> {
        traced("list", Some(resource), self.0.list(resource, query, lock, sink))
    }

    fn count<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
    ) -> BoxFuture<'a, Result<u64, AdapterError>> {
        traced("count", Some(resource), self.0.count(resource, filter))
    }

    fn get<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        id: &'a Value,
        lock: bool,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<bool, AdapterError>> {
        traced("get", Some(resource), self.0.get(resource, id, lock, sink))
    }

    fn write<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> BoxFuture<'a, Result<Vec<Outcome>, AdapterError>> {
        traced("write", Some(resource), self.0.write(resource, write, sink))
    }

    fn write_where<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        write: WriteWhere<'a>,
    ) -> BoxFuture<'a, Result<u64, AdapterError>> {
        traced("write_where", Some(resource), self.0.write_where(resource, write))
    }

    fn savepoint(&mut self) -> BoxFuture<'_, Result<(), AdapterError>> {
        self.0.savepoint()
    }

    fn release(&mut self) -> BoxFuture<'_, Result<(), AdapterError>> {
        self.0.release()
    }

    fn rollback_to(&mut self) -> BoxFuture<'_, Result<(), AdapterError>> {
        self.0.rollback_to()
    }

    fn execute(&mut self, statement: RawStatement) -> BoxFuture<'_, Result<u64, AdapterError>> {
        traced("execute", None, self.0.execute(statement))
    }

    fn fetch<'a>(
        &'a mut self,
        statement: RawStatement,
        columns: &'a [ColumnType],
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<(), AdapterError>> {
        traced("fetch", None, self.0.fetch(statement, columns, sink))
    }

    fn is_conflict(&self, error: &AdapterError) -> bool {
        self.0.is_conflict(error)
    }

    fn commit(&mut self) -> BoxFuture<'_, Result<(), AdapterError>> {
        traced("commit", None, self.0.commit())
    }

    fn rollback(&mut self) -> BoxFuture<'_, Result<(), AdapterError>> {
        traced("rollback", None, self.0.rollback())
    }
}
