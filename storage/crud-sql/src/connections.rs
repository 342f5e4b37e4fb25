//! [`Connections`]: the differences between the adapters of SQL databases.

use std::fmt;
use std::future::{Future, ready};
use std::ops::DerefMut;
use std::sync::Arc;
use std::time::Duration;

use crud_core::retry;

use super::dialect::Dialect;
use super::driver::{Connection, DatabaseRow, Driver, Execution as _, Record};
use super::facts::Facts;
use super::learning;
use super::loading::Loading;
use super::replacement::Replacement;
use super::slow_statements::SlowStatements;
use super::statement::Statement;
use super::write::{self, WriteResult};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Count, Descriptor};
use crate::model::key::Key;
use crate::model::row::RowSink;
use crate::model::value::Value;
use crate::query::{JoinedColumn, ListQuery, Total};
use crate::storage::adapter::{Adapter, AdapterFuture};
use crate::storage::capabilities::Capabilities;
#[cfg(feature = "migrations")]
use crate::storage::migrations::Migrations;
use crate::storage::position::Position;
use crate::storage::session_variables::SessionVariables;
use crate::storage::status::StorageStatus;
use crate::storage::write::{Write, WriteWhere};

/// The capabilities of every SQL database.
pub(super) const CAPABILITIES: Capabilities = {
    let capabilities = Capabilities::new()
        .with_interactive()
        .with_subqueries()
        .with_views()
        .with_full_text()
        .with_defaults()
        .with_expressions()
        .with_ranks();
    if cfg!(feature = "migrations") { capabilities.with_migrations() } else { capabilities }
};

/// A SQL adapter: connections to a database.
pub(super) trait Connections: fmt::Debug + Send + Sync + 'static {
    /// The database.
    type Driver: Loading;

    /// A connection in use. Unless it is [released](Self::release), dropping it ends what it does.
    type Lease: DerefMut<Target = Connection<Self::Driver>> + Send + 'static;

    /// The adapter's capabilities.
    const CAPABILITIES: Capabilities;

    /// Whether each statement is a round trip to a server.
    const IS_REMOTE: bool = false;

    /// A connection for reads.
    fn reader(&self) -> impl Future<Output = Result<Self::Lease, AdapterError>> + Send;

    /// A connection for writes.
    fn writer(&self) -> impl Future<Output = Result<Self::Lease, AdapterError>> + Send {
        self.reader()
    }

    /// Begins a transaction of a few short calls on a writer's connection. It may share its commit with others.
    fn begin_short(&self) -> impl Future<Output = Result<Self::Lease, AdapterError>> + Send {
        begin(self)
    }

    /// Commits the transaction of a connection, or rolls it back, and releases the connection.
    fn end(lease: Self::Lease, keep: bool) -> impl Future<Output = Result<(), AdapterError>> + Send {
        end::<Self>(lease, keep)
    }

    /// The replacement of a connection's server by another server, if that can happen.
    fn replacement(_: &Self::Lease) -> Replacement {
        Replacement::default()
    }

    /// Releases a connection for its next use. It must have no work left, not even a transaction to roll back.
    fn release(lease: Self::Lease);

    /// Applies changes, alone or in one transaction with those of concurrent requests.
    fn change(
        &self,
        resource: &'static Descriptor,
        write: &Write<'_>,
    ) -> impl Future<Output = Result<WriteResult<Self::Driver>, AdapterError>> + Send {
        change(self, resource, write)
    }

    /// Restores or removes the soft-deleted records that satisfy a predicate. Returns the number of records.
    fn change_where(
        &self,
        resource: &'static Descriptor,
        write: &WriteWhere<'_>,
    ) -> impl Future<Output = Result<u64, AdapterError>> + Send {
        change_where(self, resource, write)
    }

    /// Passes the records of a statement to the sink, with the `joined` columns after the resource's. Returns their
    /// number.
    fn rows(
        &self,
        resource: &'static Descriptor,
        joined: &[JoinedColumn],
        statement: Statement<Self::Driver>,
        extent: Extent,
        sink: &mut dyn RowSink,
    ) -> impl Future<Output = Result<u64, AdapterError>> + Send {
        rows(self, resource, joined, statement, extent, sink)
    }

    /// Passes the record with this key, in the given tenant if any, to the sink. Returns whether the record exists.
    fn record(
        &self,
        resource: &'static Descriptor,
        id: &Key,
        tenant: Option<&Value>,
        sink: &mut dyn RowSink,
    ) -> impl Future<Output = Result<bool, AdapterError>> + Send {
        async move {
            let statement = Statement::get(resource, id, tenant)?;
            Ok(self.rows(resource, &[], statement, Extent::Key, sink).await? > 0)
        }
    }

    /// The number that a statement returns in its one row.
    fn number(&self, statement: Statement<Self::Driver>) -> impl Future<Output = Result<u64, AdapterError>> + Send {
        number(self, statement)
    }

    /// Passes the records of a page to the sink, and returns the total of the list, both from one snapshot. Returns
    /// `None`, without records, where that is not possible.
    fn page(
        &self,
        _resource: &'static Descriptor,
        _query: &ListQuery,
        _count: Count,
        _sink: &mut dyn RowSink,
    ) -> impl Future<Output = Result<Option<Total>, AdapterError>> + Send {
        ready(Ok(None))
    }

    /// Checks whether the database is known to refuse writes. Whether it answers at all is checked separately.
    fn check(&self) -> impl Future<Output = Result<(), AdapterError>> + Send {
        ready(Ok(()))
    }

    /// See [`Administration::close`](crate::storage::administration::Administration::close).
    fn close(&self) -> impl Future<Output = Result<(), AdapterError>> + Send {
        ready(Ok(()))
    }

    /// See [`Administration::migrations`](crate::storage::administration::Administration::migrations).
    #[cfg(feature = "migrations")]
    fn migrations(&self) -> Option<&dyn Migrations> {
        None
    }

    /// See [`Adapter::session`](crate::storage::adapter::Adapter::session).
    fn session(&self, _variables: &Arc<SessionVariables>) -> Option<Arc<dyn Adapter>> {
        None
    }

    /// See [`Adapter::position`].
    fn position(&self) -> AdapterFuture<'_, Option<Position>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    /// See [`Administration::status`](crate::storage::administration::Administration::status).
    fn status(&self) -> Option<StorageStatus> {
        None
    }

    /// The facts of the tables.
    fn facts(&self) -> &Arc<Facts>;

    /// The log of slow lists.
    fn slow_statements(&self) -> &SlowStatements;

    /// See [`Administration::set_time_limit`](crate::storage::administration::Administration::set_time_limit).
    fn set_time_limit(&self, _limit: Duration) {}
}

