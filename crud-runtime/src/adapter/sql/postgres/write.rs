//! Writes: again, where other writers were in the way.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use sqlx::PgPool;
use tokio::time::sleep;

use super::dialect::Postgres;
use super::error::{general, is_conflict};
use crate::adapter::sql::change;
use crate::adapter::{AdapterError, Outcome, Write, WriteSink, WriteWhere};
use crate::descriptor::Descriptor;

/// How often a write is done again at most.
const RETRIES: u32 = 6;

/// About how long the first retry waits; each further one waits twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(4);

/// See [`Adapter::write`](crate::adapter::Adapter::write).
pub(super) async fn write(
    pool: &PgPool,
    resource: &'static Descriptor,
    write: Write<'_>,
    sink: &mut dyn WriteSink,
) -> Result<Vec<Outcome>, AdapterError> {
    if write.work.is_empty() {
        return Ok(Vec::new());
    }
    let mut retries = 0..RETRIES;
    let changed = loop {
        let mut connection = pool.acquire().await.map_err(general)?;
        let changed = change::run::<Postgres>(&mut connection, resource, &write).await;
        drop(connection);
        match (changed, retries.next()) {
            (Err(error), Some(retry)) if is_conflict(&error) => sleep(wait(retry)).await,
            (changed, _) => break changed?,
        }
    };
    changed.hand_on(resource, sink)
}

/// See [`Adapter::write_where`](crate::adapter::Adapter::write_where).
pub(super) async fn write_where(
    pool: &PgPool,
    resource: &'static Descriptor,
    write: WriteWhere<'_>,
) -> Result<u64, AdapterError> {
    let mut retries = 0..RETRIES;
    loop {
        let mut connection = pool.acquire().await.map_err(general)?;
        let count = change::run_where::<Postgres>(&mut connection, resource, write).await;
        drop(connection);
        match (count, retries.next()) {
            (Err(error), Some(retry)) if is_conflict(&error) => sleep(wait(retry)).await,
            (count, _) => return count,
        }
    }
}

/// Between half of the time and one and a half, so that those who met do not meet again.
fn wait(retry: u32) -> Duration {
    let random = RandomState::new().hash_one(retry) % 1_000;
    FIRST_WAIT * 2_u32.pow(retry) * (500 + u32::try_from(random).unwrap_or_default()) / 1_000
}
