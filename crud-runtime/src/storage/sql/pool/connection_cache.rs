//! [`Leases`]: a pool's connections, handed from one use to the next.
//!
//! sqlx asks a connection whether it is well each time one comes back to its pool, which is a message to the server
//! and back for every one that carries a statement. Here a connection that has done its work goes to who is next,
//! and sees the pool again once it has been away for a while.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sqlx::pool::PoolConnection;
use sqlx::{Database, Pool};
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

/// How long a connection stays away from its pool.
const AWAY: Duration = Duration::from_secs(1);

/// The connections of a pool.
pub(crate) struct Leases<D: Database> {
    pool: Pool<D>,
    /// None where others take connections from the pool too, who would wait for those that are kept.
    kept: Option<Kept<D>>,
}

/// Connections that are not in use and not in the pool either.
struct Kept<D: Database> {
    /// As many as the pool has connections: who holds one need not wait for the pool.
    turns: Semaphore,
    idle: Mutex<Vec<Away<D>>>,
}

/// A connection that is away from its pool.
struct Away<D: Database> {
    connection: PoolConnection<D>,
    since: Instant,
}

impl<D: Database> Kept<D> {
    fn idle(&self) -> MutexGuard<'_, Vec<Away<D>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<D: Database> Leases<D> {
    /// Connections that others take from the pool too.
    pub(crate) const fn shared(pool: Pool<D>) -> Self {
        Self { pool, kept: None }
    }

    /// Connections that nobody else takes from the pool.
    pub(crate) fn alone(pool: Pool<D>) -> Self {
        let turns = Semaphore::new(pool.options().get_max_connections() as usize);
        Self { pool, kept: Some(Kept { turns, idle: Mutex::default() }) }
    }

    /// The pool.
    pub(crate) const fn pool(&self) -> &Pool<D> {
        &self.pool
    }

    /// Lets those that are kept go back to the pool, which may have done with them.
    pub(crate) fn let_go(&self) {
        // The way back is a task, for which there has to be a runtime.
        if let Some(kept) = self.kept.as_ref().filter(|_| Handle::try_current().is_ok()) {
            drop(std::mem::take(&mut *kept.idle()));
        }
    }

    /// A connection, which returns to the pool unless it is [handed on](Lease::hand_on).
    ///
    /// # Errors
    /// As [`Pool::acquire`].
    pub(crate) async fn take(&self) -> sqlx::Result<Lease<'_, D>> {
        let Some(kept) = &self.kept else {
            return Ok(Lease { away: Away::new(self.pool.acquire().await?), turn: None });
        };
        let turn = timeout(self.pool.options().get_acquire_timeout(), kept.turns.acquire()).await;
        let turn = turn.map_err(|_| sqlx::Error::PoolTimedOut)?.map_err(|_| sqlx::Error::PoolClosed)?;
        let idle = kept.idle().pop().filter(|away| away.since.elapsed() < AWAY);
        let away = match idle {
            Some(away) => away,
            None => {
                // Those that were there before it have been away for longer.
                self.let_go();
                Away::new(self.pool.acquire().await?)
            }
        };
        Ok(Lease { away, turn: Some((kept, turn)) })
    }
}

impl<D: Database> Away<D> {
    fn new(connection: PoolConnection<D>) -> Self {
        Self { connection, since: Instant::now() }
    }
}

impl<D: Database> fmt::Debug for Leases<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pool.fmt(f)
    }
}

impl<D: Database> Drop for Leases<D> {
    fn drop(&mut self) {
        self.let_go();
        if let Some(kept) = &self.kept {
            kept.idle().drain(..).for_each(|away| drop(away.connection.detach()));
        }
    }
}

/// A connection in use.
pub(crate) struct Lease<'a, D: Database> {
    away: Away<D>,
    turn: Option<(&'a Kept<D>, SemaphorePermit<'a>)>,
}

impl<D: Database> Lease<'_, D> {
    /// Hands the connection to who is next: it has no work left, not even a transaction to roll back.
    pub(crate) fn hand_on(self) {
        if let Some((kept, turn)) = self.turn
            && self.away.since.elapsed() < AWAY
        {
            kept.idle().push(self.away);
            drop(turn);
        }
    }
}

#[cfg(feature = "migrations")]
impl<D: Database> Lease<'_, D> {
    /// Takes the connection from its pool for good.
    pub(crate) fn detach(self) -> D::Connection {
        self.away.connection.detach()
    }
}

impl<D: Database> Deref for Lease<'_, D> {
    type Target = D::Connection;

    fn deref(&self) -> &D::Connection {
        &self.away.connection
    }
}

impl<D: Database> DerefMut for Lease<'_, D> {
    fn deref_mut(&mut self) -> &mut D::Connection {
        &mut self.away.connection
    }
}
