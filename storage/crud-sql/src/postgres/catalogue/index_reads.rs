//! Counts of PostgreSQL's scans of indexes and tables.

use sqlx::Row;
use sqlx::postgres::{PgConnection, PgRow};

use crate::catalogue::index_reads::IndexReads;
use crate::postgres::catalogue;
use crate::storage::index_use::IndexCounts;

/// Counts since the statistics of the database were reset.
pub(in crate::postgres) async fn index_reads(connection: &mut PgConnection) -> sqlx::Result<IndexReads> {
    const SINCE: &str = "SELECT COALESCE(to_char(stats_reset AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI \"UTC\"'), \
        'the database was created') FROM pg_stat_database WHERE datname = current_database()";
    const TABLES: &str = "SELECT relname::text, COALESCE(seq_scan, 0) + COALESCE(idx_scan, 0) FROM pg_stat_user_tables \
        WHERE schemaname = ANY (current_schemas(false))";
    const INDEXES: &str = "SELECT relname::text, indexrelname::text, COALESCE(idx_scan, 0) FROM pg_stat_user_indexes \
        WHERE schemaname = ANY (current_schemas(false))";
    let since = catalogue::one::<String>(connection, SINCE, Vec::new()).await?;
    let table = |row: &PgRow| Ok((row.try_get(0)?, row.try_get::<i64, _>(1)?.unsigned_abs()));
    let index = |row: &PgRow| Ok((row.try_get(0)?, row.try_get(1)?, row.try_get::<i64, _>(2)?.unsigned_abs()));
    Ok(IndexReads {
        counts: IndexCounts::Since(since),
        tables: catalogue::rows(connection, TABLES, Vec::new(), table).await?,
        indexes: catalogue::rows(connection, INDEXES, Vec::new(), index).await?,
    })
}
