//! [`Adapter`]: what a request needs of a database. [`Administration`] is what a service needs besides.

use std::fmt;
use std::sync::Arc;

#[cfg(doc)]
use super::administration::Administration;
use super::aggregate::aggregate_by_list;
use super::capabilities::Capabilities;
pub use super::future::{AdapterFuture, BoxFuture};
use super::page::{CountedRows, capped, known};
use super::position::Position;
use super::session_variables::SessionVariables;
use super::transaction::Transaction;
use super::write::{Outcome, Write, WriteSink, WriteWhere};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Count, Descriptor};
use crate::model::key::Key;
use crate::model::row::RowSink;
use crate::model::value::Value;
use crate::query::{AggregateQuery, Group, ListQuery, Predicate, Total};

/// Storage for resources: maps between stored records and rows of values.
///
/// Requests reach an adapter parsed and checked against the resource's [`Descriptor`]. Every method works on any
/// resource, by column index. Records are passed to a [`RowSink`], borrowed from the database's own buffers. A change is
/// durable when its future resolves, or has not happened.
///
/// # What storage upholds
/// The descriptor states these rules, the adapter ensures them, and [`Outcome::Failed`] reports what forbids a change:
///
/// - **One record and its audit entry** become durable together and readable together. No reader sees one without
///   the other.
/// - **A [guard](super::write::Guard)** is compared and the change written atomically: no other change of the record
///   comes between. An adapter that locks asks the guard once; one that compares a version asks again when it retries.
/// - **Several records** change all together or not at all where storage has
///   [transactions](Capabilities::transactions). Without them, an adapter is asked for one record, or for each by
///   itself ([`Mode::Partial`](super::write::Mode::Partial)).
/// - **Keys** of integer kinds are assigned by storage in ascending order. A key is never assigned twice, even when its
///   record is removed. Other keys come with the record; a taken key is [`AdapterError::Unique`] of the key's column.
/// - **Unique values**: of a column's [`unique`](crate::model::descriptor::ColumnDescriptor::unique), among all records or
///   those that are not soft-deleted, and of the groups of [`Descriptor::uniques`], among all records. Null equals no
///   other value, and a group with a null equals no other group.
/// - **References** lead to a record that exists. A new reference must not lead to a soft-deleted record; an existing one
///   may, and a restore does not check references. When a record is removed,
///   [RESTRICT, CASCADE or SET NULL](crate::model::descriptor::OnDelete) applies to the records that refer to it, whether
///   they are soft-deleted or not. A record that CASCADE removes has no audit entry; one that SET NULL changes keeps its
///   time of update. Where referring records have an audit log, the service itself removes or changes them first. Without
///   transactions, both may be seen half done. A soft delete changes its record alone.
/// - **Soft delete** is the deletion timestamp, in the column of
///   [`SoftDelete::deleted_at`](crate::model::descriptor::SoftDelete); the column of
///   [`Role::IsDeleted`](crate::model::descriptor::Role) says whether there is one, and need not be stored. Neither a
///   soft delete nor a restore sets the time of update.
/// - **The order of values** is that of [`ListQuery::sort`], for filters too.
///
/// A method without a body has no default that would be right for all storage. A method with a body is for storage that
/// lacks a [capability](Self::capabilities). An adapter around another one is an
/// [`AdapterLayer`](super::adapter_layer::AdapterLayer), which passes on every call that it leaves out.
///
/// The example `own-adapter` is an adapter for the memory of the process, written against this trait from outside.
pub trait Adapter: fmt::Debug + Send + Sync + 'static {
    /// Capabilities of this storage. They stay the same for as long as the adapter lives.
    fn capabilities(&self) -> Capabilities;

    /// Checks that the database answers.
    fn ping(&self) -> AdapterFuture<'_, ()>;

    /// Passes the records of a query to `sink`, in its order.
    fn list<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, ()>;

    /// Counts the records that satisfy a predicate.
    fn count<'a>(&'a self, resource: &'static Descriptor, filter: &'a Predicate) -> AdapterFuture<'a, u64>;

    /// Counts the records that satisfy a predicate, up to a limit, at which the count stops.
    fn count_up_to<'a>(
        &'a self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
        limit: u64,
    ) -> AdapterFuture<'a, u64>;

    /// Passes the records of a query to `sink`, and returns the total of its condition, as precisely as `count` says;
    /// `None` where nothing is counted. Storage that can do so reads both from one snapshot; other storage calls
    /// [`list_and_count`].
    fn page<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        count: Count,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, Option<Total>>;

    /// Groups the records that satisfy a condition: returns the keys of each group, the number of its records, and its
    /// measures. The groups are in the order of their keys, nulls first; where they are more than the limit, any of
    /// them are returned. By default, the records are read ([`aggregate_by_list`]).
    ///
    /// # Errors
    /// [`AdapterError::Constraint`] of a column whose sum exceeds its type.
    fn aggregate<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a AggregateQuery,
    ) -> AdapterFuture<'a, Vec<Group>> {
        Box::pin(aggregate_by_list(self, resource, query))
    }

    /// Passes the record of a key to `sink`, soft-deleted or not; returns `false` when there is none. With `tenant`, a
    /// record of another tenant is not found: storage compares the column of [`Descriptor::tenant`] where it finds the
    /// record. Without `tenant`, a record of any tenant is found.
    fn get<'a>(
        &'a self,
        resource: &'static Descriptor,
        id: &'a Key,
        tenant: Option<&'a Value>,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, bool>;

    /// Applies changes with their audit entries; returns the outcome of each, in order.
    ///
    /// A missing record is reported before its guard is asked, a guard's refusal before the record's [wrong
    /// state](Outcome::WrongState), and a wrong state before a constraint that forbids the change. A record of another
    /// [tenant](Write::tenant) is missing: its guard is not asked.
    ///
    /// Records are passed to `sink` once everything is durable. Where the [mode](Write::mode) applies none of the
    /// changes, an outcome says why its change failed, or only that it would be possible.
    ///
    /// # Errors
    /// When the database fails in a way that is not one change's fault, and [`AdapterError::Unsupported`] when the mode
    /// needs a [capability](Self::capabilities) that storage lacks; nothing has changed then. In a partial write on
    /// storage without transactions, changes before the failure may stand.
    fn write<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> AdapterFuture<'a, Vec<Outcome>>;

    /// Restores or removes every soft-deleted record that satisfies a predicate, with the audit entries, all or none.
    /// Returns the number of records. The greatest key comes first, because a record is usually newer than a record of
    /// the same resource that it refers to.
    ///
    /// Storage without transactions may refuse several records. It gets this call only where a count found at most one.
    ///
    /// # Errors
    /// The first reason why a record could not be changed, or [`AdapterError::Unsupported`]; nothing has changed then.
    fn write_where<'a>(&'a self, resource: &'static Descriptor, write: WriteWhere<'a>) -> AdapterFuture<'a, u64>;

    /// Starts a transaction of several calls. Storage without
    /// [`Capabilities::interactive`] keeps the default, [`AdapterError::Unsupported`].
    ///
    /// On PostgreSQL and MySQL the isolation level is READ COMMITTED, and changed records are locked. On SQLite the
    /// transaction is the only writer, and reads one snapshot.
    fn begin(&self) -> AdapterFuture<'_, Box<dyn Transaction>> {
        Box::pin(std::future::ready(Err(AdapterError::Unsupported { what: "transactions of several calls" })))
    }

    /// Begins a transaction that waits for nothing but storage, and makes few changes. Storage may commit several such
    /// transactions at once. A rollback then waits for the transactions whose changes it may have read, and is a
    /// [conflict](Transaction::is_conflict) where they were not committed. By default, calls [`begin`](Self::begin).
    fn begin_short(&self) -> AdapterFuture<'_, Box<dyn Transaction>> {
        self.begin()
    }

    /// Storage for one caller: its calls and its transactions have these variables from begin to end, and no other call
    /// has them. `None` by default: storage without [`Capabilities::session_variables`].
    fn session(&self, variables: &Arc<SessionVariables>) -> Option<Arc<dyn Adapter>> {
        let _ = variables;
        None
    }

    /// The position of storage: after everything that was written, or on a replica, after everything that was replayed.
    /// `None` by default: storage without [`Capabilities::replicas`].
    fn position(&self) -> AdapterFuture<'_, Option<Position>> {
        Box::pin(std::future::ready(Ok(None)))
    }
}

