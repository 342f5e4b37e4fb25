//! [`SharedTransaction`]: an open transaction as an adapter, for the stores that work in it.

use std::fmt;
use std::future::ready;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{Mutex, MutexGuard};
use tokio::time::error::Elapsed;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::registry::Registration;
use super::watched_records::{NotingSink, WatchedRecords};
use crate::model::adapter_error::AdapterError;
use crate::model::column::ColumnType;
use crate::model::descriptor::{Count, Descriptor};
use crate::model::key::Key;
use crate::model::row::RowSink;
use crate::model::value::Value;
use crate::query::{AggregateQuery, Group, ListQuery, Predicate, Total};
use crate::storage::adapter::{Adapter, AdapterFuture, BoxFuture};
use crate::storage::capabilities::Capabilities;
use crate::storage::transaction::{RawStatement, Transaction};
use crate::storage::write::{Outcome, Write, WriteSink, WriteWhere};
use crate::store::writer::after_commit::AfterCommit;
use crate::store::writer::no_sink::NoSink;

/// A transaction of storage, until its end. It is an [`Adapter`], whose calls are part of the transaction.
pub(crate) struct SharedTransaction {
    state: Mutex<State>,
    /// Callbacks that run when the transaction is committed.
    after_commit: std::sync::Mutex<AfterCommit>,
    /// The records whose hooks run.
    watched: std::sync::Mutex<WatchedRecords>,
    /// Number of calls that may have written.
    writes: AtomicU64,
    /// Number of calls of hooks that may have written.
    writing_hooks: AtomicU64,
    capabilities: Capabilities,
    deadline: Instant,
}

enum State {
    Open(Open),
    Ended(End),
}

struct Open {
    transaction: Box<dyn Transaction>,
    /// Whether a call has begun and not ended.
    is_busy: bool,
    /// Whether a failed statement may have aborted the transaction: a server answers its commit without an error, and
    /// commits nothing.
    is_unsure: bool,
    #[expect(dead_code, reason = "the task is registered until the transaction ends")]
    registration: Option<Registration>,
}

/// Outcome of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Committed,
    RolledBack,
    /// A conflict with another transaction: storage has rolled this one back.
    Conflict,
    TimedOut,
}

impl End {
    /// Whether a transaction with this end and result had a conflict with another one.
    pub(crate) fn is_conflict<T, E>(ended: &Result<(Option<Self>, T), E>) -> bool {
        matches!(ended, Ok((Some(Self::Conflict), _)))
    }

    /// The error of a call after the end.
    fn error(self) -> AdapterError {
        match self {
            Self::Committed => AdapterError::Other("the transaction is committed already".into()),
            Self::RolledBack => AdapterError::Other("the transaction is rolled back already".into()),
            Self::Conflict => AdapterError::Unavailable("another transaction was in the way of this one".into()),
            Self::TimedOut => AdapterError::Timeout,
        }
    }
}

impl fmt::Debug for SharedTransaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedTransaction").field("deadline", &self.deadline).finish_non_exhaustive()
    }
}

/// A call of the transaction, which ends by the deadline.
macro_rules! call {
    ($self:ident.$method:ident($($argument:expr),*)) => {{
        let mut open = $self.open().await?;
        let call = timeout_at($self.deadline, open.transaction()?.$method($($argument),*)).await;
        open.end(call)
    }};
}

impl SharedTransaction {
    /// Begins a transaction that is rolled back after `limit`. `is_short`: see [`Adapter::begin_short`].
    pub(crate) async fn start(
        adapter: &dyn Adapter,
        is_short: bool,
        registration: Option<Registration>,
        limit: Duration,
    ) -> Result<Arc<Self>, AdapterError> {
        let transaction = if is_short { adapter.begin_short().await? } else { adapter.begin().await? };
        let deadline = Instant::now() + limit;
        let state = Mutex::new(State::Open(Open { transaction, is_busy: false, is_unsure: false, registration }));
        let (after_commit, capabilities) = (std::sync::Mutex::default(), adapter.capabilities());
        let (watched, writes, writing_hooks) = (std::sync::Mutex::default(), AtomicU64::new(0), AtomicU64::new(0));
        let shared = Self { state, after_commit, watched, writes, writing_hooks, capabilities, deadline };
        let shared = Arc::new(shared);
        // The program may do something else for a long time while it holds locks, or is the only writer.
        tokio::spawn(roll_back_at(deadline, Arc::downgrade(&shared)));
        Ok(shared)
    }

