//! [`Observed`]: an adapter whose calls are spans of `tracing`, or are timed.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;
#[cfg(feature = "metrics")]
use std::time::Instant;

use tracing::Instrument;

use super::adapter::{Adapter, BoxFuture};
use super::capabilities::Capabilities;
use super::index_use::IndexUse;
use super::migrate_error::MigrateError;
use super::migrations::Migrations;
use super::position::Position;
use super::schema::Difference;
use super::status::StorageStatus;
use super::transaction::{RawStatement, Transaction};
use super::transfer::Transfer;
use super::unused_table::UnusedTable;
use super::write::{Outcome, Write, WriteSink, WriteWhere};
use crate::model::adapter_error::AdapterError;
use crate::model::column::ColumnType;
use crate::model::descriptor::{Count, Descriptor};
use crate::model::row::RowSink;
use crate::model::value::Value;
use crate::query::{ListQuery, Predicate, Total};

/// Takes the time of a call by its name, such as `list`.
#[cfg(feature = "metrics")]
pub(crate) type Observe = Arc<dyn Fn(&'static str, Duration) + Send + Sync>;

/// Observation around each call.
enum Around {
    Span,
    #[cfg(feature = "metrics")]
    Time(Observe),
}

/// An adapter with something around each call.
pub(crate) struct Observed {
    adapter: Arc<dyn Adapter>,
    around: Around,
}

impl Observed {
    /// Makes calls, also those of transactions, spans named `storage`, at the level `DEBUG`, with `call` and `resource`.
    ///
    /// Where no subscriber takes them, a call costs the check of that and nothing else.
    pub(crate) fn traced(adapter: Arc<dyn Adapter>) -> Self {
        Self { adapter, around: Around::Span }
    }

    /// Times the calls, but not those of transactions. The time of a call has the wait for a connection, and that of a list
    /// what becomes of its records.
    #[cfg(feature = "metrics")]
    pub(crate) fn timed(adapter: Arc<dyn Adapter>, observe: Observe) -> Self {
        Self { adapter, around: Around::Time(observe) }
    }

    fn begun<'a>(
        &'a self,
        begin: BoxFuture<'a, Result<Box<dyn Transaction>, AdapterError>>,
    ) -> BoxFuture<'a, Result<Box<dyn Transaction>, AdapterError>> {
        let begun = self.call("begin", None, begin);
        match self.around {
            Around::Span => {
                Box::pin(async move { Ok(Box::new(TracedTransaction(begun.await?)) as Box<dyn Transaction>) })
            }
            #[cfg(feature = "metrics")]
            Around::Time(_) => begun,
        }
    }

    fn call<'a, T: Send + 'a>(
        &'a self,
        name: &'static str,
        resource: Option<&'static Descriptor>,
        future: BoxFuture<'a, T>,
    ) -> BoxFuture<'a, T> {
        match &self.around {
            Around::Span => traced(name, resource, future),
            #[cfg(feature = "metrics")]
            Around::Time(observe) => Box::pin(async move {
                let begin = Instant::now();
                let result = future.await;
                observe(name, begin.elapsed());
                result
            }),
        }
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

impl fmt::Debug for Observed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.adapter.fmt(f)
    }
}

impl Adapter for Observed {
    fn capabilities(&self) -> Capabilities {
        self.adapter.capabilities()
    }

    fn migrate<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<(), MigrateError>> {
        self.adapter.migrate(resources)
    }

    fn plan<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<Vec<String>, MigrateError>> {
        self.adapter.plan(resources)
    }

