//! [`PostgresOver`]: the adapter of a driver from outside, with its connections.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::PostgresDriver;
use super::connection::Session;
use super::pipeline::Pipeline;
use crate::connections::{self, Connections, WITHOUT_MIGRATIONS};
use crate::driver::Driver;
use crate::facts::Facts;
use crate::learning;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::postgres::dialect::Over;
use crate::postgres::error::is_in_the_way;
use crate::slow_statements::SlowStatements;
use crate::storage::capabilities::Capabilities;
use crate::storage::write::Write;
use crate::write::change::Attempt;
use crate::write::{self, WriteResult};

/// Time for which a request waits for a connection.
const ACQUIRE: Duration = Duration::from_secs(5);

/// Time for the rollback of a transaction that was left, before its connection is closed.
const ROLLBACK: Duration = Duration::from_secs(5);

/// Time that a statement waits for a lock, in milliseconds.
const LOCK: u64 = 5_000;

/// Default statement timeout: that of a request.
const STATEMENT: Duration = Duration::from_secs(30);

/// Storage in PostgreSQL over a driver from outside: the dialect, the tables and the writes of
/// [`PostgresAdapter`](crate::PostgresAdapter), without replicas, written migrations, group commit and session variables.
pub struct PostgresOver<W: PostgresDriver> {
    pool: Arc<Pool<W>>,
    pipeline: Pipeline<W>,
    slow: Arc<SlowStatements>,
    facts: Arc<Facts>,
}

impl<W: PostgresDriver> std::fmt::Debug for PostgresOver<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresOver").field("driver", &self.pool.driver).finish_non_exhaustive()
    }
}

impl<W: PostgresDriver> PostgresOver<W> {
    /// The adapter of a driver, with at most so many connections, each of which is opened when it is needed; up to four more
    /// are for changes of one statement, where the driver [pipelines](PostgresDriver::share).
    pub fn new(driver: W, connections: usize) -> Self {
        let permits = Arc::new(Semaphore::new(connections));
        let idle = Mutex::new(Idle { sessions: Vec::new(), limit: STATEMENT, generation: 0 });
        let pool = Arc::new(Pool { driver, permits, idle });
        Self { pool, pipeline: Pipeline::new(connections), slow: Arc::default(), facts: Arc::default() }
    }
}

/// The connections of an adapter.
struct Pool<W: PostgresDriver> {
    driver: W,
    permits: Arc<Semaphore>,
    idle: Mutex<Idle<W>>,
}

struct Idle<W: PostgresDriver> {
    sessions: Vec<Session<W>>,
    /// Time limit of a statement.
    limit: Duration,
    /// Number of changes of the limit: a connection of an earlier one is closed.
    generation: u64,
}

impl<W: PostgresDriver> Pool<W> {
    fn idle(&self) -> MutexGuard<'_, Idle<W>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a connection for the next use, unless the time limit has changed since.
    fn put_back(&self, session: Session<W>, generation: u64) {
        let mut idle = self.idle();
        if idle.generation == generation {
            idle.sessions.push(session);
        }
    }
}

/// A connection in use. It is closed where a call was given up, and a transaction that has not ended is rolled back.
pub(crate) struct Lease<W: PostgresDriver> {
    session: Option<Session<W>>,
    generation: u64,
    pool: Arc<Pool<W>>,
    /// Taken when it is dropped.
    permit: Option<OwnedSemaphorePermit>,
}

impl<W: PostgresDriver> Deref for Lease<W> {
    type Target = Session<W>;

    fn deref(&self) -> &Session<W> {
        self.session.as_ref().expect("a connection until the lease ends")
    }
}

impl<W: PostgresDriver> DerefMut for Lease<W> {
    fn deref_mut(&mut self) -> &mut Session<W> {
        self.session.as_mut().expect("a connection until the lease ends")
    }
}

