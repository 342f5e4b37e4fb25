//! [`DiskFailures`]: changes that failed because the disk of the database is full or fails.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::model::adapter_error::{AdapterError, FULL_DISK};
use crate::model::descriptor::Descriptor;
use crate::storage::adapter::{Adapter, AdapterFuture};
use crate::storage::adapter_layer::AdapterLayer;
use crate::storage::session_variables::SessionVariables;
use crate::storage::transaction::{RawStatement, Transaction};
use crate::storage::transaction_layer::TransactionLayer;
use crate::storage::write::{Outcome, Write, WriteSink, WriteWhere};

/// Time after a failure in which the service is not ready. It ends by itself: a load balancer that sends no changes to servers
/// that are not ready would otherwise never learn that there is room again.
const HOLD: Duration = Duration::from_secs(10);

/// Number of changes that failed because of the database's disk, and the time of the last one.
#[derive(Debug, Default)]
pub(crate) struct DiskFailures {
    count: AtomicU64,
    latest: Mutex<Option<Instant>>,
}

impl DiskFailures {
    /// Number of failures until now.
    #[cfg(feature = "metrics")]
    pub(crate) fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// Counts a change that failed because of the disk.
    fn notice<T>(&self, change: &Result<T, AdapterError>) {
        if change.as_ref().err().is_some_and(AdapterError::is_of_disk) {
            self.count.fetch_add(1, Ordering::Relaxed);
            *self.latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        }
    }

    /// Whether a change has failed within [`HOLD`]. A later success proves nothing about the disk: its change may be
    /// smaller.
    fn is_recent(&self) -> bool {
        let latest = *self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        latest.is_some_and(|latest| latest.elapsed() < HOLD)
    }
}

/// Storage whose changes are watched for failures of the disk.
///
/// Its ping fails for a while after a failure, unless the ping of the inner storage writes to the disk itself.
#[derive(Debug)]
pub(crate) struct WatchedDisk {
    inner: Arc<dyn Adapter>,
    failures: Arc<DiskFailures>,
}

impl WatchedDisk {
    pub(crate) fn new(inner: Arc<dyn Adapter>, failures: Arc<DiskFailures>) -> Self {
        Self { inner, failures }
    }

    fn begun<'a>(&'a self, begin: AdapterFuture<'a, Box<dyn Transaction>>) -> AdapterFuture<'a, Box<dyn Transaction>> {
        let failures = self.failures.clone();
        Box::pin(async move {
            let transaction = WatchedTransaction { inner: begin.await?, failures };
            Ok(Box::new(transaction) as Box<dyn Transaction>)
        })
    }
}

/// Counts the failure of a change.
fn watched<'a, T: Send + 'a>(failures: &'a DiskFailures, change: AdapterFuture<'a, T>) -> AdapterFuture<'a, T> {
    Box::pin(async move {
        let changed = change.await;
        failures.notice(&changed);
        changed
    })
}

impl AdapterLayer for WatchedDisk {
    fn inner(&self) -> &dyn Adapter {
        &*self.inner
    }

    fn session(&self, variables: &Arc<SessionVariables>) -> Option<Arc<dyn Adapter>> {
        Some(Arc::new(Self { inner: self.inner.session(variables)?, failures: self.failures.clone() }))
    }

    fn ping(&self) -> AdapterFuture<'_, ()> {
        Box::pin(async move {
            self.inner.ping().await?;
            if self.failures.is_recent() && !self.inner.capabilities().disk_probe {
                return Err(AdapterError::of_disk(FULL_DISK));
            }
            Ok(())
        })
    }

    fn write<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> AdapterFuture<'a, Vec<Outcome>> {
        watched(&self.failures, self.inner.write(resource, write, sink))
    }

    fn write_where<'a>(&'a self, resource: &'static Descriptor, write: WriteWhere<'a>) -> AdapterFuture<'a, u64> {
        watched(&self.failures, self.inner.write_where(resource, write))
    }

    fn begin(&self) -> AdapterFuture<'_, Box<dyn Transaction>> {
        self.begun(self.inner.begin())
    }

    fn begin_short(&self) -> AdapterFuture<'_, Box<dyn Transaction>> {
        self.begun(self.inner.begin_short())
    }
}

/// A transaction whose changes are watched for failures of the disk.
struct WatchedTransaction {
    inner: Box<dyn Transaction>,
    failures: Arc<DiskFailures>,
}

impl TransactionLayer for WatchedTransaction {
    fn inner(&mut self) -> &mut dyn Transaction {
        &mut *self.inner
    }

    fn inner_ref(&self) -> &dyn Transaction {
        &*self.inner
    }

    fn write<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> AdapterFuture<'a, Vec<Outcome>> {
        watched(&self.failures, self.inner.write(resource, write, sink))
    }

    fn write_where<'a>(&'a mut self, resource: &'static Descriptor, write: WriteWhere<'a>) -> AdapterFuture<'a, u64> {
        watched(&self.failures, self.inner.write_where(resource, write))
    }

    fn execute(&mut self, statement: RawStatement) -> AdapterFuture<'_, u64> {
        watched(&self.failures, self.inner.execute(statement))
    }

    fn commit(&mut self) -> AdapterFuture<'_, ()> {
        watched(&self.failures, self.inner.commit())
    }
}
