//! [`Connections`]: what differs between the adapters of SQL databases.

use std::fmt;
use std::future::Future;
use std::ops::DerefMut;
use std::time::Duration;

use tokio::time::sleep;

use super::driver::{Connection, Driver};
use super::write::{self, WriteResult};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::storage::adapter::BoxFuture;
use crate::storage::back_off::{MAX_RETRIES, back_off};
use crate::storage::capabilities::Capabilities;
#[cfg(feature = "migrations")]
use crate::storage::migrations::Migrations;
use crate::storage::position::Position;
use crate::storage::write::Write;

/// The capabilities of every SQL database.
pub(super) const CAPABILITIES: Capabilities = if cfg!(feature = "migrations") {
    Capabilities::new().with_interactive().with_migrations()
} else {
    Capabilities::new().with_interactive()
};

/// A SQL adapter: connections to a database.
pub(super) trait Connections: fmt::Debug + Send + Sync + 'static {
    /// The database.
    type Driver: Driver;

    /// A connection in use. Unless it is [released](Self::release), dropping it ends what it does.
    type Lease: DerefMut<Target = Connection<Self::Driver>> + Send + 'static;

    /// The adapter's capabilities.
    const CAPABILITIES: Capabilities;

    /// A connection to read.
    fn reader(&self) -> impl Future<Output = Result<Self::Lease, AdapterError>> + Send;

    /// A connection to write.
    fn writer(&self) -> impl Future<Output = Result<Self::Lease, AdapterError>> + Send {
        self.reader()
    }

    /// Releases a connection to the next use: it has no work left, not even a transaction to roll back.
    fn release(lease: Self::Lease);

    /// Makes changes: alone, or those of concurrent requests together.
    fn change(
        &self,
        resource: &'static Descriptor,
        write: &Write<'_>,
    ) -> impl Future<Output = Result<WriteResult<Self::Driver>, AdapterError>> + Send {
        change(self, resource, write)
    }

    /// See [`Adapter::migrations`](crate::storage::adapter::Adapter::migrations).
    #[cfg(feature = "migrations")]
    fn migrations(&self) -> &dyn Migrations;

    /// See [`Adapter::position`].
    fn position(&self) -> BoxFuture<'_, Result<Option<Position>, AdapterError>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    /// See [`Adapter::set_time_limit`].
    fn set_time_limit(&self, _limit: Duration) {}
}

/// Makes changes that no other request shares.
pub(super) async fn change<C: Connections + ?Sized>(
    connections: &C,
    resource: &'static Descriptor,
    write: &Write<'_>,
) -> Result<WriteResult<C::Driver>, AdapterError> {
    let mut retries = 0..MAX_RETRIES;
    loop {
        let mut lease = connections.writer().await?;
        let changed = write::run::<C::Driver>(&mut lease, resource, write).await;
        match &changed {
            Ok(changed) if changed.is_committed() => C::release(lease),
            // A dropped connection's transaction is rolled back.
            _ => drop(lease),
        }
        match (changed, retries.next()) {
            (Err(error), Some(retry)) if C::Driver::is_conflict(&error) => sleep(back_off(retry)).await,
            (changed, _) => return changed,
        }
    }
}
