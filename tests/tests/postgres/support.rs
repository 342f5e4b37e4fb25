//! Tests on a PostgreSQL server, where there is one.

use crud_tests::{Backend, Database};
use sqlx::{AssertSqlSafe, PgPool, Row};

/// Runs a test with a fresh database, if this machine has PostgreSQL.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
pub(crate) fn on_postgres(test: impl AsyncFn(&Database, &PgPool)) {
    if !Backend::available().contains(&Backend::Postgres) {
        return;
    }
    let database = Backend::Postgres.fresh();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let pool = PgPool::connect(database.url()).await.unwrap();
        test(&database, &pool).await;
        pool.close().await;
    });
}

/// The first column of a query's rows, as text.
pub(crate) async fn texts(pool: &PgPool, sql: &str) -> Vec<String> {
    let rows = sqlx::query(AssertSqlSafe(sql.to_owned())).fetch_all(pool).await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

/// Runs statements.
pub(crate) async fn execute(pool: &PgPool, sql: &str) {
    sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(pool).await.unwrap();
}
