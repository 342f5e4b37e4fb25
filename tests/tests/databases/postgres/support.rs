//! Tests on a PostgreSQL server, where there is one.

use std::sync::atomic::{AtomicUsize, Ordering};

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

/// A role that may log in and has these rights on every table of the database, and no other.
pub(crate) async fn role_of(pool: &PgPool, rights: &str) -> String {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let database = texts(pool, "SELECT current_database()").await.remove(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let role = format!("{database}_{}_{number}", std::process::id());
    // The schema of a database that another test has left lacks the rights of a new one.
    let create = format!(
        "CREATE ROLE \"{role}\" LOGIN; REVOKE CREATE ON SCHEMA public FROM PUBLIC; \
         REVOKE TEMPORARY ON DATABASE \"{database}\" FROM PUBLIC; GRANT USAGE ON SCHEMA public TO \"{role}\"; \
         GRANT {rights} ON ALL TABLES IN SCHEMA public TO \"{role}\""
    );
    execute(pool, &create).await;
    role
}

/// The URL of the database for a role.
pub(crate) fn url_of_role(database: &Database, role: &str) -> String {
    let (_, rest) = database.url().split_once('@').unwrap();
    format!("postgres://{role}@{rest}")
}