/// The largest limit of a list that counts as a page.
pub(super) const MAX_PAGE: u64 = 1_000;

/// Number of records that a statement reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// The record of a key, if there is one.
    Key,
    /// Few records, which may be buffered if they are small.
    Page,
    /// Any number of records.
    All,
}

/// Begins a transaction on a writer's connection.
pub(super) async fn begin<C: Connections + ?Sized>(connections: &C) -> Result<C::Lease, AdapterError> {
    begin_on::<C>(connections.writer().await?).await
}

/// Begins a transaction on a connection.
pub(super) async fn begin_on<C: Connections + ?Sized>(mut lease: C::Lease) -> Result<C::Lease, AdapterError> {
    let replacement = C::replacement(&lease);
    let begin = async { C::Driver::begin(&mut lease, C::Driver::BEGIN).await.map_err(C::Driver::general) };
    replacement.read(begin).await?;
    Ok(lease)
}

/// See [`Connections::end`].
pub(super) async fn end<C: Connections + ?Sized>(mut lease: C::Lease, keep: bool) -> Result<(), AdapterError> {
    // A commit waits for the disk.
    C::Driver::expect_inline(&mut lease, !keep);
    let replacement = C::replacement(&lease);
    let ended = if keep {
        replacement.change(async { C::Driver::commit(&mut lease).await.map_err(C::Driver::translate_commit) }).await
    } else {
        replacement.read(async { C::Driver::rollback(&mut lease).await.map_err(C::Driver::general) }).await
    };
    if let Err(error) = ended {
        C::Driver::start_rollback(&mut lease);
        return Err(error);
    }
    C::release(lease);
    Ok(())
}

/// Reads all rows of a statement.
pub(super) async fn all<C: Connections + ?Sized>(
    connections: &C,
    statement: Statement<C::Driver>,
) -> Result<Vec<DatabaseRow<C::Driver>>, AdapterError> {
    let mut lease = connections.reader().await?;
    let replacement = C::replacement(&lease);
    let rows = replacement.read(all_on::<C::Driver>(&mut lease, statement)).await?;
    C::release(lease);
    Ok(rows)
}

