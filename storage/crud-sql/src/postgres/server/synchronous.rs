//! [`CommitWaits`]: commits that wait for a synchronous standby, and how they are ended when their request has gone.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use sqlx::postgres::{PgConnection, PgPool};
use sqlx::{Connection as _, Executor as _};

use crate::pool::connection_cache::Interrupt;
use crate::postgres::dialect::Postgres;
use crate::storage::future::BoxFuture;

/// Maximum number of bytes that the program's own application name has in a connection's name, which PostgreSQL cuts
/// off after 63 bytes.
const MAX_BASE: usize = 30;

/// Ends the statement on the connection with this name.
const CANCEL: &str = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity \
     WHERE application_name = $1 AND state = 'active' AND pid <> pg_backend_pid()";

/// Ends commits that wait for a synchronous standby. They would wait without limit, even after the client has closed
/// its connection: the statement timeout ends before the wait begins.
///
/// A writer's connection is identified by its `application_name`: a pooler keeps the name with the client, while a
/// process id may belong to another client. Setting the name costs a round trip a second, and only where commits wait.
///
/// A commit whose wait is cancelled is still committed on the primary (`WARNING: canceling wait for synchronous
/// replication`).
#[derive(Debug)]
pub(in crate::postgres) struct CommitWaits {
    pool: PgPool,
    /// Whether commits wait for standbys.
    synchronous: Arc<AtomicBool>,
    /// Random token that sets this pool's connections apart.
    token: u64,
    count: AtomicU64,
}

impl CommitWaits {
    /// Commit waits of a pool.
    pub(in crate::postgres) fn new(pool: PgPool, synchronous: Arc<AtomicBool>) -> Self {
        let mut token = [0; 8];
        // Without a random source, the time makes the token unique.
        if getrandom::fill(&mut token).is_err() {
            token = chrono::Utc::now().timestamp_micros().to_ne_bytes();
        }
        Self { pool, synchronous, token: u64::from_ne_bytes(token), count: AtomicU64::new(0) }
    }
}

impl Interrupt<Postgres> for CommitWaits {
    fn name<'a>(&'a self, connection: &'a mut PgConnection) -> BoxFuture<'a, sqlx::Result<Option<Arc<str>>>> {
        Box::pin(async move {
            if !self.synchronous.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let options = self.pool.connect_options();
            let base = options.get_application_name().unwrap_or("crud");
            let base = &base[..base.floor_char_boundary(MAX_BASE)];
            let count = self.count.fetch_add(1, Ordering::Relaxed);
            let name: Arc<str> = format!("{base} {:x}.{count}", self.token).into();
            let set = sqlx::query("SELECT set_config('application_name', $1, false)").bind(&*name);
            connection.execute(set).await?;
            Ok(Some(name))
        })
    }

    fn interrupt(&self, name: Arc<str>) -> BoxFuture<'static, sqlx::Result<()>> {
        let options = self.pool.connect_options();
        Box::pin(async move {
            let mut connection = PgConnection::connect_with(&options).await?;
            connection.execute(sqlx::query(CANCEL).bind(&*name)).await?;
            connection.close().await
        })
    }
}
