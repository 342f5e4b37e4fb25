//! How far a server has got, in bytes of the write-ahead log
//! (<https://www.postgresql.org/docs/current/functions-admin.html#FUNCTIONS-ADMIN-BACKUP>).

use std::sync::OnceLock;
use std::time::Duration;

use sqlx::postgres::{PgPool, PgPoolOptions};

use super::error::general;
use crate::model::adapter_error::AdapterError;
use crate::storage::position::Position;

/// The position of a primary: what it has written.
///
/// Behind a record that fills a page to its end, the next one is to be written past the header of the next page
/// (24 bytes), while what is replayed ends with the page: the header is taken off, or a replica would seem to lack
/// something until the next write.
const WRITTEN: &str = "WITH log AS (SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS place) \
     SELECT (place - CASE WHEN place % current_setting('wal_block_size')::numeric = 24 THEN 24 ELSE 0 END)::bigint \
     FROM log";

/// The position of a replica: what it has replayed; null where it has become a primary, whose log diverges.
const REPLAYED: &str = "SELECT (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint WHERE pg_is_in_recovery()";

/// How long the connection for that may take to come.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(1);

/// Reads the position of a server on a separate connection, which opens at the first use: when all connections of the
/// pool are in use, the server is not taken for away.
#[derive(Debug)]
pub(super) struct Positions {
    statement: &'static str,
    own: OnceLock<PgPool>,
}

impl Positions {
    /// Those of a primary.
    pub(super) const fn written() -> Self {
        Self { statement: WRITTEN, own: OnceLock::new() }
    }

    /// Those of a replica.
    pub(super) const fn replayed() -> Self {
        Self { statement: REPLAYED, own: OnceLock::new() }
    }

    /// The position of the server of this pool; `None` where it should be a replica and is not.
    pub(super) async fn read(&self, pool: &PgPool) -> Result<Option<Position>, AdapterError> {
        let own = self.own.get_or_init(|| {
            let options = PgPoolOptions::new().max_connections(1).acquire_timeout(ACQUIRE_TIMEOUT);
            options.test_before_acquire(false).connect_lazy_with((*pool.connect_options()).clone())
        });
        let place: Option<Option<i64>> =
            sqlx::query_scalar(self.statement).fetch_optional(own).await.map_err(general)?;
        Ok(place.flatten().and_then(|place| u64::try_from(place).ok()).map(Position::new))
    }
}
