//! The created indexes serve the lists they are meant for.

use crud_runtime::prelude::*;
use crud_tests::wait_until;
use sqlx::{Executor, PgConnection};

use crate::postgres::support::{execute, on_postgres, texts};

#[derive(Debug, Clone, Resource)]
#[crud(table = "notes", prefix = "/notes", filter(rank, title), sort(rank, title))]
struct Note {
    id: i64,
    title: String,
    rank: Option<i32>,
}

#[derive(Debug, Clone, Resource)]
#[crud(table = "orders", filter(customer), soft_delete, index(customer, made, some(customer)))]
struct Order {
    id: i64,
    customer: Option<i64>,
    made: i32,
    deleted_at: Option<DateTime<Utc>>,
}

async fn plan(connection: &mut PgConnection, sql: &str) -> String {
    sqlx::query("SET enable_seqscan = off").execute(&mut *connection).await.unwrap();
    let rows = sqlx::query(sqlx::AssertSqlSafe(format!("EXPLAIN {sql}"))).fetch_all(connection).await.unwrap();
    rows.iter().map(|row| sqlx::Row::get::<String, _>(row, 0)).collect::<Vec<_>>().join("\n")
}

#[test]
fn sort_order_is_read_from_an_index_in_both_directions() {
    on_postgres(async |database, pool| {
        drop(database.service().await.resource::<Note>().migrate().await.unwrap());
        execute(
            pool,
            "INSERT INTO notes (title, rank) SELECT i::text, nullif(i % 7, 0) FROM generate_series(1, 2000) i",
        )
        .await;
        execute(pool, "ANALYZE notes").await;
        let mut connection = pool.acquire().await.unwrap();
        for (order, index) in [
            ("rank NULLS FIRST, id", "ix_notes__rank__id"),
            ("rank DESC NULLS LAST, id DESC", "ix_notes__rank__id"),
            ("title, id", "ix_notes__title__id"),
            ("title DESC, id DESC", "ix_notes__title__id"),
        ] {
            let plan = plan(&mut connection, &format!("SELECT * FROM notes ORDER BY {order} LIMIT 10")).await;
            assert!(plan.contains(index) && !plan.contains("Sort"), "{order}: {plan}");
        }
        let after = "SELECT * FROM notes WHERE (rank, id) > (3, 100) ORDER BY rank NULLS FIRST, id LIMIT 10";
        let plan = plan(&mut connection, after).await;
        assert!(plan.contains("Index Cond: (ROW(rank, id) > ROW(3, 100))"), "{plan}");
    });
}

#[test]
fn partial_index_serves_a_filter_on_its_column() {
    on_postgres(async |database, pool| {
        drop(database.service().await.resource::<Order>().migrate().await.unwrap());
        let indexes = "SELECT indexdef FROM pg_indexes WHERE indexname LIKE 'ix_orders%' ORDER BY indexname";
        let expected = "CREATE INDEX ix_orders__some_customer__made ON public.orders USING btree \
                        (customer NULLS FIRST, made) WHERE ((deleted_at IS NULL) AND (customer IS NOT NULL))";
        let by_key = "CREATE INDEX ix_orders__id ON public.orders USING btree (id) WHERE (deleted_at IS NULL)";
        assert_eq!(texts(pool, indexes).await, [by_key, expected], "the partial index serves the filter");
        let orders = "INSERT INTO orders (customer, made) SELECT nullif(i % 7, 0), i FROM generate_series(1, 2000) i";
        execute(pool, orders).await;
        execute(pool, "ANALYZE orders").await;
        let mut connection = pool.acquire().await.unwrap();
        // A generic plan does not know the argument, only that it is compared.
        connection.execute("SET plan_cache_mode = force_generic_plan").await.unwrap();
        let found = "SELECT * FROM orders WHERE deleted_at IS NULL AND customer = $1 ORDER BY made LIMIT 10";
        connection.execute(sqlx::AssertSqlSafe(format!("PREPARE found AS {found}"))).await.unwrap();
        let plan = plan(&mut connection, "EXECUTE found(3)").await;
        assert!(plan.contains("ix_orders__some_customer__made") && !plan.contains("Sort"), "{plan}");
    });
}

#[derive(Debug, Clone, Resource)]
#[crud(table = "pages", search(title, text), sort(title), soft_delete)]
struct Page {
    id: i64,
    title: String,
    text: Option<String>,
    deleted_at: Option<DateTime<Utc>>,
}

#[test]
fn a_search_is_served_by_its_index() {
    on_postgres(async |database, pool| {
        let service = database.service().await.resource::<Page>().migrate().await.unwrap();
        let pages = "INSERT INTO pages (title, text) SELECT 'page ' || i, 'word' || i FROM generate_series(1, 20000) i";
        execute(pool, pages).await;
        execute(pool, "ANALYZE pages").await;
        let found = service.store::<Page>().list(Select::all().search("page word777")).await.unwrap();
        assert_eq!(found.len(), 11, "777 and 7770 to 7779");
        // A connection that ends publishes its statistics.
        drop(service);
        let scans = "SELECT idx_scan::text FROM pg_stat_user_indexes WHERE indexrelname LIKE 'search%'";
        wait_until("the index is used", async || texts(pool, scans).await != ["0"]).await;
    });
}

/// A letter before it had an index of words.
#[derive(Debug, Clone, Resource)]
#[crud(table = "letters")]
struct PlainLetter {
    id: i64,
    text: String,
}

#[derive(Debug, Clone, Resource)]
#[crud(table = "letters", search(text))]
struct Letter {
    id: i64,
    text: String,
}

#[test]
fn migrate_analyzes_the_tables_whose_indexes_it_creates() {
    on_postgres(async |database, pool| {
        drop(database.service().await.resource::<PlainLetter>().migrate().await.unwrap());
        execute(pool, "INSERT INTO letters (text) SELECT 'word ' || i FROM generate_series(1, 500) i").await;
        drop(database.service().await.resource::<Letter>().migrate().await.unwrap());
        let analyzed = "SELECT DISTINCT tablename::text FROM pg_stats WHERE schemaname = current_schema() ORDER BY 1";
        let analyzed = texts(pool, analyzed).await;
        assert!(analyzed.len() == 2 && analyzed.contains(&"letters".to_owned()), "table and index: {analyzed:?}");
        // A complete table is left as it is.
        execute(pool, "DELETE FROM pg_statistic WHERE starelid = 'letters'::regclass").await;
        drop(database.service().await.resource::<Letter>().migrate().await.unwrap());
        assert_eq!(texts(pool, "SELECT tablename::text FROM pg_stats WHERE tablename = 'letters'").await, [""; 0]);
    });
}