    /// Outcome of the transaction, if it has ended.
    pub(crate) async fn end(&self) -> Option<End> {
        match &*self.state.lock().await {
            State::Open(_) => None,
            State::Ended(end) => Some(*end),
        }
    }

    /// Commits the transaction.
    pub(crate) async fn commit(&self) -> Result<(), AdapterError> {
        let mut open = self.open().await?;
        let is_unsure = matches!(&*open.0, State::Open(Open { is_unsure: true, .. }));
        let transaction = open.transaction()?;
        let commit = async {
            if is_unsure {
                match transaction.fetch(RawStatement::new("SELECT 1"), &[], &mut NoSink).await {
                    // Storage without SQL aborts no transaction.
                    Ok(()) | Err(AdapterError::Unsupported { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
            transaction.commit().await
        };
        let call = timeout_at(self.deadline, commit).await;
        open.finish_as(call, End::Committed)?;
        self.after_commit_calls().start();
        Ok(())
    }

    /// Runs a future when the transaction is committed, and never if it is not, or only up to an earlier savepoint.
    pub(crate) fn after_commit(&self, call: BoxFuture<'static, ()>) {
        self.after_commit_calls().push(call);
    }

    fn after_commit_calls(&self) -> std::sync::MutexGuard<'_, AfterCommit> {
        self.after_commit.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The records whose hooks run.
    pub(crate) fn watched(&self) -> std::sync::MutexGuard<'_, WatchedRecords> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number of calls so far that may have written.
    pub(crate) fn writes(&self) -> u64 {
        self.writes.load(Ordering::Relaxed)
    }

    /// Number of calls of hooks so far that may have written: records that were written before may differ since.
    pub(crate) fn writing_hooks(&self) -> u64 {
        self.writing_hooks.load(Ordering::Relaxed)
    }

    /// Counts a call of a hook that began after this number of writes; whether it may have written.
    pub(crate) fn count_hook(&self, writes: u64) -> bool {
        let has_written = self.writes() != writes;
        if has_written {
            self.writing_hooks.fetch_add(1, Ordering::Relaxed);
        }
        has_written
    }

    /// Whether triggers of the table of a resource that was written may have changed other records.
    pub(crate) async fn has_triggers(&self, resource: &'static Descriptor) -> bool {
        match &*self.state.lock().await {
            State::Open(open) => open.transaction.has_triggers(resource),
            State::Ended(_) => false,
        }
    }

    /// The tenant that the transaction belongs to, where the service is sharded.
    pub(crate) async fn tenant(&self) -> Option<String> {
        match &*self.state.lock().await {
            State::Open(open) => open.transaction.tenant(),
            State::Ended(_) => None,
        }
    }

    /// Binds the transaction to this tenant, where the service is sharded.
    ///
    /// # Errors
    /// [`AdapterError::OtherTenant`] where the transaction belongs to another one.
    pub(crate) async fn bind(&self, tenant: &Value) -> Result<(), AdapterError> {
        match &mut *self.state.lock().await {
            State::Open(open) => open.transaction.bind(tenant),
            State::Ended(_) => Ok(()),
        }
    }

    fn count_write(&self) {
        self.writes.fetch_add(1, Ordering::Relaxed);
    }

    /// Rolls the transaction back, unless it has ended.
    pub(crate) async fn roll_back(&self) -> Result<(), AdapterError> {
        let mut open = self.open().await?;
        let call = timeout_at(self.deadline, open.transaction()?.rollback()).await;
        open.finish_as(call, End::RolledBack)
    }

    /// Rolls the transaction back without waiting for storage.
    pub(crate) fn abandon(self: &Arc<Self>) {
        let shared = self.clone();
        match self.state.try_lock() {
            Ok(mut state) => state.end(End::RolledBack),
            // A call of the transaction runs in another task.
            Err(_) => drop(tokio::spawn(async move { shared.state.lock().await.end(End::RolledBack) })),
        }
    }

    pub(crate) async fn savepoint(&self) -> Result<(), AdapterError> {
        call!(self.savepoint())?;
        self.after_commit_calls().savepoint();
        self.watched().savepoint();
        Ok(())
    }

    pub(crate) async fn release(&self) -> Result<(), AdapterError> {
        call!(self.release())?;
        self.after_commit_calls().release();
        self.watched().release();
        Ok(())
    }

    pub(crate) async fn rollback_to(&self) -> Result<(), AdapterError> {
        call!(self.rollback_to())?;
        self.after_commit_calls().rollback_to();
        self.watched().rollback_to();
        Ok(())
    }

    /// Reads a record, of a tenant where one is stated, and locks it.
    pub(crate) async fn lock(
        &self,
        resource: &'static Descriptor,
        id: &Key,
        tenant: Option<&Value>,
        sink: &mut dyn RowSink,
    ) -> Result<bool, AdapterError> {
        call!(self.get(resource, id, tenant, true, sink))
    }

    /// Reads records and locks them.
    pub(crate) async fn list_locked(
        &self,
        resource: &'static Descriptor,
        query: &ListQuery,
        sink: &mut dyn RowSink,
    ) -> Result<(), AdapterError> {
        call!(self.list(resource, query, true, sink))
    }

    pub(super) async fn execute(&self, statement: RawStatement) -> Result<u64, AdapterError> {
        self.count_write();
        call!(self.execute(statement))
    }

    pub(super) async fn fetch(
        &self,
        statement: RawStatement,
        columns: &[ColumnType],
        sink: &mut dyn RowSink,
    ) -> Result<(), AdapterError> {
        self.count_write();
        call!(self.fetch(statement, columns, sink))
    }

    /// Lends the driver's connection, until what this returns is dropped.
    #[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite-pool"))]
    pub(super) async fn lend(&self) -> Result<Lent<'_>, AdapterError> {
        self.count_write();
        let mut open = self.open().await?;
        if let State::Open(open) = &mut *open.0 {
            open.is_unsure = true;
        }
        Ok(Lent(open))
    }

    /// Begins a call.
    async fn open(&self) -> Result<Call<'_>, AdapterError> {
        // Another task may hold the connection, which the deadline does not take away.
        let state = timeout_at(self.deadline, self.state.lock()).await;
        let mut state = state.map_err(|_| AdapterError::Timeout)?;
        match &mut *state {
            State::Ended(end) => return Err(end.error()),
            // The outcome of a cancelled call is unknown.
            State::Open(open) if open.is_busy => state.end(End::RolledBack),
            State::Open(open) => {
                open.is_busy = true;
                return Ok(Call(state));
            }
        }
        Err(AdapterError::Other("an earlier call of the transaction was cancelled".into()))
    }
}

impl State {
    /// Drops the transaction, which rolls it back.
    fn end(&mut self, end: End) {
        if matches!(self, Self::Open(_)) {
            *self = Self::Ended(end);
        }
    }
}

/// A call of a transaction.
struct Call<'a>(MutexGuard<'a, State>);

impl Call<'_> {
    fn transaction(&mut self) -> Result<&mut dyn Transaction, AdapterError> {
        match &mut *self.0 {
            State::Open(open) => Ok(&mut *open.transaction),
            State::Ended(end) => Err(end.error()),
        }
    }

