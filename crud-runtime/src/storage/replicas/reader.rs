//! [`ReplicaReader`]: the storage that one request reads from.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::replica::Replica;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Count, Descriptor};
use crate::model::key::Key;
use crate::model::row::{Row, RowSink};
use crate::model::value::Value;
use crate::query::{AggregateQuery, Group, ListQuery, Predicate, Total};
use crate::storage::adapter::{Adapter, AdapterFuture};
use crate::storage::adapter_layer::AdapterLayer;
use crate::storage::session_variables::SessionVariables;

/// A replica with fallback: reads go to the primary from the replica's first failure on, so that no read of a request
/// shows an older state than the one before.
#[derive(Debug)]
pub(super) struct ReplicaReader {
    replica: Arc<Replica>,
    /// The replica's storage, perhaps under one caller's session variables.
    storage: Arc<dyn Adapter>,
    primary: Arc<dyn Adapter>,
    has_failed: AtomicBool,
}

impl ReplicaReader {
    pub(super) fn new(replica: Arc<Replica>, primary: Arc<dyn Adapter>) -> Self {
        let storage = replica.adapter.clone();
        Self { replica, storage, primary, has_failed: AtomicBool::new(false) }
    }

    /// Whether reads still go to the replica.
    fn reads_replica(&self) -> bool {
        !self.has_failed.load(Ordering::Relaxed)
    }

    /// The result of a read from the replica; an error as soon as a check finds the replica unreachable.
    async fn read<T>(&self, read: AdapterFuture<'_, T>) -> Result<T, AdapterError> {
        tokio::select! {
            biased;
            result = read => result,
            () = self.replica.unreachable() => Err(AdapterError::Unavailable("the replica does not answer".into())),
        }
    }

    /// Falls back to the primary; returns the error if rows were already passed on, which cannot be taken back, or
    /// after a timeout, which a second read would double.
    fn fall_back(&self, error: AdapterError, has_rows: bool) -> Result<(), AdapterError> {
        if has_rows || matches!(error, AdapterError::Timeout) {
            return Err(error);
        }
        tracing::debug!(%error, "a replica failed: reads go to the primary");
        self.replica.request_check();
        self.has_failed.store(true, Ordering::Relaxed);
        Ok(())
    }
}

/// A read from the replica, or from the primary if that fails. `sink` is the last argument of a read of rows.
macro_rules! read {
    ($self:ident.$method:ident($($argument:expr),*)) => {{
        if $self.reads_replica() {
            match $self.read($self.storage.$method($($argument),*)).await {
                Err(error) => $self.fall_back(error, false)?,
                read => return read,
            }
        }
        $self.primary.$method($($argument),*).await
    }};
    ($self:ident.$method:ident($($argument:expr),*), $sink:ident) => {{
        if $self.reads_replica() {
            let mut rows = ForwardedRows { sink: $sink, any: false };
            match $self.read($self.storage.$method($($argument),*, &mut rows)).await {
                Err(error) => $self.fall_back(error, rows.any)?,
                read => return read,
            }
        }
        $self.primary.$method($($argument),*, $sink).await
    }};
}

/// Reads are the replica's, all else is the primary's.
impl AdapterLayer for ReplicaReader {
    fn inner(&self) -> &dyn Adapter {
        &*self.primary
    }

    fn list<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, ()> {
        Box::pin(async move { read!(self.list(resource, query), sink) })
    }

    fn count<'a>(&'a self, resource: &'static Descriptor, filter: &'a Predicate) -> AdapterFuture<'a, u64> {
        Box::pin(async move { read!(self.count(resource, filter)) })
    }

    fn count_up_to<'a>(
        &'a self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
        limit: u64,
    ) -> AdapterFuture<'a, u64> {
        Box::pin(async move { read!(self.count_up_to(resource, filter, limit)) })
    }

    fn aggregate<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a AggregateQuery,
    ) -> AdapterFuture<'a, Vec<Group>> {
        Box::pin(async move { read!(self.aggregate(resource, query)) })
    }

    fn page<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        count: Count,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, Option<Total>> {
        Box::pin(async move { read!(self.page(resource, query, count), sink) })
    }

    fn get<'a>(
        &'a self,
        resource: &'static Descriptor,
        id: &'a Key,
        tenant: Option<&'a Value>,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, bool> {
        Box::pin(async move { read!(self.get(resource, id, tenant), sink) })
    }

    fn session(&self, variables: &Arc<SessionVariables>) -> Option<Arc<dyn Adapter>> {
        let primary = self.primary.session(variables)?;
        let (replica, storage) = (self.replica.clone(), self.storage.session(variables)?);
        Some(Arc::new(Self { replica, storage, primary, has_failed: AtomicBool::new(false) }))
    }
}

/// Passes rows to another sink, and records whether there were any.
struct ForwardedRows<'a> {
    sink: &'a mut dyn RowSink,
    any: bool,
}

impl RowSink for ForwardedRows<'_> {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        self.any = true;
        self.sink.row(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::recording::{Recording, call_all, methods};

    #[tokio::test]
    async fn reads_are_passed_to_the_replica_and_all_other_calls_to_the_primary() {
        const READS: [&str; 6] = ["list", "count", "count_up_to", "page", "aggregate", "get"];
        let (primary, replica) = (Recording::new(), Recording::new());
        let reader = ReplicaReader::new(Arc::new(Replica::new(replica.clone(), 1)), primary.clone());
        call_all(&reader).await;
        assert_eq!(replica.calls(), READS);
        let others = methods().await.into_iter().filter(|method| !READS.contains(method));
        assert_eq!(primary.calls(), others.collect::<Vec<_>>());
    }
}
