//! [`Transaction`]: several calls that become durable together.

use std::any::Any;

use super::aggregate::aggregate_by_list_in;
use super::future::AdapterFuture;
use super::page::{CountedRows, capped, known};
use super::write::{Outcome, Write, WriteSink, WriteWhere};
use crate::model::adapter_error::AdapterError;
use crate::model::column::ColumnType;
use crate::model::descriptor::{Count, Descriptor};
use crate::model::key::Key;
use crate::model::row::RowSink;
use crate::model::value::Value;
use crate::query::{AggregateQuery, Group, ListQuery, Predicate, Total};

/// A transaction of storage with [`Capabilities::interactive`](super::capabilities::Capabilities::interactive), which
/// [`Adapter::begin`](super::adapter::Adapter::begin) starts.
///
/// Its methods are those of [`Adapter`](super::adapter::Adapter), in the transaction: reads see its writes, which other
/// connections see once it is committed. Dropping the transaction rolls it back. After an error that [is a
/// conflict](Self::is_conflict), its changes are lost, and only `rollback` is called.
pub trait Transaction: Send {
    /// [`Adapter::list`](super::adapter::Adapter::list) in the transaction. With `lock`, no other transaction changes
    /// the records before this one ends.
    fn list<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        lock: bool,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, ()>;

    /// [`Adapter::count`](super::adapter::Adapter::count) in the transaction.
    fn count<'a>(&'a mut self, resource: &'static Descriptor, filter: &'a Predicate) -> AdapterFuture<'a, u64>;

    /// [`Adapter::count_up_to`](super::adapter::Adapter::count_up_to) in the transaction.
    fn count_up_to<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
        limit: u64,
    ) -> AdapterFuture<'a, u64>;

    /// [`Adapter::page`](super::adapter::Adapter::page) in the transaction. Storage without a snapshot of both, or
    /// whose transactions are one snapshot, calls [`list_and_count_in`].
    fn page<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        count: Count,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, Option<Total>>;

    /// [`Adapter::aggregate`](super::adapter::Adapter::aggregate) in the transaction. By default, the records are read
    /// ([`aggregate_by_list_in`]).
    fn aggregate<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        query: &'a AggregateQuery,
    ) -> AdapterFuture<'a, Vec<Group>> {
        Box::pin(aggregate_by_list_in(self, resource, query))
    }

    /// [`Adapter::get`](super::adapter::Adapter::get) in the transaction. With `lock`, no other transaction changes the
    /// record before this one ends.
    fn get<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        id: &'a Key,
        tenant: Option<&'a Value>,
        lock: bool,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, bool>;

    /// [`Adapter::write`](super::adapter::Adapter::write) in the transaction: an atomic write that fails leaves the
    /// transaction as it was before.
    fn write<'a>(
        &'a mut self,
        resource: &'static Descriptor,
        write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> AdapterFuture<'a, Vec<Outcome>>;

    /// [`Adapter::write_where`](super::adapter::Adapter::write_where) in the transaction.
    fn write_where<'a>(&'a mut self, resource: &'static Descriptor, write: WriteWhere<'a>) -> AdapterFuture<'a, u64>;

    /// Whether the table of a resource that was written has triggers: they may have changed other records. False by default:
    /// storage without triggers.
    fn has_triggers(&self, _: &'static Descriptor) -> bool {
        false
    }

    /// The tenant that the transaction belongs to, as text, in a service that is sharded by tenant. `None` by default:
    /// a transaction of any tenants.
    fn tenant(&self) -> Option<String> {
        None
    }

    /// Binds the transaction to this tenant, in a service that is sharded by tenant. By default nothing.
    ///
    /// # Errors
    /// [`AdapterError::OtherTenant`] where the transaction belongs to another tenant.
    fn bind(&mut self, _: &Value) -> Result<(), AdapterError> {
        Ok(())
    }

    /// Sets a savepoint within the latest one.
    fn savepoint(&mut self) -> AdapterFuture<'_, ()>;

    /// Keeps what happened since the latest savepoint, and forgets the savepoint.
    fn release(&mut self) -> AdapterFuture<'_, ()>;

    /// Undoes what happened since the latest savepoint, and forgets the savepoint.
    fn rollback_to(&mut self) -> AdapterFuture<'_, ()>;

    /// Runs a statement of the program's own, and returns the number of changed rows. Storage without SQL keeps the
    /// default, [`AdapterError::Unsupported`].
    fn execute(&mut self, _: RawStatement) -> AdapterFuture<'_, u64> {
        Box::pin(std::future::ready(Err(NO_SQL)))
    }

    /// Runs a statement of the program's own and passes its rows, which have columns of these types, to `sink`.
    fn fetch<'a>(&'a mut self, _: RawStatement, _: &'a [ColumnType], _: &'a mut dyn RowSink) -> AdapterFuture<'a, ()> {
        Box::pin(std::future::ready(Err(NO_SQL)))
    }

    /// The driver's connection of the transaction, for the program's own statements. `None` by default: storage without
    /// a driver that programs can use too.
    fn connection(&mut self) -> Option<&mut (dyn Any + Send)> {
        None
    }

    /// Whether an error means that another transaction was in the way: this one is lost, and the same work may succeed
    /// in a new one.
    fn is_conflict(&self, error: &AdapterError) -> bool;

    /// Makes everything durable. This is the last call, as `rollback` is.
    ///
    /// # Errors
    /// When the transaction was not committed, or when that is not known, because the database was lost meanwhile.
    fn commit(&mut self) -> AdapterFuture<'_, ()>;

    /// Undoes everything.
    fn rollback(&mut self) -> AdapterFuture<'_, ()>;
}

/// A [`Transaction::page`] in two calls: a list, and a count where the list alone does not tell the total.
///
/// # Errors
/// Errors of the two calls.
pub async fn list_and_count_in<T: Transaction + ?Sized>(
    transaction: &mut T,
    resource: &'static Descriptor,
    query: &ListQuery,
    count: Count,
    sink: &mut dyn RowSink,
) -> Result<Option<Total>, AdapterError> {
    let mut rows = CountedRows { sink, count: 0, mark: 0 };
    transaction.list(resource, query, false, &mut rows).await?;
    if let Some(total) = known(query, rows.count, count) {
        return Ok(Some(total));
    }
    Ok(match count {
        Count::Exact => Some(Total::Exactly(transaction.count(resource, &query.filter).await?)),
        Count::Capped(cap) => {
            let found = transaction.count_up_to(resource, &query.filter, u64::from(cap) + 1).await?;
            Some(capped(found, cap))
        }
        Count::None => None,
    })
}

const NO_SQL: AdapterError = AdapterError::Unsupported { what: "statements of SQL" };

/// A statement of the program's own, in the database's SQL: its text is part of the program, and its values are bound.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RawStatement {
    /// The text, with the database's placeholders: `?` on SQLite and MySQL, `$1` on PostgreSQL.
    pub text: &'static str,
    /// The values of the placeholders, with their types.
    pub values: Vec<(ColumnType, Value)>,
}

impl RawStatement {
    /// A statement that binds nothing yet.
    pub const fn new(text: &'static str) -> Self {
        Self { text, values: Vec::new() }
    }
}
