//! Tests on a MySQL or MariaDB server, where there is one.

use crud_tests::{Backend, Database};
use sqlx::{AssertSqlSafe, MySqlPool, Row};

/// Runs a test with a fresh database, if this machine has a server.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
pub(crate) fn on_mysql(test: impl AsyncFn(&Database, &MySqlPool)) {
    if !Backend::available().contains(&Backend::MySql) {
        return;
    }
    let database = Backend::MySql.fresh();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let pool = MySqlPool::connect(database.url()).await.unwrap();
        test(&database, &pool).await;
        pool.close().await;
    });
}

/// The first column of a query's rows, as text.
pub(crate) async fn texts(pool: &MySqlPool, sql: &str) -> Vec<String> {
    let rows = sqlx::query(AssertSqlSafe(sql.to_owned())).fetch_all(pool).await.unwrap();
    rows.iter().map(|row| row.get_unchecked::<String, _>(0)).collect()
}

/// Runs statements.
pub(crate) async fn execute(pool: &MySqlPool, sql: &str) {
    sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(pool).await.unwrap();
}
