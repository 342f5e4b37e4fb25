//! How far a server has got, in bytes of the write-ahead log
//! (<https://www.postgresql.org/docs/current/functions-admin.html#FUNCTIONS-ADMIN-BACKUP>).

use std::sync::OnceLock;
use std::time::Duration;

use sqlx::postgres::{PgPool, PgPoolOptions};

use super::error::general;
use crate::model::adapter_error::AdapterError;
use crate::storage::position::Position;

/// What a primary has written.
///
/// Behind a record that fills a page to its end, the next one is to be written past the header of the next page
/// (24 bytes), while what is replayed ends with the page: the header is taken off, or a replica would seem to lack
/// something until the next write.
const WRITTEN: &str = "WITH log AS (SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS place) \
     SELECT (place - CASE WHEN place % current_setting('wal_block_size')::numeric = 24 THEN 24 ELSE 0 END)::bigint \
     FROM log";

/// What a replica has replayed; nothing of one that has become a primary, and goes its own way.
const REPLAYED: &str = "SELECT (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint WHERE pg_is_in_recovery()";

/// How long the connection for that may take to come.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(1);

/// Asks a server how far it is, on a connection of its own, which opens when it is first asked: where all others
/// are at work, that is no sign of a server that is away.
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

    /// The position of the server of this pool; none of one that is no replica, where it should be.
    pub(super) async fn of(&self, pool: &PgPool) -> Result<Option<Position>, AdapterError> {
        let own = self.own.get_or_init(|| {
            let options = PgPoolOptions::new().max_connections(1).acquire_timeout(ACQUIRE_TIMEOUT);
            options.test_before_acquire(false).connect_lazy_with((*pool.connect_options()).clone())
        });
        let place: Option<Option<i64>> =
            sqlx::query_scalar(self.statement).fetch_optional(own).await.map_err(general)?;
        Ok(place.flatten().and_then(|place| u64::try_from(place).ok()).map(Position::new))
    }
}
