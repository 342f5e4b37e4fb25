//! [`SqlTransaction`]: a transaction of several calls on one connection.

use std::any::Any;
use std::sync::Arc;

#[cfg(feature = "postgres")]
use super::connections::begin_on;
use super::connections::{Connections, number_of};
use super::dialect::{Dialect, Lock};
use super::driver::{Connection, DatabaseRow, Driver, Execution as _, Record};
use super::facts::Facts;
use super::long_lists::Pages;
use super::page_with_total::{has_subquery, page_with_total_on};
use super::replacement::Replacement;
use super::statement::{Sql, Statement, Text};
use super::statement::{aggregate as groups, select};
use super::write;
use crate::model::adapter_error::AdapterError;
use crate::model::column::ColumnType;
use crate::model::descriptor::{ColumnDescriptor, Count, Descriptor};
use crate::model::key::Key;
use crate::model::row::{Row, RowSink};
use crate::model::value::{Value, ValueRef, value_size};
use crate::query::{AggregateQuery, Group, ListQuery, Predicate, Total};
use crate::storage::adapter::AdapterFuture;
use crate::storage::transaction::{RawStatement, Transaction, list_and_count_in};
use crate::storage::write::{Outcome, Work, Write, WriteSink, WriteWhere};

/// Expected duration of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    /// The call reads or changes a few records, by their keys.
    Microseconds,
    /// The duration depends on the data, or the call waits for the disk.
    Long,
}

impl Takes {
    fn of(write: &Write<'_>) -> Self {
        /// A longer value takes more time to write.
        const MAX_BYTES: usize = 64 * 1024;
        let bytes: usize = match write.work {
            Work::Insert([record]) => record.iter().map(value_size).sum(),
            Work::Update([update]) => update.changes.iter().map(|(_, value)| value_size(value)).sum(),
            // A change of other kinds may also change records that refer to this one.
            _ => return Self::Long,
        };
        if bytes <= MAX_BYTES { Self::Microseconds } else { Self::Long }
    }
}

/// A transaction, which holds its connection until it ends.
pub(super) struct SqlTransaction<C: Connections> {
    /// `None` once the transaction has ended.
    lease: Option<C::Lease>,
    facts: Arc<Facts>,
}

impl<C: Connections> SqlTransaction<C> {
    /// Wraps the transaction that has begun on a connection.
    pub(super) fn new(lease: C::Lease, facts: &Arc<Facts>) -> Self {
        Self { lease: Some(lease), facts: facts.clone() }
    }

    /// Wraps the transaction that has begun on a connection, boxed for storage's interface.
    pub(super) fn boxed(lease: C::Lease, facts: &Arc<Facts>) -> Box<dyn Transaction> {
        Box::new(Self::new(lease, facts))
    }

    /// Begins a transaction with a first statement, on this connection.
    ///
    /// # Errors
    /// Errors of the database, after which the transaction is rolled back.
    #[cfg(feature = "postgres")]
    pub(super) async fn begin_with(
        lease: C::Lease,
        facts: &Arc<Facts>,
        first: Statement<C::Driver>,
    ) -> Result<Self, AdapterError> {
        let mut transaction = Self::new(begin_on::<C>(lease).await?, facts);
        let replacement = transaction.replacement();
        let connection = transaction.connection(Takes::Microseconds)?;
        replacement.read(async { C::Driver::all(connection, first).await.map_err(C::Driver::general) }).await?;
        Ok(transaction)
    }

    /// The replacement of the connection's server.
    fn replacement(&self) -> Replacement {
        self.lease.as_ref().map(C::replacement).unwrap_or_default()
    }

    async fn end(&mut self, keep: bool) -> Result<(), AdapterError> {
        C::end(self.lease.take().ok_or_else(has_ended)?, keep).await
    }

    /// Passes the records of a query to the sink.
    async fn records(
        &mut self,
        resource: &'static Descriptor,
        query: &ListQuery,
        lock: bool,
        sink: &mut dyn RowSink,
    ) -> Result<(), AdapterError> {
        let connection = self.connection(Takes::Long)?;
        let mut remaining = query.limit;
        for part in select::parts(resource, query) {
            let statement: Sql<C::Driver> = if lock {
                let mut statement = select::select_to_lock(resource, query, *part, remaining)?;
                statement.push(C::Driver::lock(Lock::Change));
                statement
            } else {
                select::select(resource, query, *part, remaining)?
            };
            let mut count = 0;
            let mut each = |row: &DatabaseRow<C::Driver>| {
                count += 1;
                sink.row(&Record::<C::Driver>::joined(resource, &query.joined, row))
            };
            C::Driver::each(connection, statement.finish(), &mut each).await?;
            remaining = remaining.map(|remaining| remaining.saturating_sub(count));
            if remaining == Some(0) {
                break;
            }
        }
        Ok(())
    }