impl<W: PostgresDriver> Drop for Lease<W> {
    fn drop(&mut self) {
        let (Some(mut session), permit) = (self.session.take(), self.permit.take()) else { return };
        if !session.abandon() {
            return;
        }
        if session.is_settled() {
            self.pool.put_back(session, self.generation);
        } else if let Ok(runtime) = Handle::try_current() {
            let (pool, generation) = (self.pool.clone(), self.generation);
            // Until the next use, the transaction would keep its locks.
            runtime.spawn(async move {
                if matches!(timeout(ROLLBACK, session.settle()).await, Ok(Ok(()))) {
                    pool.put_back(session, generation);
                }
                drop(permit);
            });
        }
    }
}

impl<W: PostgresDriver> Connections for PostgresOver<W> {
    type Driver = Over<W>;
    type Lease = Lease<W>;

    const CAPABILITIES: Capabilities = WITHOUT_MIGRATIONS.with_schemas();
    const IS_REMOTE: bool = true;

    async fn reader(&self) -> Result<Lease<W>, AdapterError> {
        let pool = self.pool.clone();
        let permit = timeout(ACQUIRE, pool.permits.clone().acquire_owned()).await;
        let permit = permit.map_err(|_| AdapterError::Unavailable("no connection was free in time".into()))?;
        let permit = permit.map_err(|error| AdapterError::Unavailable(error.into()))?;
        let (session, limit, generation) = {
            let mut idle = pool.idle();
            // The server may have closed some of them.
            let session = std::iter::from_fn(|| idle.sessions.pop()).find(Session::is_open);
            (session, idle.limit, idle.generation)
        };
        let session = match session {
            Some(session) => session,
            None => Session::connect(&pool.driver, limit, LOCK).await.map_err(Over::<W>::general)?,
        };
        Ok(Lease { session: Some(session), generation, pool, permit: Some(permit) })
    }

    fn release(lease: Lease<W>) {
        drop(lease);
    }

    async fn change(
        &self,
        resource: &'static Descriptor,
        write: &Write<'_>,
    ) -> Result<WriteResult<Over<W>>, AdapterError> {
        let effects = learning::effects(self, resource).await?;
        let limit = self.pool.idle().limit;
        let shared = self.pipeline.session(&self.pool.driver, limit).await.map_err(Over::<W>::general)?;
        if let Some(mut session) = shared {
            match write::without_transaction::<Over<W>>(&mut session, resource, write, effects).await {
                Ok(Attempt::Settled(change)) => return Ok(WriteResult::of_one(change)),
                Ok(Attempt::Undecided) => {}
                Err(error) if is_in_the_way(&error) => {}
                Err(error) => return Err(error),
            }
        }
        connections::change(self, resource, write).await
    }

    fn facts(&self) -> &Arc<Facts> {
        &self.facts
    }

    fn slow_statements(&self) -> &SlowStatements {
        &self.slow
    }

    fn set_time_limit(&self, limit: Duration) {
        let mut idle = self.pool.idle();
        if idle.limit != limit {
            idle.limit = limit;
            idle.generation += 1;
            idle.sessions.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::wire::Wire;
    use super::*;

    #[tokio::test]
    async fn transaction_that_is_left_is_over_before_its_connection_is_free() {
        let wire = Wire::default();
        let storage = PostgresOver::new(wire.clone(), 1);
        let mut lease = storage.reader().await.unwrap();
        lease.begin("BEGIN").await.unwrap();
        drop(lease);
        drop(storage.pool.permits.acquire().await.unwrap());
        assert_eq!(wire.sent()[2..], ["BEGIN", "ROLLBACK;"]);
        drop(storage.reader().await.unwrap());
        assert_eq!(wire.connects(), 1, "the connection is used again");
    }

    #[tokio::test]
    async fn connection_that_the_server_has_closed_is_not_used_again() {
        let wire = Wire::default();
        let storage = PostgresOver::new(wire.clone(), 1);
        drop(storage.reader().await.unwrap());
        drop(storage.reader().await.unwrap());
        assert_eq!(wire.connects(), 1);
        wire.close();
        drop(storage.reader().await.unwrap());
        assert_eq!(wire.connects(), 2);
    }
}