/// An [`Adapter::page`] in two calls, which may see two snapshots: a list, and a count where the list alone does not
/// tell the total.
///
/// # Errors
/// Errors of the two calls.
pub async fn list_and_count<A: Adapter + ?Sized>(
    adapter: &A,
    resource: &'static Descriptor,
    query: &ListQuery,
    count: Count,
    sink: &mut dyn RowSink,
) -> Result<Option<Total>, AdapterError> {
    let mut rows = CountedRows { sink, count: 0, mark: 0 };
    adapter.list(resource, query, &mut rows).await?;
    match known(query, rows.count, count) {
        Some(total) => Ok(Some(total)),
        None => total(adapter, resource, &query.filter, count).await,
    }
}

/// Counts the records that satisfy a condition.
pub async fn total<A: Adapter + ?Sized>(
    adapter: &A,
    resource: &'static Descriptor,
    filter: &Predicate,
    count: Count,
) -> Result<Option<Total>, AdapterError> {
    Ok(match count {
        Count::Exact => Some(Total::Exactly(adapter.count(resource, filter).await?)),
        Count::Capped(cap) => {
            let found = adapter.count_up_to(resource, filter, u64::from(cap) + 1).await?;
            Some(capped(found, cap))
        }
        Count::None => None,
    })
}