    /// Number of matching records, up to a limit.
    async fn number(
        &mut self,
        resource: &'static Descriptor,
        filter: &Predicate,
        limit: Option<u64>,
    ) -> Result<u64, AdapterError> {
        let statement = select::count(resource, filter, limit)?.finish();
        let rows = C::Driver::all(self.connection(Takes::Long)?, statement).await.map_err(C::Driver::general)?;
        number_of::<C::Driver>(&rows)
    }

    /// The connection, for a call that may take long.
    pub(super) fn connection_for_long(&mut self) -> Result<&mut Connection<C::Driver>, AdapterError> {
        self.connection(Takes::Long)
    }

    /// The connection, for a call of this expected duration.
    fn connection(&mut self, takes: Takes) -> Result<&mut Connection<C::Driver>, AdapterError> {
        let connection = self.lease.as_deref_mut().ok_or_else(has_ended)?;
        C::Driver::expect_inline(connection, takes == Takes::Microseconds);
        Ok(connection)
    }
}

impl<C: Connections> Drop for SqlTransaction<C> {
    fn drop(&mut self) {
        // The connection rolls back before its next use.
        if let Some(mut lease) = self.lease.take() {
            C::Driver::start_rollback(&mut lease);
        }
    }
}

/// The error of a program's own statement. A column or table that the database lacks is the program's mistake.
fn of_program(error: AdapterError) -> AdapterError {
    match error {
        AdapterError::Unfit(source) => AdapterError::Other(source),
        error => error,
    }
}

impl<C: Connections> Transaction for SqlTransaction<C> {
    fn list<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        lock: bool,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, ()> {
        Box::pin(self.replacement().read(async move {
            let mut next = Pages::of(&self.facts, resource, query);
            if next.is_none() {
                return self.records(resource, query, lock, sink).await;
            }
            while let Some(pages) = next {
                let mut page = pages.sink(sink);
                self.records(resource, pages.query(), lock, &mut page).await?;
                let read = page.read();
                next = pages.after(read);
            }
            Ok(())
        }))
    }