    /// Ends the last call of a transaction; unless the call fails, the transaction ends with `end`.
    fn finish_as(mut self, call: Result<Result<(), AdapterError>, Elapsed>, end: End) -> Result<(), AdapterError> {
        let result = self.end(call);
        self.0.end(if result.is_ok() { end } else { End::RolledBack });
        result
    }

    /// Ends a call, and also the transaction if the error has ended it.
    fn end<T>(&mut self, call: Result<Result<T, AdapterError>, Elapsed>) -> Result<T, AdapterError> {
        let result = call.unwrap_or_else(|_| {
            self.0.end(End::TimedOut);
            Err(AdapterError::Timeout)
        });
        if let State::Open(open) = &mut *self.0 {
            open.is_busy = false;
            if let Err(error) = &result {
                // Statements with these errors were not sent.
                let is_sent = !matches!(error, AdapterError::Unsupported { .. } | AdapterError::OtherTenant { .. });
                open.is_unsure |= is_sent;
                if open.transaction.is_conflict(error) {
                    self.0.end(End::Conflict);
                }
            }
        }
        result
    }
}

/// The connection of a transaction, which waits until it is returned.
#[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite-pool"))]
pub(super) struct Lent<'a>(Call<'a>);

#[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite-pool"))]
impl Lent<'_> {
    /// The connection, if it has this type.
    pub(super) fn connection<C: 'static>(&mut self) -> Option<&mut C> {
        self.0.transaction().ok()?.connection()?.downcast_mut()
    }
}

