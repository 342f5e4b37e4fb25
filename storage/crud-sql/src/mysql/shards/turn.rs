//! A lock under which starts of servers and runs of migrations change the tables of shards one after another.
//!
//! vtgate has one lock for all places. A lock on one shard would not work: statements run on any of the tablet's
//! connections, and the one that took the lock would keep it.

use std::time::{Duration, Instant};

use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Executor, Row};
use tokio::time::{interval, sleep};

use super::ShardedMySqlAdapter;
use crate::connections::Connections as _;
use crate::model::adapter_error::AdapterError;
use crate::mysql::MySqlConnections;
use crate::mysql::definition::text_literal;
use crate::mysql::error::general;
use crate::mysql::turn::taken;

/// Interval between two attempts to take the lock.
const ATTEMPTS: Duration = Duration::from_millis(100);

/// Number of connections that vtgate may lose before an attempt fails.
const MAX_LOST: usize = 3;

/// Interval of statements that keep the lock: a tablet closes a connection that is idle for half a minute.
const KEPT: Duration = Duration::from_secs(5);

impl ShardedMySqlAdapter {
    /// Runs work under the lock.
    ///
    /// # Errors
    /// [`AdapterError::Unavailable`] where another server has held the lock for the whole `limit`; errors of the work.
    pub(super) async fn in_turn<T, E: From<AdapterError>>(
        &self,
        limit: Duration,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let mut lease = self.routed.0.connections.reader().await?;
        let name = text_literal(&format!("crud {}", self.keyspaces.sharded));
        take(&mut lease, &name, limit).await?;
        let done = keeping(&mut lease, &name, taken(work)).await;
        // A connection that does not answer is closed, which releases the lock.
        if lease.execute(AssertSqlSafe(format!("SELECT RELEASE_LOCK({name})"))).await.is_ok() {
            MySqlConnections::release(lease);
        }
        done
    }
}

async fn take(connection: &mut MySqlConnection, name: &str, limit: Duration) -> Result<(), AdapterError> {
    let begin = Instant::now();
    let lock = format!("SELECT GET_LOCK({name}, 0)");
    let mut lost = 0..MAX_LOST;
    while begin.elapsed() < limit {
        let asked = connection.fetch_one(AssertSqlSafe(lock.clone())).await;
        match asked.and_then(|row| row.try_get_unchecked::<Option<i64>, _>(0)).map_err(general) {
            Ok(Some(1)) => return Ok(()),
            // vtgate's own connection is gone: the next attempt opens another.
            Err(AdapterError::Unavailable(_)) if lost.next().is_some() => {}
            answer => drop(answer?),
        }
        sleep(ATTEMPTS).await;
    }
    Err(AdapterError::Unavailable(format!("another server has been creating tables for {} s", limit.as_secs()).into()))
}

/// Runs work while a connection keeps its lock, by asking about the lock at intervals.
async fn keeping<T>(connection: &mut MySqlConnection, name: &str, work: impl Future<Output = T>) -> T {
    let (mut work, mut kept) = (std::pin::pin!(work), interval(KEPT));
    let ask = format!("SELECT IS_USED_LOCK({name})");
    loop {
        tokio::select! {
            done = &mut work => return done,
            // If the lock is lost, the work goes on without it: when two servers create the same table, only one
            // succeeds.
            _ = kept.tick() => drop(connection.execute(AssertSqlSafe(ask.clone())).await),
        }
    }
}
