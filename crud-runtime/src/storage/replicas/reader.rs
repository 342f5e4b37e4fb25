//! [`Reader`]: what one request reads from.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::check::Replica;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::row::{Row, RowSink};
use crate::model::value::Value;
use crate::query::{ListQuery, Predicate};
use crate::storage::adapter::{Adapter, BoxFuture};
use crate::storage::capabilities::Capabilities;
use crate::storage::migrate_error::MigrateError;
use crate::storage::write::{Outcome, Write, WriteSink, WriteWhere};

/// A replica, and from its first failure on the primary: all that a request reads comes from one database, or
/// later from a newer one.
#[derive(Debug)]
pub(super) struct Reader {
    replica: Arc<Replica>,
    primary: Arc<dyn Adapter>,
    failed: AtomicBool,
}

impl Reader {
    pub(super) fn new(replica: Arc<Replica>, primary: Arc<dyn Adapter>) -> Self {
        Self { replica, primary, failed: AtomicBool::new(false) }
    }

    /// Whether it is the replica that is read.
    fn is_of_replica(&self) -> bool {
        !self.failed.load(Ordering::Relaxed)
    }

    /// What a read of the replica gives. Nobody waits for a server that is found to be away.
    async fn ask<T>(&self, read: BoxFuture<'_, Result<T, AdapterError>>) -> Result<T, AdapterError> {
        tokio::select! {
            biased;
            result = read => result,
            () = self.replica.gone() => Err(AdapterError::Unavailable("the replica does not answer".into())),
        }
    }

    /// Leaves the replica for the primary; the error itself where that cannot be: rows that were handed on are not
    /// taken back, and what has taken too long would take longer.
    fn leave(&self, error: AdapterError, begun: bool) -> Result<(), AdapterError> {
        if begun || matches!(error, AdapterError::Timeout) {
            return Err(error);
        }
        tracing::debug!(%error, "a replica fails: the primary is read");
        self.replica.look_now();
        self.failed.store(true, Ordering::Relaxed);
        Ok(())
    }
}

/// Reads are the replica's, all else is the primary's.
impl Adapter for Reader {
    fn capabilities(&self) -> Capabilities {
        self.primary.capabilities()
    }

    fn list<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<(), AdapterError>> {
        Box::pin(async move {
            if self.is_of_replica() {
                let mut rows = Rows { sink, begun: false };
                match self.ask(self.replica.adapter.list(resource, query, &mut rows)).await {
                    Err(error) => self.leave(error, rows.begun)?,
                    done => return done,
                }
            }
            self.primary.list(resource, query, sink).await
        })
    }

    fn count<'a>(
        &'a self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
    ) -> BoxFuture<'a, Result<u64, AdapterError>> {
        Box::pin(async move {
            if self.is_of_replica() {
                match self.ask(self.replica.adapter.count(resource, filter)).await {
                    Err(error) => self.leave(error, false)?,
                    count => return count,
                }
            }
            self.primary.count(resource, filter).await
        })
    }

    fn get<'a>(
        &'a self,
        resource: &'static Descriptor,
        id: &'a Value,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<bool, AdapterError>> {
        Box::pin(async move {
            if self.is_of_replica() {
                let mut rows = Rows { sink, begun: false };
                match self.ask(self.replica.adapter.get(resource, id, &mut rows)).await {
                    Err(error) => self.leave(error, rows.begun)?,
                    found => return found,
                }
            }
            self.primary.get(resource, id, sink).await
        })
    }

    fn migrate<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<(), MigrateError>> {
        self.primary.migrate(resources)
    }

    fn plan<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<Vec<String>, MigrateError>> {
        self.primary.plan(resources)
    }

    fn ping(&self) -> BoxFuture<'_, Result<(), AdapterError>> {
        self.primary.ping()
    }

    fn write<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> BoxFuture<'a, Result<Vec<Outcome>, AdapterError>> {
        self.primary.write(resource, write, sink)
    }

    fn write_where<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: WriteWhere<'a>,
    ) -> BoxFuture<'a, Result<u64, AdapterError>> {
        self.primary.write_where(resource, write)
    }
}

/// Hands rows on, and knows whether there were any.
struct Rows<'a> {
    sink: &'a mut dyn RowSink,
    begun: bool,
}

impl RowSink for Rows<'_> {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        self.begun = true;
        self.sink.row(row)
    }
}