/// Reads all rows of a statement on a connection, outside of a transaction.
pub(super) async fn all_on<D: Driver>(
    connection: &mut Connection<D>,
    statement: Statement<D>,
) -> Result<Vec<DatabaseRow<D>>, AdapterError> {
    let again = D::PREPARES_AGAIN.then(|| statement.clone());
    match (D::all(connection, statement).await.map_err(D::general), again) {
        (Err(error), Some(again)) if D::is_outdated(&error) => D::all(connection, again).await.map_err(D::general),
        (rows, _) => rows,
    }
}

/// See [`Connections::rows`]. The records are passed on while they are read: a page may have large ones.
pub(super) async fn rows<C: Connections + ?Sized>(
    connections: &C,
    resource: &'static Descriptor,
    joined: &[JoinedColumn],
    statement: Statement<C::Driver>,
    extent: Extent,
    sink: &mut dyn RowSink,
) -> Result<u64, AdapterError> {
    let mut count = 0;
    let mut each = |row: &DatabaseRow<C::Driver>| {
        count += 1;
        sink.row(&Record::<C::Driver>::joined(resource, joined, row))
    };
    if extent == Extent::Key {
        all(connections, statement).await?.iter().try_for_each(each)?;
    } else {
        let mut lease = connections.reader().await?;
        let again = C::Driver::PREPARES_AGAIN.then(|| statement.clone());
        let read = C::replacement(&lease).read(C::Driver::each(&mut lease, statement, &mut each)).await;
        match (read, again) {
            // The statement failed before its first row.
            (Err(error), Some(again)) if C::Driver::is_outdated(&error) => {
                C::replacement(&lease).read(C::Driver::each(&mut lease, again, &mut each)).await?;
            }
            (read, _) => read?,
        }
        C::release(lease);
    }
    Ok(count)
}

/// See [`Connections::number`].
pub(super) async fn number<C: Connections + ?Sized>(
    connections: &C,
    statement: Statement<C::Driver>,
) -> Result<u64, AdapterError> {
    number_of::<C::Driver>(&all(connections, statement).await?)
}

/// The number in the one row of a count.
pub(super) fn number_of<D: Driver>(rows: &[DatabaseRow<D>]) -> Result<u64, AdapterError> {
    let row = rows.first().ok_or_else(|| AdapterError::Other("a count returned no row".into()))?;
    D::number_in(row, 0).map(i64::unsigned_abs).map_err(D::general)
}

/// Changes records by a predicate, in a transaction that no other request shares.
async fn change_where<C: Connections + ?Sized>(
    connections: &C,
    resource: &'static Descriptor,
    write: &WriteWhere<'_>,
) -> Result<u64, AdapterError> {
    let effects = learning::effects(connections, resource).await?;
    retry!(
        async {
            let mut lease = connections.writer().await?;
            let replacement = C::replacement(&lease);
            let count = replacement.change(write::run_where::<C::Driver>(&mut lease, resource, write, effects)).await;
            match &count {
                Ok(_) => C::release(lease),
                Err(_) => drop(lease),
            }
            count
        },
        is_conflict::<C, _>
    )
}

/// Makes changes that no other request shares.
pub(super) async fn change<C: Connections + ?Sized>(
    connections: &C,
    resource: &'static Descriptor,
    write: &Write<'_>,
) -> Result<WriteResult<C::Driver>, AdapterError> {
    let effects = learning::effects(connections, resource).await?;
    retry!(
        async {
            let mut lease = connections.writer().await?;
            let replacement = C::replacement(&lease);
            let changed = replacement.change(write::run::<C::Driver>(&mut lease, resource, write, effects)).await;
            match &changed {
                Ok(changed) if changed.is_committed() => C::release(lease),
                // A dropped connection's transaction is rolled back.
                _ => drop(lease),
            }
            changed
        },
        is_conflict::<C, _>
    )
}

/// Whether a write failed because a concurrent write was in its way.
fn is_conflict<C: Connections + ?Sized, T>(result: &Result<T, AdapterError>) -> bool {
    result.as_ref().is_err_and(C::Driver::is_conflict)
}