    fn unused_tables<'a>(&'a self, used: &'a [&'static str]) -> BoxFuture<'a, Result<Vec<UnusedTable>, AdapterError>> {
        self.adapter.unused_tables(used)
    }

    fn index_use<'a>(&'a self, tables: &'a [&'static str]) -> BoxFuture<'a, Result<IndexUse, AdapterError>> {
        self.adapter.index_use(tables)
    }

    fn compare<'a>(
        &'a self,
        resources: &'a [&'static Descriptor],
    ) -> BoxFuture<'a, Result<Vec<Difference>, AdapterError>> {
        self.adapter.compare(resources)
    }

    fn migrations(&self) -> Option<&dyn Migrations> {
        self.adapter.migrations()
    }

    fn transfer(&self) -> Option<&dyn Transfer> {
        self.adapter.transfer()
    }

    fn ping(&self) -> BoxFuture<'_, Result<(), AdapterError>> {
        self.call("ping", None, self.adapter.ping())
    }

    fn list<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<(), AdapterError>> {
        self.call("list", Some(resource), self.adapter.list(resource, query, sink))
    }

    fn count<'a>(
        &'a self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
    ) -> BoxFuture<'a, Result<u64, AdapterError>> {
        self.call("count", Some(resource), self.adapter.count(resource, filter))
    }

    fn count_up_to<'a>(
        &'a self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
        limit: u64,
    ) -> BoxFuture<'a, Result<u64, AdapterError>> {
        self.call("count", Some(resource), self.adapter.count_up_to(resource, filter, limit))
    }

    fn page<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        count: Count,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<Option<Total>, AdapterError>> {
        self.call("page", Some(resource), self.adapter.page(resource, query, count, sink))
    }

    fn get<'a>(
        &'a self,
        resource: &'static Descriptor,
        id: &'a Value,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<bool, AdapterError>> {
        self.call("get", Some(resource), self.adapter.get(resource, id, sink))
    }

    fn write<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> BoxFuture<'a, Result<Vec<Outcome>, AdapterError>> {
        self.call("write", Some(resource), self.adapter.write(resource, write, sink))
    }

    fn write_where<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: WriteWhere<'a>,
    ) -> BoxFuture<'a, Result<u64, AdapterError>> {
        self.call("write_where", Some(resource), self.adapter.write_where(resource, write))
    }

    fn begin(&self) -> BoxFuture<'_, Result<Box<dyn Transaction>, AdapterError>> {
        self.begun(self.adapter.begin())
    }

    fn begin_brief(&self) -> BoxFuture<'_, Result<Box<dyn Transaction>, AdapterError>> {
        self.begun(self.adapter.begin_brief())
    }

    fn position(&self) -> BoxFuture<'_, Result<Option<Position>, AdapterError>> {
        self.adapter.position()
    }

    fn set_time_limit(&self, limit: Duration) {
        self.adapter.set_time_limit(limit);
    }

    fn set_slow_statement(&self, threshold: Duration) {
        self.adapter.set_slow_statement(threshold);
    }

    fn status(&self) -> Option<StorageStatus> {
        self.adapter.status()
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

    fn count_up_to<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
        limit: u64,
    ) -> BoxFuture<'a, Result<u64, AdapterError>> {
        traced("count", Some(resource), self.0.count_up_to(resource, filter, limit))
    }

    fn page<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        count: Count,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<Option<Total>, AdapterError>> {
        traced("page", Some(resource), self.0.page(resource, query, count, sink))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::recording::{Recording, call_all, call_all_in, methods, transaction_methods};

    #[tokio::test]
    async fn every_call_is_passed_on() {
        let recording = Recording::new();
        let traced = Observed::traced(recording.clone());
        call_all(&traced).await;
        assert_eq!(recording.calls(), methods());
        let mut transaction = traced.begin().await.unwrap();
        recording.calls();
        call_all_in(&mut *transaction).await;
        assert_eq!(recording.calls(), transaction_methods());
    }

    #[cfg(feature = "metrics")]
    #[tokio::test]
    async fn every_call_that_is_timed_is_passed_on() {
        let recording = Recording::new();
        call_all(&Observed::timed(recording.clone(), Arc::new(|_, _| {}))).await;
        assert_eq!(recording.calls(), methods());
    }
}
