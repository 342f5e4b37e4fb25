//! [`Observed`]: an adapter whose calls are spans of `tracing`, or are timed.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
#[cfg(feature = "metrics")]
use std::time::Instant;

use tracing::Instrument;

use super::adapter::{Adapter, AdapterFuture, BoxFuture};
use super::capabilities::Capabilities;
use super::facts::TableFacts;
use super::forwarded::forwarded_items;
use super::index_use::IndexUse;
use super::migrate_error::MigrateError;
use super::migrations::Migrations;
use super::position::Position;
use super::rights::Rights;
use super::schema::Difference;
use super::session_variables::SessionVariables;
use super::status::StorageStatus;
use super::substitutes::Substitutes;
use super::transaction::{RawStatement, Transaction};
use super::transfer::Transfer;
use super::unchanged::UnchangedRecords;
use super::unused_table::UnusedTable;
use super::watched_writes::WatchedWrites;
use super::write::{Outcome, Work, WorkWhere, Write, WriteSink, WriteWhere};
use crate::model::adapter_error::AdapterError;
use crate::model::column::ColumnType;
use crate::model::descriptor::{Count, Descriptor};
use crate::model::key::Key;
use crate::model::row::{Row, RowSink};
use crate::model::stored_value::stored_value;
use crate::model::value::Value;
use crate::query::{AggregateQuery, Group, GroupKey, InSubquery, ListQuery, Predicate, Total};

/// Takes the time of a call by its name, such as `list`.
#[cfg(feature = "metrics")]
pub(crate) type Observe = Arc<dyn Fn(&'static str, Duration) + Send + Sync>;

/// Observation around each call.
#[derive(Clone)]
enum Around {
    Span,
    Reads(Arc<dyn ReadObserver>),
    #[cfg(feature = "metrics")]
    Time(Observe),
}

/// Observer of a column of the records that calls read, also of those that aggregates, counts and the totals of pages are of,
/// that conditions on other records are on and orders are by, and that updates return without a change. Reads in transactions
/// are not reported.
pub(crate) trait ReadObserver: Send + Sync {
    /// The column that is reported; none of a resource whose reads are not.
    fn column(&self, resource: &'static Descriptor) -> Option<usize>;

    /// Takes a value of the column.
    fn value(&self, resource: &'static Descriptor, value: &Value);

    /// Ends a call: its result is returned when this has.
    ///
    /// # Errors
    /// The error of the call.
    fn end(&self) -> AdapterFuture<'_, ()>;
}

/// An observer whose calls do not end: that of reads in a transaction, which may have the only connection that writes. The
/// request ends them after the transaction.
pub(crate) struct Unended(pub(crate) Arc<dyn ReadObserver>);

impl ReadObserver for Unended {
    fn column(&self, resource: &'static Descriptor) -> Option<usize> {
        self.0.column(resource)
    }

    fn value(&self, resource: &'static Descriptor, value: &Value) {
        self.0.value(resource, value);
    }

    fn end(&self) -> AdapterFuture<'_, ()> {
        Box::pin(std::future::ready(Ok(())))
    }
}

/// A sink whose rows an observer takes too.
pub(crate) struct ReportingSink<'s> {
    resource: &'static Descriptor,
    column: Option<usize>,
    observer: &'s dyn ReadObserver,
    sink: &'s mut dyn RowSink,
    /// Number of the rows so far.
    rows: u64,
}

impl<'s> ReportingSink<'s> {
    pub(crate) fn new(
        resource: &'static Descriptor,
        observer: &'s dyn ReadObserver,
        sink: &'s mut dyn RowSink,
    ) -> Self {
        Self { resource, column: observer.column(resource), observer, sink, rows: 0 }
    }
}

impl RowSink for ReportingSink<'_> {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        if let Some(column) = self.column {
            self.observer.value(self.resource, &stored_value(self.resource, column, row)?);
        }
        self.rows += 1;
        self.sink.row(row)
    }
}

/// Reports the values of the observed column in the records that an aggregate or a count is of.
async fn report_groups(
    adapter: &dyn Adapter,
    observer: &dyn ReadObserver,
    resource: &'static Descriptor,
    filter: &Predicate,
) -> Result<(), AdapterError> {
    let Some(column) = observer.column(resource) else { return Ok(()) };
    let query = AggregateQuery::new(filter.clone(), u64::from(u32::MAX)).group_by(GroupKey::new(column));
    for group in adapter.aggregate(resource, &query).await? {
        group.keys.iter().for_each(|value| observer.value(resource, value));
    }
    observer.end().await
}