    fn count<'a>(&'a mut self, resource: &'static Descriptor, filter: &'a Predicate) -> AdapterFuture<'a, u64> {
        Box::pin(self.replacement().read(self.number(resource, filter, None)))
    }

    fn count_up_to<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
        limit: u64,
    ) -> AdapterFuture<'a, u64> {
        Box::pin(self.replacement().read(self.number(resource, filter, Some(limit))))
    }

    fn page<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        count: Count,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, Option<Total>> {
        Box::pin(self.replacement().read(async move {
            if C::IS_REMOTE && !(self.facts.has_limited_reads() && has_subquery(&query.filter)) {
                // Each statement of a READ COMMITTED transaction has its own snapshot, so that one statement reads
                // both.
                let connection = self.connection(Takes::Long)?;
                let total = page_with_total_on::<C::Driver>(connection, resource, query, count, sink).await?;
                if total.is_some() {
                    return Ok(total);
                }
            }
            list_and_count_in(self, resource, query, count, sink).await
        }))
    }

    fn aggregate<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        query: &'a AggregateQuery,
    ) -> AdapterFuture<'a, Vec<Group>> {
        Box::pin(self.replacement().read(async move {
            let statement: Sql<C::Driver> = groups::aggregate(resource, query)?;
            let rows =
                C::Driver::all(self.connection(Takes::Long)?, statement.finish()).await.map_err(C::Driver::general)?;
            let found = rows.iter().map(|row| groups::group::<C::Driver>(resource, query, row));
            found.collect::<Result<Vec<Group>, AdapterError>>()
        }))
    }

    fn get<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        id: &'a Key,
        tenant: Option<&'a Value>,
        lock: bool,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, bool> {
        Box::pin(self.replacement().read(async move {
            let mut get = Sql::<C::Driver>::get(resource, id, tenant)?;
            if lock {
                get.push(C::Driver::lock(Lock::Change));
            }
            let rows = C::Driver::all(self.connection(Takes::Microseconds)?, get.finish())
                .await
                .map_err(C::Driver::general)?;
            match rows.first() {
                Some(row) => sink.row(&Record::<C::Driver>::new(resource, row)).map(|()| true),
                None => Ok(false),
            }
        }))
    }

    fn write<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> AdapterFuture<'a, Vec<Outcome>> {
        Box::pin(self.replacement().read(async move {
            if write.work.is_empty() {
                return Ok(Vec::new());
            }
            let facts = self.facts.clone();
            let connection = self.connection(Takes::of(&write))?;
            let effects = facts.on::<C::Driver>(connection, resource).await?;
            write::run::<C::Driver>(connection, resource, &write, effects).await?.emit(resource, &facts, sink)
        }))
    }

    fn write_where<'a>(&'a mut self, resource: &'static Descriptor, write: WriteWhere<'a>) -> AdapterFuture<'a, u64> {
        Box::pin(self.replacement().read(async move {
            let facts = self.facts.clone();
            let connection = self.connection(Takes::Long)?;
            let effects = facts.on::<C::Driver>(connection, resource).await?;
            let changed = write::run_where::<C::Driver>(connection, resource, &write, effects).await;
            changed.map_err(|error| facts.with_columns(resource, error))
        }))
    }

    fn has_triggers(&self, resource: &'static Descriptor) -> bool {
        self.facts.have_triggers(resource)
    }

    fn savepoint(&mut self) -> AdapterFuture<'_, ()> {
        Box::pin(self.replacement().read(async move {
            C::Driver::begin(self.connection(Takes::Microseconds)?, C::Driver::BEGIN).await.map_err(C::Driver::general)
        }))
    }

    fn release(&mut self) -> AdapterFuture<'_, ()> {
        Box::pin(self.replacement().read(async move {
            C::Driver::commit(self.connection(Takes::Microseconds)?).await.map_err(C::Driver::general)
        }))
    }

    fn rollback_to(&mut self) -> AdapterFuture<'_, ()> {
        Box::pin(self.replacement().read(async move {
            C::Driver::rollback(self.connection(Takes::Microseconds)?).await.map_err(C::Driver::general)
        }))
    }

    fn execute(&mut self, statement: RawStatement) -> AdapterFuture<'_, u64> {
        Box::pin(self.replacement().read(async move {
            let statement = bound::<C::Driver>(statement)?;
            let changed = C::Driver::change(self.connection(Takes::Long)?, statement).await;
            changed.map_err(|error| of_program(C::Driver::general(error)))
        }))
    }

    fn fetch<'a>(
        &'a mut self,
        statement: RawStatement,
        columns: &'a [ColumnType],
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, ()> {
        Box::pin(self.replacement().read(async move {
            let columns: Vec<ColumnDescriptor> = columns.iter().map(|column| column.column("column", "")).collect();
            let statement = bound::<C::Driver>(statement)?;
            let mut each = |row: &DatabaseRow<C::Driver>| {
                let decoded = <C::Driver as Driver>::Decoded::default();
                sink.row(&RawRow::<C::Driver> { columns: &columns, row, decoded })
            };
            C::Driver::each(self.connection(Takes::Long)?, statement, &mut each).await.map_err(of_program)
        }))
    }

    fn connection(&mut self) -> Option<&mut (dyn Any + Send)> {
        self.connection_for_long().ok().map(|connection| connection as &mut (dyn Any + Send))
    }

    fn is_conflict(&self, error: &AdapterError) -> bool {
        C::Driver::is_conflict(error)
    }

    fn commit(&mut self) -> AdapterFuture<'_, ()> {
        Box::pin(self.end(true))
    }

    fn rollback(&mut self) -> AdapterFuture<'_, ()> {
        Box::pin(self.end(false))
    }
}

fn has_ended() -> AdapterError {
    AdapterError::Other("the transaction has ended".into())
}

/// A program's own statement, with its values in the form that the database stores.
fn bound<D: Driver>(statement: RawStatement) -> Result<Statement<D>, AdapterError> {
    let argument = |(column, value): (ColumnType, Value)| {
        let operand = D::operand(&column.column("value", ""), &value);
        if operand.exact { Ok(operand.argument) } else { Err(AdapterError::Constraint { column: None }) }
    };
    let arguments = statement.values.into_iter().map(argument).collect::<Result<_, _>>()?;
    Ok(Statement { text: Text::Custom(statement.text), arguments, then: None })
}

/// A row of a program's own statement.
struct RawRow<'a, D: Driver> {
    columns: &'a [ColumnDescriptor],
    row: &'a DatabaseRow<D>,
    decoded: D::Decoded,
}

impl<D: Driver> Row for RawRow<'_, D> {
    fn value(&self, column: usize) -> Result<ValueRef<'_>, AdapterError> {
        let descriptor = &self.columns[column];
        D::value(descriptor, column, self.row, &self.decoded)
            .map_err(|error| AdapterError::Corrupt { column: descriptor.column, error })
    }
}
