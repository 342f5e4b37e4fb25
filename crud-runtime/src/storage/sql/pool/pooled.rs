//! [`Pooled`]: the pooled connections to a server.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use sqlx::Pool;
use tokio::time::sleep;

use super::connection_cache::{ConnectionCache, Lease};
use super::server::Server;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::storage::migrate_error::MigrateError;
use crate::storage::sql::driver::{Connection, DatabaseRow};
use crate::storage::sql::schema::Schema;
use crate::storage::sql::schema::plan::plan;
use crate::storage::sql::source::{Each, Source};
use crate::storage::sql::statement::Statement;
use crate::storage::sql::write::group_commit::{GroupCommit, Route};
use crate::storage::sql::write::{self, WriteResult};
use crate::storage::write::{Write, WriteWhere};

/// How often a write is retried.
const MAX_RETRIES: u32 = 6;

/// The mean back-off of the first retry; it doubles with each further one.
const FIRST_BACK_OFF: Duration = Duration::from_millis(4);

/// Connections to a server that sqlx pools.
pub(crate) struct Pooled<D: Schema> {
    connections: Arc<ConnectionCache<D::Database>>,
    group_commit: Option<GroupCommit<D>>,
    pub(super) server: Server<D>,
}

impl<D: Schema> Pooled<D> {
    /// Connections of a pool that the program shares.
    pub(crate) fn shared(pool: Pool<D::Database>, server: Server<D>) -> Self {
        Self::new(ConnectionCache::shared(pool), server)
    }

    /// Connections of a pool of the service alone.
    pub(crate) fn exclusive(pool: Pool<D::Database>, server: Server<D>) -> Self {
        Self::new(ConnectionCache::exclusive(pool), server)
    }

    fn new(connections: ConnectionCache<D::Database>, server: Server<D>) -> Self {
        let connections = Arc::new(connections);
        let group_commit = server.begin_group.map(|begin| GroupCommit::new(&connections, begin));
        Self { connections, group_commit, server }
    }

    /// The pool.
    #[cfg(feature = "postgres")]
    pub(crate) fn pool(&self) -> &Pool<D::Database> {
        self.connections.pool()
    }

    /// Returns the cached connections to the pool, which may close them.
    pub(crate) fn flush(&self) {
        self.connections.flush();
    }

    async fn planned(
        &self,
        connection: &mut Connection<D>,
        resources: &[&'static Descriptor],
    ) -> Result<Vec<String>, MigrateError> {
        let unfit = (self.server.unfit)(connection, resources).await.map_err(D::general)?;
        plan::<D>(connection, resources, unfit).await
    }

    /// A connection; dropping it rolls its transaction back.
    pub(super) async fn connection(&self) -> Result<Lease<'_, D::Database>, AdapterError> {
        self.connections.acquire().await.map_err(D::general)
    }
}

impl<D: Schema> fmt::Debug for Pooled<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.connections.fmt(f)
    }
}

impl<D: Schema> Source for Pooled<D> {
    type Driver = D;

    const PING: &'static str = "SELECT 1";

    async fn all(&self, statement: Statement<D>) -> Result<Vec<DatabaseRow<D>>, AdapterError> {
        let mut connection = self.connection().await?;
        let rows = D::all(&mut connection, statement).await.map_err(D::general)?;
        connection.release();
        Ok(rows)
    }

    async fn first(&self, statement: Statement<D>) -> Result<Option<DatabaseRow<D>>, AdapterError> {
        self.all(statement).await.map(|rows| rows.into_iter().next())
    }

    async fn each(&self, statement: Statement<D>, each: Each<'_, D>) -> Result<(), AdapterError> {
        let mut connection = self.connection().await?;
        D::each(&mut connection, statement, each).await?;
        connection.release();
        Ok(())
    }

    async fn change(&self, resource: &'static Descriptor, write: &Write<'_>) -> Result<WriteResult<D>, AdapterError> {
        let route = match &self.group_commit {
            Some(group_commit) => group_commit.join(resource, write).await?,
            None => Route::Alone(None),
        };
        let _permit = match route {
            Route::Alone(permit) => permit,
            Route::Made(change) => return Ok(WriteResult::of_one(change)),
        };
        let mut retries = 0..MAX_RETRIES;
        loop {
            let mut connection = self.connection().await?;
            let changed = write::run::<D>(&mut connection, resource, write).await;
            match &changed {
                Ok(changed) if changed.is_committed() => connection.release(),
                // A dropped connection's transaction is rolled back.
                _ => drop(connection),
            }
            match (changed, retries.next()) {
                (Err(error), Some(retry)) if (self.server.is_conflict)(&error) => sleep(back_off(retry)).await,
                (changed, _) => return changed,
            }
        }
    }

    async fn change_where(&self, resource: &'static Descriptor, write: WriteWhere<'_>) -> Result<u64, AdapterError> {
        let mut retries = 0..MAX_RETRIES;
        loop {
            let mut connection = self.connection().await?;
            let count = write::run_where::<D>(&mut connection, resource, &write).await;
            drop(connection);
            match (count, retries.next()) {
                (Err(error), Some(retry)) if (self.server.is_conflict)(&error) => sleep(back_off(retry)).await,
                (count, _) => return count,
            }
        }
    }

    async fn migrate(&self, resources: &[&'static Descriptor]) -> Result<(), MigrateError> {
        let mut connection = self.connection().await?;
        // Without a missing table no lock is taken, so that a role without CREATE suffices.
        if self.planned(&mut connection, resources).await?.is_empty() {
            return Ok(());
        }
        (self.server.create)(&mut connection, resources).await
    }

    async fn plan(&self, resources: &[&'static Descriptor]) -> Result<Vec<String>, MigrateError> {
        self.planned(&mut *self.connection().await?, resources).await
    }
}

/// The back-off with a jitter of half of it, so that writers that met do not meet again.
fn back_off(retry: u32) -> Duration {
    let random = RandomState::new().hash_one(retry) % 1_000;
    FIRST_BACK_OFF * 2_u32.pow(retry) * (500 + u32::try_from(random).unwrap_or_default()) / 1_000
}
