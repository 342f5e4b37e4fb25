//! Position of a server, in bytes of the write-ahead log
//! (<https://www.postgresql.org/docs/current/functions-admin.html#FUNCTIONS-ADMIN-BACKUP>).

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};

use crate::model::adapter_error::AdapterError;
use crate::postgres::error::general;
use crate::storage::position::Position;

/// The position of a primary: what it has written.
///
/// If a record fills a page to its end, the next one will be written after the next page's header (24 bytes), but the
/// replayed position is the end of the page. So the header is subtracted: a replica would otherwise seem to lag until
/// the next write.
///
/// The name of a log file begins with its timeline, in hexadecimal.
const WRITTEN: &str = "WITH log AS (SELECT pg_current_wal_insert_lsn() AS insert, \
     pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS place) \
     SELECT ('x' || left(pg_walfile_name(insert), 8))::bit(32)::int::bigint, \
     (place - CASE WHEN place % current_setting('wal_block_size')::numeric = 24 THEN 24 ELSE 0 END)::bigint \
     FROM log";

/// The position up to which a replica has replayed the log. There is no row if the server has become a primary, whose
/// log diverges.
///
/// The timeline is that of the stream, which may be ahead of the replayed log. Then the position is still before the
/// promotion, and less than any position on the new timeline. Roles that cannot see the stream get the timeline of the
/// last checkpoint, which may be behind: then the primary is read instead.
const REPLAYED: &str = "SELECT coalesce((SELECT received_tli FROM pg_stat_wal_receiver), \
     (SELECT timeline_id FROM pg_control_checkpoint()))::bigint, \
     (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint WHERE pg_is_in_recovery()";

/// Time limit for the connection that reads the position.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(1);

/// Reads the position of a server on a separate connection, which opens at the first use. The server therefore does not
/// seem to be down when all connections of the pool are in use.
#[derive(Debug)]
pub(in crate::postgres) struct Positions {
    statement: &'static str,
    /// The separate connection, and the server that it connects to.
    own: Mutex<Option<(Arc<PgConnectOptions>, PgPool)>>,
}

impl Positions {
    /// Positions of a primary.
    pub(in crate::postgres) const fn written() -> Self {
        Self { statement: WRITTEN, own: Mutex::new(None) }
    }

    /// Positions of a replica.
    pub(in crate::postgres) const fn replayed() -> Self {
        Self { statement: REPLAYED, own: Mutex::new(None) }
    }

    /// The position of this pool's server; `None` if the server should be a replica and is not.
    pub(in crate::postgres) async fn read(&self, pool: &PgPool) -> Result<Option<Position>, AdapterError> {
        let own = self.connection(pool);
        let place: Option<(i64, Option<i64>)> =
            sqlx::query_as(self.statement).fetch_optional(&own).await.map_err(general)?;
        let place =
            place.and_then(|(timeline, place)| Some((u32::try_from(timeline).ok()?, u64::try_from(place?).ok()?)));
        Ok(place.map(|(timeline, place)| Position::on_timeline(timeline, place)))
    }

    /// The separate connection, to the server that the pool connects to.
    fn connection(&self, pool: &PgPool) -> PgPool {
        let server = pool.connect_options();
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        match &*own {
            Some((of, connection)) if Arc::ptr_eq(of, &server) => connection.clone(),
            _ => {
                let options = PgPoolOptions::new().max_connections(1).acquire_timeout(ACQUIRE_TIMEOUT);
                let connection = options.test_before_acquire(false).connect_lazy_with((*server).clone());
                *own = Some((server, connection.clone()));
                connection
            }
        }
    }
}
