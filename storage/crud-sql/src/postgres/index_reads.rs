//! Counts of PostgreSQL's scans of indexes and tables.

use sqlx::Row;
use sqlx::postgres::PgConnection;

use crate::schema::index_reads::IndexReads;
use crate::storage::index_use::IndexCounts;

/// Counts since the statistics of the database were reset.
pub(super) async fn index_reads(connection: &mut PgConnection) -> sqlx::Result<IndexReads> {
    const SINCE: &str = "SELECT COALESCE(to_char(stats_reset AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI \"UTC\"'), \
        'the database was created') FROM pg_stat_database WHERE datname = current_database()";
    const TABLES: &str = "SELECT relname::text, COALESCE(seq_scan, 0) + COALESCE(idx_scan, 0) FROM pg_stat_user_tables \
        WHERE schemaname = ANY (current_schemas(false))";
    const INDEXES: &str = "SELECT relname::text, indexrelname::text, COALESCE(idx_scan, 0) FROM pg_stat_user_indexes \
        WHERE schemaname = ANY (current_schemas(false))";
    let since: String = sqlx::query(SINCE).fetch_one(&mut *connection).await?.try_get(0)?;
    let tables = sqlx::query(TABLES).fetch_all(&mut *connection).await?;
    let indexes = sqlx::query(INDEXES).fetch_all(connection).await?;
    let number = |number: i64| number.unsigned_abs();
    let tables = tables.iter().map(|row| Ok((row.try_get(0)?, number(row.try_get(1)?))));
    let indexes = indexes.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?, number(row.try_get(2)?))));
    Ok(IndexReads {
        counts: IndexCounts::Since(since),
        tables: tables.collect::<sqlx::Result<_>>()?,
        indexes: indexes.collect::<sqlx::Result<_>>()?,
    })
}