/// Reports the values of the observed columns in the records of other resources that the conditions of a filter are on.
pub(crate) async fn report_selects(
    adapter: &dyn Adapter,
    observer: &dyn ReadObserver,
    resource: &'static Descriptor,
    filter: &Predicate,
) -> Result<(), AdapterError> {
    let mut selected = Vec::new();
    add_selected(resource, filter, &Predicate::All, &mut selected);
    for (other, filter) in selected {
        report_groups(adapter, observer, other, &filter).await?;
    }
    Ok(())
}

/// Reports the values of the observed columns in the records of other resources by whose fields a list is sorted: those that
/// its records refer to.
async fn report_joined(
    adapter: &dyn Adapter,
    observer: &dyn ReadObserver,
    resource: &'static Descriptor,
    query: &ListQuery,
) -> Result<(), AdapterError> {
    for joined in &query.joined {
        let Some(reference) = resource.columns[joined.reference].references else { continue };
        let columns = reference.pairs(joined.reference).into_iter().map(|(own, key)| (key, own)).collect();
        let listed = InSubquery { columns, resource, filter: of_columns(&query.filter) };
        let filter = joined.filter.clone().and(Predicate::InSubquery(Box::new(listed)));
        report_groups(adapter, observer, joined.resource, &filter).await?;
    }
    Ok(())
}

/// The part of a predicate that compares columns with values.
fn of_columns(predicate: &Predicate) -> Predicate {
    match predicate {
        Predicate::And(terms) => {
            terms.iter().filter(|term| is_of_columns(term)).cloned().fold(Predicate::All, Predicate::and)
        }
        term if is_of_columns(term) => term.clone(),
        _ => Predicate::All,
    }
}

