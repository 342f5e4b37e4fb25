//! The indexes that resources want serve the lists that they are there for.

use crud_runtime::prelude::*;
use sqlx::PgPool;

use crate::support::{on_postgres, run};

#[derive(Debug, Clone, Resource)]
#[crud(table = "notes", prefix = "/notes", filter(rank, title), sort(rank, title))]
struct Note {
    id: i64,
    title: String,
    rank: Option<i32>,
}

async fn plan(pool: &PgPool, sql: &str) -> String {
    let mut connection = pool.acquire().await.unwrap();
    sqlx::query("SET enable_seqscan = off").execute(&mut *connection).await.unwrap();
    let rows = sqlx::query(sqlx::AssertSqlSafe(format!("EXPLAIN {sql}"))).fetch_all(&mut *connection).await.unwrap();
    rows.iter().map(|row| sqlx::Row::get::<String, _>(row, 0)).collect::<Vec<_>>().join("\n")
}

#[test]
fn an_order_is_read_from_an_index_in_both_directions() {
    on_postgres(async |database, pool| {
        drop(database.service().await.resource::<Note>().migrate().await.unwrap());
        run(pool, "INSERT INTO notes (title, rank) SELECT i::text, nullif(i % 7, 0) FROM generate_series(1, 2000) i")
            .await;
        run(pool, "ANALYZE notes").await;
        for (order, index) in [
            ("rank NULLS FIRST, id", "ix_notes__rank__id"),
            ("rank DESC NULLS LAST, id DESC", "ix_notes__rank__id"),
            ("title, id", "ix_notes__title__id"),
            ("title DESC, id DESC", "ix_notes__title__id"),
        ] {
            let plan = plan(pool, &format!("SELECT * FROM notes ORDER BY {order} LIMIT 10")).await;
            assert!(plan.contains(index) && !plan.contains("Sort"), "{order}: {plan}");
        }
        let after = "SELECT * FROM notes WHERE (rank, id) > (3, 100) ORDER BY rank NULLS FIRST, id LIMIT 10";
        let plan = plan(pool, after).await;
        assert!(plan.contains("Index Cond: (ROW(rank, id) > ROW(3, 100))"), "{plan}");
    });
}
