//! [`Measured`]: an adapter whose calls are timed.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::adapter::{Adapter, BoxFuture};
use super::capabilities::Capabilities;
use super::migrate_error::MigrateError;
#[cfg(feature = "migrations")]
use super::migrations::Migrations;
use super::position::Position;
use super::status::StorageStatus;
use super::transaction::Transaction;
use super::write::{Outcome, Write, WriteSink, WriteWhere};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Count, Descriptor};
use crate::model::row::RowSink;
use crate::model::value::Value;
use crate::query::{ListQuery, Predicate, Total};

/// Takes the time of a call by its name, such as `list`.
pub(crate) type Observe = Arc<dyn Fn(&'static str, Duration) + Send + Sync>;

/// An adapter whose calls are timed. The time of a call has the wait for a connection, and that of a list what becomes of
/// its records.
pub(crate) struct Measured {
    adapter: Arc<dyn Adapter>,
    observe: Observe,
}

impl Measured {
    pub(crate) fn new(adapter: Arc<dyn Adapter>, observe: Observe) -> Self {
        Self { adapter, observe }
    }

    fn timed<'a, T: Send + 'a>(
        &'a self,
        name: &'static str,
        call: BoxFuture<'a, Result<T, AdapterError>>,
    ) -> BoxFuture<'a, Result<T, AdapterError>> {
        Box::pin(async move {
            let begin = Instant::now();
            let result = call.await;
            (self.observe)(name, begin.elapsed());
            result
        })
    }
}

impl fmt::Debug for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.adapter.fmt(f)
    }
}

impl Adapter for Measured {
    fn capabilities(&self) -> Capabilities {
        self.adapter.capabilities()
    }

    fn migrate<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<(), MigrateError>> {
        self.adapter.migrate(resources)
    }

    fn plan<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<Vec<String>, MigrateError>> {
        self.adapter.plan(resources)
    }

    #[cfg(feature = "migrations")]
    fn migrations(&self) -> Option<&dyn Migrations> {
        self.adapter.migrations()
    }

    fn ping(&self) -> BoxFuture<'_, Result<(), AdapterError>> {
        self.timed("ping", self.adapter.ping())
    }

    fn list<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<(), AdapterError>> {
        self.timed("list", self.adapter.list(resource, query, sink))
    }

    fn count<'a>(
        &'a self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
    ) -> BoxFuture<'a, Result<u64, AdapterError>> {
        self.timed("count", self.adapter.count(resource, filter))
    }

    fn count_up_to<'a>(
        &'a self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
        limit: u64,
    ) -> BoxFuture<'a, Result<u64, AdapterError>> {
        self.timed("count", self.adapter.count_up_to(resource, filter, limit))
    }

    fn page<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        count: Count,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<Option<Total>, AdapterError>> {
        self.timed("page", self.adapter.page(resource, query, count, sink))
    }

    fn get<'a>(
        &'a self,
        resource: &'static Descriptor,
        id: &'a Value,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<bool, AdapterError>> {
        self.timed("get", self.adapter.get(resource, id, sink))
    }

    fn write<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> BoxFuture<'a, Result<Vec<Outcome>, AdapterError>> {
        self.timed("write", self.adapter.write(resource, write, sink))
    }

    fn write_where<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: WriteWhere<'a>,
    ) -> BoxFuture<'a, Result<u64, AdapterError>> {
        self.timed("write_where", self.adapter.write_where(resource, write))
    }

    fn begin(&self) -> BoxFuture<'_, Result<Box<dyn Transaction>, AdapterError>> {
        self.timed("begin", self.adapter.begin())
    }

    fn position(&self) -> BoxFuture<'_, Result<Option<Position>, AdapterError>> {
        self.adapter.position()
    }

    fn set_time_limit(&self, limit: Duration) {
        self.adapter.set_time_limit(limit);
    }

    fn status(&self) -> Option<StorageStatus> {
        self.adapter.status()
    }
}
