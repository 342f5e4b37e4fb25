//! The created indexes serve the lists they are meant for.

use crud_runtime::prelude::*;
use sqlx::{MySqlPool, Row};

use crate::mysql::support::{execute, on_mysql};

#[derive(Debug, Clone, Resource)]
#[crud(table = "notes", prefix = "/notes", filter(rank, title), sort(rank, title))]
struct Note {
    id: i64,
    #[crud(length(max = 40))]
    title: String,
    rank: Option<i32>,
}

#[derive(Debug, Clone, Resource)]
#[crud(table = "marks", prefix = "/marks", filter(rank), sort(rank), soft_delete)]
struct Mark {
    id: i64,
    rank: Option<i32>,
    deleted_at: Option<DateTime<Utc>>,
}

/// The index that a query uses, and the plan's `Extra` column.
async fn plan(pool: &MySqlPool, sql: &str) -> (String, String) {
    let row =
        sqlx::query(sqlx::AssertSqlSafe(format!("EXPLAIN FORMAT = TRADITIONAL {sql}"))).fetch_one(pool).await.unwrap();
    let text = |name| row.try_get_unchecked::<Option<String>, _>(name).unwrap().unwrap_or_default();
    (text("key"), text("Extra"))
}

#[test]
fn sort_order_is_read_from_an_index_in_both_directions() {
    on_mysql(async |database, pool| {
        drop(database.service().await.resource::<Note>().resource::<Mark>().migrate().await.unwrap());
        let numbers: Vec<String> = (0..2_000).map(|number| format!("({number})")).collect();
        execute(pool, &format!("CREATE TABLE n (i BIGINT); INSERT INTO n VALUES {}", numbers.join(", "))).await;
        execute(pool, "INSERT INTO notes (title, `rank`) SELECT i, NULLIF(i % 7, 0) FROM n").await;
        execute(pool, "INSERT INTO marks (`rank`, deleted_at) SELECT i, IF(i % 2, NULL, NOW(6)) FROM n").await;
        execute(pool, "ANALYZE TABLE notes, marks").await;
        for (list, index) in [
            ("notes ORDER BY `rank`, id", "ix_notes__rank"),
            ("notes ORDER BY `rank` DESC, id DESC", "ix_notes__rank"),
            ("notes ORDER BY title, id", "ix_notes__title"),
            ("notes ORDER BY title DESC, id DESC", "ix_notes__title"),
            ("marks WHERE deleted_at IS NULL ORDER BY `rank`, id", "ix_marks__deleted_at__rank"),
            ("marks WHERE deleted_at IS NULL ORDER BY `rank` DESC, id DESC", "ix_marks__deleted_at__rank"),
        ] {
            // With so few records, a table scan can seem cheaper: the hint shows that the index serves the order.
            let (table, rest) = list.split_once(' ').unwrap();
            let (key, extra) =
                plan(pool, &format!("SELECT * FROM {table} FORCE INDEX ({index}) {rest} LIMIT 10")).await;
            assert!(key == index && !extra.contains("filesort"), "{list}: {key}, {extra}");
        }
    });
}
