//! Counts of the rows that MariaDB and MySQL read by indexes and of tables.

use sqlx::Row;
use sqlx::mysql::MySqlConnection;

use crate::catalogue::index_reads::IndexReads;
use crate::storage::index_use::IndexCounts;

/// The way to turn counts on.
const REMEDY: &str = "this server does not count the use of indexes. `SET GLOBAL userstat = 1` turns that on in MariaDB \
                      (`userstat = 1` in its configuration keeps it), `performance_schema = ON` in the configuration of \
                      MySQL. Ask again after some days";

/// Counts of `userstat`, or else of the performance schema, where one of them is on.
pub(super) async fn index_reads(connection: &mut MySqlConnection) -> sqlx::Result<IndexReads> {
    const SETTINGS: &str =
        "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('userstat', 'performance_schema') AND Value = 'ON'";
    const USERSTAT: [&str; 2] = [
        "SELECT TABLE_NAME, CAST(ROWS_READ AS SIGNED) FROM information_schema.TABLE_STATISTICS \
         WHERE TABLE_SCHEMA = DATABASE()",
        "SELECT TABLE_NAME, INDEX_NAME, CAST(ROWS_READ AS SIGNED) FROM information_schema.INDEX_STATISTICS \
         WHERE TABLE_SCHEMA = DATABASE()",
    ];
    const PERFORMANCE_SCHEMA: [&str; 2] = [
        "SELECT OBJECT_NAME, CAST(SUM(COUNT_READ) AS SIGNED) \
         FROM performance_schema.table_io_waits_summary_by_index_usage WHERE OBJECT_SCHEMA = DATABASE() \
         GROUP BY OBJECT_NAME",
        "SELECT OBJECT_NAME, INDEX_NAME, CAST(COUNT_READ AS SIGNED) \
         FROM performance_schema.table_io_waits_summary_by_index_usage \
         WHERE OBJECT_SCHEMA = DATABASE() AND INDEX_NAME IS NOT NULL",
    ];
    let settings = sqlx::raw_sql(SETTINGS).fetch_all(&mut *connection).await?;
    let settings: Vec<String> = settings.iter().map(|row| row.try_get_unchecked(0)).collect::<sqlx::Result<_>>()?;
    let has = |name: &str| settings.iter().any(|setting| setting.eq_ignore_ascii_case(name));
    let [tables, indexes] = match (has("userstat"), has("performance_schema")) {
        (true, _) => USERSTAT,
        (false, true) => PERFORMANCE_SCHEMA,
        (false, false) => {
            return Ok(IndexReads { counts: IndexCounts::Off(REMEDY.to_owned()), ..IndexReads::default() });
        }
    };
    let tables = sqlx::query(tables).fetch_all(&mut *connection).await?;
    let indexes = sqlx::query(indexes).fetch_all(connection).await?;
    let number = |number: i64| number.unsigned_abs();
    let tables = tables.iter().map(|row| Ok((row.try_get_unchecked(0)?, number(row.try_get_unchecked(1)?))));
    let indexes = indexes
        .iter()
        .map(|row| Ok((row.try_get_unchecked(0)?, row.try_get_unchecked(1)?, number(row.try_get_unchecked(2)?))));
    Ok(IndexReads {
        counts: IndexCounts::Since("the server started, or counts were turned on or reset".to_owned()),
        tables: tables.collect::<sqlx::Result<_>>()?,
        indexes: indexes.collect::<sqlx::Result<_>>()?,
    })
}
