//! [`Recording`]: an adapter that records the names of its calls, for the tests of adapters around another one.

use std::any::Any;
use std::collections::VecDeque;
use std::mem::take;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::adapter::{Adapter, AdapterFuture, BoxFuture};
use super::administration::Administration;
use super::capabilities::Capabilities;
use super::migrate_error::MigrateError;
use super::position::Position;
use super::schema::Difference;
use super::session_variables::SessionVariables;
use super::transaction::{RawStatement, Transaction};
use super::write::{Outcome, Work, WorkWhere, Write, WriteSink, WriteWhere};
use crate::model::adapter_error::AdapterError;
use crate::model::column::ColumnType;
use crate::model::descriptor::{Count, Descriptor};
use crate::model::key::Key;
use crate::model::row::{Row, RowSink};
use crate::model::value::Value;
use crate::prelude::*;
use crate::query::{AggregateQuery, Group, ListQuery, Predicate, Total};

#[derive(Resource)]
struct Note {
    id: i64,
}

/// An adapter without records, and its transactions.
#[derive(Debug, Default)]
pub(crate) struct Recording(Calls, Mutex<VecDeque<Compared>>);

/// Result of a comparison.
type Compared = Result<Vec<Difference>, AdapterError>;

type Calls = Arc<Mutex<Vec<&'static str>>>;

impl Recording {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    /// An adapter whose comparisons have these results, one after another.
    pub(crate) fn comparing(results: impl IntoIterator<Item = Compared>) -> Self {
        Self(Calls::default(), Mutex::new(results.into_iter().collect()))
    }

    /// An adapter with the same record.
    fn again(&self) -> Self {
        Self(self.0.clone(), Mutex::default())
    }

    /// The names of the methods that were called, also of transactions, since the last call of this.
    pub(crate) fn calls(&self) -> Vec<&'static str> {
        take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The names of the methods of [`Adapter`], in the order of [`call_all`].
pub(crate) async fn methods() -> Vec<&'static str> {
    let recording = Recording::new();
    call_all(&*recording).await;
    recording.calls()
}

/// The names of the methods of [`Transaction`], in the order of [`call_all_in`].
pub(crate) async fn transaction_methods() -> Vec<&'static str> {
    let mut recording = Recording::default();
    call_all_in(&mut recording).await;
    recording.calls()
}

fn record<'a, T: Send + 'a, E: Send + 'a>(calls: &Calls, name: &'static str, result: T) -> BoxFuture<'a, Result<T, E>> {
    note(calls, name);
    Box::pin(std::future::ready(Ok(result)))
}

fn note(calls: &Calls, name: &'static str) {
    calls.lock().unwrap_or_else(PoisonError::into_inner).push(name);
}

/// A sink that ignores its records.
struct Ignored;

impl RowSink for Ignored {
    fn row(&mut self, _: &dyn Row) -> Result<(), AdapterError> {
        Ok(())
    }
}

impl WriteSink for Ignored {
    fn record(&mut self, _: usize, _: &dyn Row) -> Result<(), AdapterError> {
        Ok(())
    }
}

/// Calls every method once, in order, and ignores the results.
pub(crate) async fn call_all(adapter: &dyn Adapter) {
    let (note, query, filter, id) =
        (Note::DESCRIPTOR, ListQuery::all(Note::DESCRIPTOR), Predicate::All, Key::from(Value::Int(1)));
    adapter.capabilities();
    let _ = adapter.ping().await;
    let _ = adapter.list(note, &query, &mut Ignored).await;
    let _ = adapter.count(note, &filter).await;
    let _ = adapter.count_up_to(note, &filter, 1).await;
    let _ = adapter.page(note, &query, Count::Exact, &mut Ignored).await;
    let _ = adapter.aggregate(note, &AggregateQuery::new(Predicate::All, 1)).await;
    let _ = adapter.get(note, &id, None, &mut Ignored).await;
    let _ = adapter.write(note, Write::atomic(Work::Insert(&[]), None), &mut Ignored).await;
    let _ = adapter.write_where(note, WriteWhere::new(WorkWhere::Purge, &filter, None)).await;
    let _ = adapter.begin().await;
    let _ = adapter.begin_short().await;
    let _ = adapter.session(&Arc::default());
    let _ = adapter.position().await;
}

