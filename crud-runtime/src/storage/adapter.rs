//! [`Adapter`]: what a database has to do for a service.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use super::migrate_error::MigrateError;
#[cfg(feature = "migrations")]
use super::migrations::Migrations;
use super::position::Position;
use super::write::{Outcome, Write, WriteSink, WriteWhere};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::row::RowSink;
use crate::model::value::Value;
use crate::query::{ListQuery, Predicate};

/// A boxed future, so that [`Adapter`] is object-safe.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Storage for resources: maps between stored records and rows of values.
///
/// Requests reach an adapter parsed and checked against the resource's [`Descriptor`]; every method
/// works on any resource, by column index. Records are handed out through a [`RowSink`], borrowed from
/// the database's own buffers. Every change is durable when its future resolves, or has not happened.
///
/// # What storage upholds
/// The descriptor says it; the adapter sees to it, and tells by [`Outcome::Failed`] what forbids a change:
///
/// - **Keys** of integer kinds are assigned by storage, upwards and none of them twice, not even when its record is
///   gone. All others come with the record; one that is taken is [`AdapterError::Unique`] of the key's column.
/// - **Unique values**: of a column's [`unique`](crate::model::descriptor::ColumnDescriptor::unique), among all records or
///   those that are not soft-deleted, and of the groups of [`Descriptor::uniques`], among all records. Null is like
///   no other value, and in a group that has it neither is the group.
/// - **References** lead to a record that is there. One that a change begins must not lead to a soft-deleted record,
///   and one that was there before may; a restore asks nothing of them. When a record is removed, those that refer to
///   it [forbid that, go too or let go](crate::model::descriptor::OnDelete), whether they are soft-deleted or not. What goes
///   too has no audit entry, and what lets go keeps its time of update. A soft delete touches nothing but its record.
/// - **Soft delete** is the deletion timestamp, in the column of
///   [`SoftDelete::deleted_at`](crate::model::descriptor::SoftDelete); the column of
///   [`Role::IsDeleted`](crate::model::descriptor::Role) says whether there is one, and need not be stored. Neither a
///   soft delete nor a restore sets the time of update.
/// - **The order of values** is that of [`ListQuery::sort`], for filters too.
///
/// The example `own-adapter` is an adapter for the memory of the process, written against this trait from outside.
pub trait Adapter: fmt::Debug + Send + Sync + 'static {
    /// Creates what is missing for these resources and refuses what contradicts them; never drops or
    /// alters anything. Resources come in an order in which references point backwards, cycles apart.
    ///
    /// # Errors
    /// [`MigrateError::Mismatch`] lists every difference.
    fn migrate<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<(), MigrateError>>;

    /// What [`migrate`](Self::migrate) would do, a statement each, without doing it.
    ///
    /// # Errors
    /// Those of [`migrate`](Self::migrate).
    fn plan<'a>(&'a self, resources: &'a [&'static Descriptor]) -> BoxFuture<'a, Result<Vec<String>, MigrateError>>;

    /// How tables change by written migrations; `None`, unless overridden, of storage that has no such thing.
    #[cfg(feature = "migrations")]
    fn migrations(&self) -> Option<&dyn Migrations> {
        None
    }

    /// Whether the database answers.
    fn ping(&self) -> BoxFuture<'_, Result<(), AdapterError>>;

    /// Hands the records of a query to `sink`, in its order.
    fn list<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<(), AdapterError>>;

    /// Counts the records that satisfy a predicate.
    fn count<'a>(
        &'a self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
    ) -> BoxFuture<'a, Result<u64, AdapterError>>;

    /// Hands the record of a key to `sink`, soft-deleted or not; `false` when there is none.
    fn get<'a>(
        &'a self,
        resource: &'static Descriptor,
        id: &'a Value,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<bool, AdapterError>>;

    /// Runs changes in one transaction, with their audit entries; what became of each, in order.
    ///
    /// Of a change, a missing record is told before its guard is asked, a guard's refusal before the record's
    /// [wrong state](Outcome::WrongState), that before what forbids it.
    ///
    /// Records are handed to `sink` once everything is durable. Where the [mode](Write::mode) says that none
    /// happens, the outcomes tell every change that could not, and of the others only that they could.
    ///
    /// # Errors
    /// When the database fails in a way that is no single change's fault; nothing has happened then.
    fn write<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> BoxFuture<'a, Result<Vec<Outcome>, AdapterError>>;

    /// Restores or removes every soft-deleted record that satisfies a predicate, in one transaction with
    /// the audit entries; how many. The greatest key comes first, because what refers to a record of its own kind is
    /// most often newer.
    ///
    /// # Errors
    /// The first reason why one of them could not be; nothing has happened then.
    fn write_where<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: WriteWhere<'a>,
    ) -> BoxFuture<'a, Result<u64, AdapterError>>;

    /// How far storage has got: behind everything that it has written, or that it has taken over where it is a
    /// replica. `None` where storage has no replicas, as by default.
    fn position(&self) -> BoxFuture<'_, Result<Option<Position>, AdapterError>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    /// Takes note of how long requests may take: what takes longer in the database, nobody waits for. By default
    /// that is none of an adapter's business.
    fn set_time_limit(&self, _limit: Duration) {}
}