/// Adds the conditions on the records of other resources that a predicate has, and those inside of them. They are on records
/// that belong to ones that satisfy `around`:
///
/// ```text
/// shop_id = 2 AND id IN (SELECT ticket_id FROM comments WHERE text = 'x')
/// comments:       text = 'x' AND ticket_id IN (SELECT id FROM tickets WHERE shop_id = 2)
/// ```
fn add_selected(
    resource: &'static Descriptor,
    predicate: &Predicate,
    around: &Predicate,
    selected: &mut Vec<(&'static Descriptor, Predicate)>,
) {
    match predicate {
        Predicate::InSubquery(select) => {
            let of_around = match around {
                Predicate::All => Predicate::All,
                around => {
                    let columns = select.columns.iter().map(|(own, other)| (*other, *own)).collect();
                    let filter = around.clone();
                    Predicate::InSubquery(Box::new(InSubquery { columns, resource, filter }))
                }
            };
            selected.push((select.resource, select.filter.clone().and(of_around.clone())));
            add_selected(select.resource, &select.filter, &of_around, selected);
        }
        Predicate::And(terms) => {
            let around = terms.iter().filter(|term| is_of_columns(term)).cloned().fold(around.clone(), Predicate::and);
            for term in terms {
                add_selected(resource, term, &around, selected);
            }
        }
        Predicate::Or(terms) => {
            for term in terms {
                add_selected(resource, term, around, selected);
            }
        }
        Predicate::Not(inner) => add_selected(resource, inner, around, selected),
        _ => {}
    }
}

/// Whether a predicate compares a column with values.
const fn is_of_columns(predicate: &Predicate) -> bool {
    matches!(
        predicate,
        Predicate::Compare { .. } | Predicate::In { .. } | Predicate::Like { .. } | Predicate::IsNull { .. }
    )
}

/// An adapter with something around each call.
pub(crate) struct Observed {
    adapter: Arc<dyn Adapter>,
    substitutes: Arc<Substitutes>,
    watched: Arc<WatchedWrites>,
    around: Around,
}

impl Observed {
    /// Makes calls, also those of transactions, spans named `storage`, at the level `DEBUG`, with `call` and `resource`.
    ///
    /// Where no subscriber takes them, a call costs the check of that and nothing else. Storage gets the substitutes of
    /// descriptions.
    pub(crate) fn traced(adapter: Arc<dyn Adapter>, substitutes: Arc<Substitutes>) -> Self {
        Self { adapter, substitutes, watched: Arc::default(), around: Around::Span }
    }

    /// Notes the writes to a watched table.
    pub(crate) fn watching(self, watched: Arc<WatchedWrites>) -> Self {
        Self { watched, ..self }
    }

    /// Reports the rows that are read to an observer, each call's before its result is returned.
    pub(crate) fn reporting(adapter: Arc<dyn Adapter>, observer: Arc<dyn ReadObserver>) -> Self {
        Self { adapter, substitutes: Arc::default(), watched: Arc::default(), around: Around::Reads(observer) }
    }

    /// Times the calls, but not those of transactions. The time of a call has the wait for a connection, and that of a list
    /// what becomes of its records.
    #[cfg(feature = "metrics")]
    pub(crate) fn timed(adapter: Arc<dyn Adapter>, observe: Observe) -> Self {
        Self { adapter, substitutes: Arc::default(), watched: Arc::default(), around: Around::Time(observe) }
    }

    fn begun<'a>(&'a self, begin: AdapterFuture<'a, Box<dyn Transaction>>) -> AdapterFuture<'a, Box<dyn Transaction>> {
        let begun = self.call("begin", None, begin);
        if !matches!(self.around, Around::Span) {
            return begun;
        }
        let (substitutes, watched) = (self.substitutes.clone(), self.watched.clone());
        Box::pin(async move {
            let inner = begun.await?;
            let transaction = TracedTransaction { inner, substitutes, watched, concerns_watched: false };
            Ok(Box::new(transaction) as Box<dyn Transaction>)
        })
    }

    /// Changes the generation of the watched table at the end of a write that concerns it.
    fn noting<'a, T: Send + 'a>(&'a self, concerns: bool, write: BoxFuture<'a, T>) -> BoxFuture<'a, T> {
        if !concerns {
            return write;
        }
        Box::pin(async move {
            let _changed = self.watched.guard();
            write.await
        })
    }

    fn call<'a, T: Send + 'a>(
        &'a self,
        name: &'static str,
        resource: Option<&'static Descriptor>,
        future: BoxFuture<'a, T>,
    ) -> BoxFuture<'a, T> {
        match &self.around {
            Around::Span => traced(name, resource, future),
            Around::Reads(_) => future,
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

/// Whether changes remove records for good, which may remove or change others that refer to them.
const fn removes(work: Work<'_>) -> bool {
    matches!(work, Work::Delete(_) | Work::Purge(_))
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
    forwarded_items!(adapter);

    fn learn<'a>(&'a self, resources: &'a [&'static Descriptor]) -> AdapterFuture<'a, Vec<TableFacts>> {
        Box::pin(async move {
            let substitutes: Vec<_> = resources.iter().map(|resource| self.substitutes.of(resource)).collect();
            self.adapter.learn(&substitutes).await
        })
    }

    fn ping(&self) -> AdapterFuture<'_, ()> {
        self.call("ping", None, self.adapter.ping())
    }

    fn list<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, ()> {
        if let Around::Reads(observer) = &self.around {
            return Box::pin(async move {
                report_selects(&*self.adapter, &**observer, resource, &query.filter).await?;
                report_joined(&*self.adapter, &**observer, resource, query).await?;
                let mut sink = ReportingSink::new(resource, &**observer, sink);
                self.adapter.list(resource, query, &mut sink).await?;
                observer.end().await
            });
        }
        self.call("list", Some(resource), self.adapter.list(self.substitutes.of(resource), query, sink))
    }

    fn count<'a>(&'a self, resource: &'static Descriptor, filter: &'a Predicate) -> AdapterFuture<'a, u64> {
        if let Around::Reads(observer) = &self.around {
            return Box::pin(async move {
                report_selects(&*self.adapter, &**observer, resource, filter).await?;
                report_groups(&*self.adapter, &**observer, resource, filter).await?;
                self.adapter.count(resource, filter).await
            });
        }
        self.call("count", Some(resource), self.adapter.count(self.substitutes.of(resource), filter))
    }

    fn count_up_to<'a>(
        &'a self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
        limit: u64,
    ) -> AdapterFuture<'a, u64> {
        if let Around::Reads(observer) = &self.around {
            return Box::pin(async move {
                report_selects(&*self.adapter, &**observer, resource, filter).await?;
                report_groups(&*self.adapter, &**observer, resource, filter).await?;
                self.adapter.count_up_to(resource, filter, limit).await
            });
        }
        self.call("count", Some(resource), self.adapter.count_up_to(self.substitutes.of(resource), filter, limit))
    }

    fn aggregate<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a AggregateQuery,
    ) -> AdapterFuture<'a, Vec<Group>> {
        if let Around::Reads(observer) = &self.around {
            return Box::pin(async move {
                report_selects(&*self.adapter, &**observer, resource, &query.filter).await?;
                report_groups(&*self.adapter, &**observer, resource, &query.filter).await?;
                self.adapter.aggregate(resource, query).await
            });
        }
        self.call("aggregate", Some(resource), self.adapter.aggregate(self.substitutes.of(resource), query))
    }

    fn page<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        count: Count,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, Option<Total>> {
        if let Around::Reads(observer) = &self.around {
            return Box::pin(async move {
                report_selects(&*self.adapter, &**observer, resource, &query.filter).await?;
                report_joined(&*self.adapter, &**observer, resource, query).await?;
                let mut sink = ReportingSink::new(resource, &**observer, sink);
                let total = self.adapter.page(resource, query, count, &mut sink).await?;
                // A total tells of records that the page does not have.
                if total.as_ref().is_some_and(|total| total.number() > sink.rows) {
                    report_groups(&*self.adapter, &**observer, resource, &query.filter).await?;
                }
                observer.end().await.map(|()| total)
            });
        }
        self.call("page", Some(resource), self.adapter.page(self.substitutes.of(resource), query, count, sink))
    }

    fn get<'a>(
        &'a self,
        resource: &'static Descriptor,
        id: &'a Key,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, bool> {
        if let Around::Reads(observer) = &self.around {
            return Box::pin(async move {
                let mut sink = ReportingSink::new(resource, &**observer, sink);
                let found = self.adapter.get(resource, id, &mut sink).await?;
                observer.end().await.map(|()| found)
            });
        }
        self.call("get", Some(resource), self.adapter.get(self.substitutes.of(resource), id, sink))
    }

    fn write<'a>(
        &'a self,
        resource: &'static Descriptor,
        mut write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> AdapterFuture<'a, Vec<Outcome>> {
        if let Around::Reads(observer) = &self.around
            && let Work::Update(updates) = write.work
        {
            return Box::pin(async move {
                let mut unchanged = UnchangedRecords::new(resource, &**observer, sink);
                let updates = unchanged.guarding(updates);
                let mut write = write;
                write.work = Work::Update(&updates);
                write.recorder = write.recorder.map(|recorder| unchanged.noting(recorder));
                let outcomes = self.adapter.write(resource, write, &mut unchanged).await?;
                unchanged.report();
                observer.end().await.map(|()| outcomes)
            });
        }
        write.recorder = self.substitutes.recorder(write.recorder);
        let concerns = self.watched.concern(resource, removes(write.work));
        let written = self.adapter.write(self.substitutes.of(resource), write, sink);
        self.noting(concerns, self.call("write", Some(resource), written))
    }

    fn write_where<'a>(&'a self, resource: &'static Descriptor, mut write: WriteWhere<'a>) -> AdapterFuture<'a, u64> {
        if let Around::Reads(observer) = &self.around {
            return Box::pin(async move {
                report_selects(&*self.adapter, &**observer, resource, write.filter).await?;
                self.adapter.write_where(resource, write).await
            });
        }
        write.recorder = self.substitutes.recorder(write.recorder);
        let concerns = self.watched.concern(resource, write.work == WorkWhere::Purge);
        let written = self.adapter.write_where(self.substitutes.of(resource), write);
        self.noting(concerns, self.call("write_where", Some(resource), written))
    }

    fn begin(&self) -> AdapterFuture<'_, Box<dyn Transaction>> {
        self.begun(self.adapter.begin())
    }

    fn begin_short(&self) -> AdapterFuture<'_, Box<dyn Transaction>> {
        self.begun(self.adapter.begin_short())
    }

    fn session(&self, variables: &Arc<SessionVariables>) -> Option<Arc<dyn Adapter>> {
        let adapter = self.adapter.session(variables)?;
        let (substitutes, watched) = (self.substitutes.clone(), self.watched.clone());
        Some(Arc::new(Self { adapter, substitutes, watched, around: self.around.clone() }))
    }
}