/// Calls every method of a transaction once, in order.
pub(crate) async fn call_all_in(transaction: &mut dyn Transaction) {
    let (note, query, filter, id) =
        (Note::DESCRIPTOR, ListQuery::all(Note::DESCRIPTOR), Predicate::All, Key::from(Value::Int(1)));
    let _ = transaction.list(note, &query, false, &mut Ignored).await;
    let _ = transaction.count(note, &filter).await;
    let _ = transaction.count_up_to(note, &filter, 1).await;
    let _ = transaction.page(note, &query, Count::Exact, &mut Ignored).await;
    let _ = transaction.aggregate(note, &AggregateQuery::new(Predicate::All, 1)).await;
    let _ = transaction.get(note, &id, None, false, &mut Ignored).await;
    let _ = transaction.write(note, Write::atomic(Work::Insert(&[]), None), &mut Ignored).await;
    let _ = transaction.write_where(note, WriteWhere::new(WorkWhere::Purge, &filter, None)).await;
    let _ = transaction.has_triggers(note);
    let _ = transaction.tenant();
    let _ = transaction.bind(&Value::Int(1));
    let _ = transaction.savepoint().await;
    let _ = transaction.release().await;
    let _ = transaction.rollback_to().await;
    let _ = transaction.execute(RawStatement::new("")).await;
    let _ = transaction.fetch(RawStatement::new(""), &[], &mut Ignored).await;
    let _ = transaction.connection();
    let _ = transaction.is_conflict(&AdapterError::Timeout);
    let _ = transaction.commit().await;
    let _ = transaction.rollback().await;
}

impl Adapter for Recording {
    fn capabilities(&self) -> Capabilities {
        note(&self.0, "capabilities");
        Capabilities::new().with_views()
    }

    fn ping(&self) -> AdapterFuture<'_, ()> {
        record(&self.0, "ping", ())
    }

    fn list<'a>(&'a self, _: &'static Descriptor, _: &'a ListQuery, _: &'a mut dyn RowSink) -> AdapterFuture<'a, ()> {
        record(&self.0, "list", ())
    }

    fn count<'a>(&'a self, _: &'static Descriptor, _: &'a Predicate) -> AdapterFuture<'a, u64> {
        record(&self.0, "count", 0)
    }

    fn count_up_to<'a>(&'a self, _: &'static Descriptor, _: &'a Predicate, _: u64) -> AdapterFuture<'a, u64> {
        record(&self.0, "count_up_to", 0)
    }

    fn aggregate<'a>(&'a self, _: &'static Descriptor, _: &'a AggregateQuery) -> AdapterFuture<'a, Vec<Group>> {
        record(&self.0, "aggregate", Vec::new())
    }

    fn page<'a>(
        &'a self,
        _: &'static Descriptor,
        _: &'a ListQuery,
        _: Count,
        _: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, Option<Total>> {
        record(&self.0, "page", None)
    }

    fn get<'a>(
        &'a self,
        _: &'static Descriptor,
        _: &'a Key,
        _: Option<&'a Value>,
        _: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, bool> {
        record(&self.0, "get", false)
    }

    fn write<'a>(
        &'a self,
        _: &'static Descriptor,
        _: Write<'a>,
        _: &'a mut dyn WriteSink,
    ) -> AdapterFuture<'a, Vec<Outcome>> {
        record(&self.0, "write", Vec::new())
    }

    fn write_where<'a>(&'a self, _: &'static Descriptor, _: WriteWhere<'a>) -> AdapterFuture<'a, u64> {
        record(&self.0, "write_where", 0)
    }

    fn begin(&self) -> AdapterFuture<'_, Box<dyn Transaction>> {
        record(&self.0, "begin", Box::new(self.again()) as Box<dyn Transaction>)
    }

    fn begin_short(&self) -> AdapterFuture<'_, Box<dyn Transaction>> {
        record(&self.0, "begin_short", Box::new(self.again()) as Box<dyn Transaction>)
    }

    fn session(&self, _: &Arc<SessionVariables>) -> Option<Arc<dyn Adapter>> {
        note(&self.0, "session");
        None
    }

    fn position(&self) -> AdapterFuture<'_, Option<Position>> {
        record(&self.0, "position", None)
    }
}