#[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite-pool"))]
impl Drop for Lent<'_> {
    fn drop(&mut self) {
        // The driver ends an abandoned statement before the next one on the connection.
        if let State::Open(open) = &mut *self.0.0 {
            open.is_busy = false;
        }
    }
}

async fn roll_back_at(deadline: Instant, transaction: Weak<SharedTransaction>) {
    sleep_until(deadline).await;
    if let Some(transaction) = transaction.upgrade() {
        transaction.state.lock().await.end(End::TimedOut);
    }
}

impl Adapter for SharedTransaction {
    fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    fn ping(&self) -> AdapterFuture<'_, ()> {
        Box::pin(ready(Ok(())))
    }

    fn list<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, ()> {
        Box::pin(async move { call!(self.list(resource, query, false, sink)) })
    }

    fn count<'a>(&'a self, resource: &'static Descriptor, filter: &'a Predicate) -> AdapterFuture<'a, u64> {
        Box::pin(async move { call!(self.count(resource, filter)) })
    }

    fn count_up_to<'a>(
        &'a self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
        limit: u64,
    ) -> AdapterFuture<'a, u64> {
        Box::pin(async move { call!(self.count_up_to(resource, filter, limit)) })
    }

    fn page<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        count: Count,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, Option<Total>> {
        Box::pin(async move { call!(self.page(resource, query, count, sink)) })
    }

    fn aggregate<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a AggregateQuery,
    ) -> AdapterFuture<'a, Vec<Group>> {
        Box::pin(async move { call!(self.aggregate(resource, query)) })
    }

    fn get<'a>(
        &'a self,
        resource: &'static Descriptor,
        id: &'a Key,
        tenant: Option<&'a Value>,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, bool> {
        Box::pin(async move { call!(self.get(resource, id, tenant, false, sink)) })
    }

    fn write<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> AdapterFuture<'a, Vec<Outcome>> {
        self.count_write();
        Box::pin(async move {
            if !self.watched().has_any(resource) {
                return call!(self.write(resource, write, sink));
            }
            let mut sink = NotingSink { resource, sink, kept: Vec::new() };
            let outcomes = call!(self.write(resource, write, &mut sink))?;
            let mut watched = self.watched();
            sink.kept.into_iter().for_each(|(key, record)| watched.note(resource, &key, record));
            Ok(outcomes)
        })
    }

    fn write_where<'a>(&'a self, resource: &'static Descriptor, write: WriteWhere<'a>) -> AdapterFuture<'a, u64> {
        self.count_write();
        Box::pin(async move { call!(self.write_where(resource, write)) })
    }

    fn begin(&self) -> AdapterFuture<'_, Box<dyn Transaction>> {
        Box::pin(ready(Err(NO_TRANSACTIONS)))
    }
}

const NO_TRANSACTIONS: AdapterError = AdapterError::Unsupported { what: "a transaction within a transaction" };

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::recording::{Recording, call_all, methods, transaction_methods};

    #[tokio::test]
    async fn calls_that_a_transaction_has_are_passed_to_it_and_no_other() {
        let recording = Recording::new();
        let shared = SharedTransaction::start(&*recording, false, None, Duration::from_mins(1)).await.unwrap();
        recording.calls();
        call_all(&*shared).await;
        let own = transaction_methods().await;
        let in_both = methods().await.into_iter().filter(|method| own.contains(method));
        assert_eq!(recording.calls(), in_both.collect::<Vec<_>>());
    }
}