/// A transaction whose calls are spans as well.
struct TracedTransaction {
    inner: Box<dyn Transaction>,
    substitutes: Arc<Substitutes>,
    watched: Arc<WatchedWrites>,
    /// Whether it may have changed the watched table.
    concerns_watched: bool,
}

impl Transaction for TracedTransaction {
    fn list<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        lock: bool,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, ()> {
        traced("list", Some(resource), self.inner.list(self.substitutes.of(resource), query, lock, sink))
    }

    fn count<'a>(&'a mut self, resource: &'static Descriptor, filter: &'a Predicate) -> AdapterFuture<'a, u64> {
        traced("count", Some(resource), self.inner.count(self.substitutes.of(resource), filter))
    }

    fn count_up_to<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
        limit: u64,
    ) -> AdapterFuture<'a, u64> {
        traced("count", Some(resource), self.inner.count_up_to(self.substitutes.of(resource), filter, limit))
    }

    fn page<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        count: Count,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, Option<Total>> {
        traced("page", Some(resource), self.inner.page(self.substitutes.of(resource), query, count, sink))
    }

    fn aggregate<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        query: &'a AggregateQuery,
    ) -> AdapterFuture<'a, Vec<Group>> {
        traced("aggregate", Some(resource), self.inner.aggregate(self.substitutes.of(resource), query))
    }

    fn get<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        id: &'a Key,
        lock: bool,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, bool> {
        traced("get", Some(resource), self.inner.get(self.substitutes.of(resource), id, lock, sink))
    }

    fn write<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        mut write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> AdapterFuture<'a, Vec<Outcome>> {
        write.recorder = self.substitutes.recorder(write.recorder);
        self.concerns_watched |= self.watched.concern(resource, removes(write.work));
        traced("write", Some(resource), self.inner.write(self.substitutes.of(resource), write, sink))
    }

    fn write_where<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        mut write: WriteWhere<'a>,
    ) -> AdapterFuture<'a, u64> {
        write.recorder = self.substitutes.recorder(write.recorder);
        self.concerns_watched |= self.watched.concern(resource, write.work == WorkWhere::Purge);
        traced("write_where", Some(resource), self.inner.write_where(self.substitutes.of(resource), write))
    }

    fn has_triggers(&self, resource: &'static Descriptor) -> bool {
        self.inner.has_triggers(self.substitutes.of(resource))
    }

    fn savepoint(&mut self) -> AdapterFuture<'_, ()> {
        self.inner.savepoint()
    }

    fn release(&mut self) -> AdapterFuture<'_, ()> {
        self.inner.release()
    }

    fn rollback_to(&mut self) -> AdapterFuture<'_, ()> {
        self.inner.rollback_to()
    }

    fn execute(&mut self, statement: RawStatement) -> AdapterFuture<'_, u64> {
        // A statement of the program's may be on any table.
        self.concerns_watched |= self.watched.is_used();
        traced("execute", None, self.inner.execute(statement))
    }

    fn fetch<'a>(
        &'a mut self,
        statement: RawStatement,
        columns: &'a [ColumnType],
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, ()> {
        self.concerns_watched |= self.watched.is_used();
        traced("fetch", None, self.inner.fetch(statement, columns, sink))
    }

    fn connection(&mut self) -> Option<&mut (dyn Any + Send)> {
        self.concerns_watched |= self.watched.is_used();
        self.inner.connection()
    }

    fn is_conflict(&self, error: &AdapterError) -> bool {
        self.inner.is_conflict(error)
    }

    fn commit(&mut self) -> AdapterFuture<'_, ()> {
        if !self.concerns_watched {
            return traced("commit", None, self.inner.commit());
        }
        let Self { inner, watched, .. } = self;
        Box::pin(async move {
            let _changed = watched.guard();
            traced("commit", None, inner.commit()).await
        })
    }

    fn rollback(&mut self) -> AdapterFuture<'_, ()> {
        traced("rollback", None, self.inner.rollback())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::recording::{Recording, call_all, call_all_in, methods, transaction_methods};

    #[tokio::test]
    async fn every_call_is_passed_on() {
        let recording = Recording::new();
        let traced = Observed::traced(recording.clone(), Arc::default());
        call_all(&traced).await;
        assert_eq!(recording.calls(), methods());
        let mut transaction = traced.begin().await.unwrap();
        recording.calls();
        call_all_in(&mut *transaction).await;
        assert_eq!(recording.calls(), transaction_methods());
    }

    /// Observes nothing.
    struct Idle;

    impl ReadObserver for Idle {
        fn column(&self, _: &'static Descriptor) -> Option<usize> {
            None
        }

        fn value(&self, _: &'static Descriptor, _: &Value) {}

        fn end(&self) -> AdapterFuture<'_, ()> {
            Box::pin(std::future::ready(Ok(())))
        }
    }

    #[tokio::test]
    async fn every_call_that_is_reported_is_passed_on() {
        let recording = Recording::new();
        call_all(&Observed::reporting(recording.clone(), Arc::new(Idle))).await;
        assert_eq!(recording.calls(), methods());
    }

    #[cfg(feature = "metrics")]
    #[tokio::test]
    async fn every_call_that_is_timed_is_passed_on() {
        let recording = Recording::new();
        call_all(&Observed::timed(recording.clone(), Arc::new(|_, _| {}))).await;
        assert_eq!(recording.calls(), methods());
    }
}