impl Administration for Recording {
    fn migrate<'a>(&'a self, _: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<(), MigrateError>> {
        record(&self.0, "migrate", ())
    }

    fn plan<'a>(&'a self, _: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<Vec<String>, MigrateError>> {
        record(&self.0, "plan", Vec::new())
    }

    fn compare<'a>(&'a self, _: &'a [&'static Descriptor]) -> AdapterFuture<'a, Vec<Difference>> {
        note(&self.0, "compare");
        let result = self.1.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        Box::pin(std::future::ready(result.unwrap_or_else(|| Ok(Vec::new()))))
    }

    fn set_time_limit(&self, _: Duration) {}
}

impl Transaction for Recording {
    fn list<'a>(
        &'a mut self,
        _: &'static Descriptor,
        _: &'a ListQuery,
        _: bool,
        _: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, ()> {
        record(&self.0, "list", ())
    }

    fn count<'a>(&'a mut self, _: &'static Descriptor, _: &'a Predicate) -> AdapterFuture<'a, u64> {
        record(&self.0, "count", 0)
    }

    fn count_up_to<'a>(&'a mut self, _: &'static Descriptor, _: &'a Predicate, _: u64) -> AdapterFuture<'a, u64> {
        record(&self.0, "count_up_to", 0)
    }

    fn page<'a>(
        &'a mut self,
        _: &'static Descriptor,
        _: &'a ListQuery,
        _: Count,
        _: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, Option<Total>> {
        record(&self.0, "page", None)
    }

    fn aggregate<'a>(&'a mut self, _: &'static Descriptor, _: &'a AggregateQuery) -> AdapterFuture<'a, Vec<Group>> {
        record(&self.0, "aggregate", Vec::new())
    }

    fn get<'a>(
        &'a mut self,
        _: &'static Descriptor,
        _: &'a Key,
        _: Option<&'a Value>,
        _: bool,
        _: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, bool> {
        record(&self.0, "get", false)
    }

    fn write<'a>(
        &'a mut self,
        _: &'static Descriptor,
        _: Write<'a>,
        _: &'a mut dyn WriteSink,
    ) -> AdapterFuture<'a, Vec<Outcome>> {
        record(&self.0, "write", Vec::new())
    }

    fn write_where<'a>(&'a mut self, _: &'static Descriptor, _: WriteWhere<'a>) -> AdapterFuture<'a, u64> {
        record(&self.0, "write_where", 0)
    }

    fn has_triggers(&self, _: &'static Descriptor) -> bool {
        note(&self.0, "has_triggers");
        false
    }

    fn tenant(&self) -> Option<String> {
        note(&self.0, "tenant");
        None
    }

    fn bind(&mut self, _: &Value) -> Result<(), AdapterError> {
        note(&self.0, "bind");
        Ok(())
    }

    fn savepoint(&mut self) -> AdapterFuture<'_, ()> {
        record(&self.0, "savepoint", ())
    }

    fn release(&mut self) -> AdapterFuture<'_, ()> {
        record(&self.0, "release", ())
    }

    fn rollback_to(&mut self) -> AdapterFuture<'_, ()> {
        record(&self.0, "rollback_to", ())
    }

    fn execute(&mut self, _: RawStatement) -> AdapterFuture<'_, u64> {
        record(&self.0, "execute", 0)
    }

    fn fetch<'a>(&'a mut self, _: RawStatement, _: &'a [ColumnType], _: &'a mut dyn RowSink) -> AdapterFuture<'a, ()> {
        record(&self.0, "fetch", ())
    }

    fn connection(&mut self) -> Option<&mut (dyn Any + Send)> {
        note(&self.0, "connection");
        None
    }

    fn is_conflict(&self, _: &AdapterError) -> bool {
        note(&self.0, "is_conflict");
        false
    }

    fn commit(&mut self) -> AdapterFuture<'_, ()> {
        record(&self.0, "commit", ())
    }

    fn rollback(&mut self) -> AdapterFuture<'_, ()> {
        record(&self.0, "rollback", ())
    }
}
