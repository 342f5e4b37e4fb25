//! Partial indexes serve queries for a value of their column.

use crud_runtime::adapter::{Administration, SqlitePoolAdapter};
use crud_runtime::audit::AuditRecord;
use crud_runtime::prelude::*;
use sqlx::Row;
use sqlx::sqlite::{SqlitePool, SqlitePoolOptions};

#[derive(Debug, Clone, Resource)]
#[crud(table = "customers")]
struct Customer {
    id: i64,
}

#[derive(Debug, Clone, Resource)]
#[crud(table = "orders", filter(customer, made), index(customer, made, some(customer)))]
struct Order {
    id: i64,
    #[crud(references(Customer))]
    customer: Option<i64>,
    made: i32,
}

#[derive(Debug, Clone, Resource)]
#[crud(table = "letters", soft_delete, sort(author), index(author, made, some(author)))]
struct Letter {
    id: i64,
    author: Option<i64>,
    made: i32,
    deleted_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone, Resource)]
#[crud(table = "parcels", soft_delete, filter(customer, weight), sort(weight, sent), default_sort(desc(sent)))]
struct Parcel {
    id: i64,
    #[crud(references(Customer))]
    customer: i64,
    weight: i32,
    sent: i64,
    note: String,
    deleted_at: Option<DateTime<Utc>>,
}

async fn database() -> SqlitePool {
    let pool = SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await.unwrap();
    let resources =
        [Customer::DESCRIPTOR, Order::DESCRIPTOR, Letter::DESCRIPTOR, Parcel::DESCRIPTOR, AuditRecord::DESCRIPTOR];
    SqlitePoolAdapter::new(pool.clone()).migrate(&resources).await.unwrap();
    pool
}

/// The query plan of a statement.
async fn plan(pool: &SqlitePool, sql: &str) -> String {
    let explained = sqlx::AssertSqlSafe(format!("EXPLAIN QUERY PLAN {sql}"));
    let rows = sqlx::query(explained).fetch_all(pool).await.unwrap();
    rows.iter().map(|row| row.get::<String, _>("detail")).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn partial_index_replaces_the_full_one_unless_sorted() {
    let pool = database().await;
    let names =
        "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name IN ('orders', 'letters') ORDER BY rowid";
    let names: Vec<String> = sqlx::query_scalar(names).fetch_all(&pool).await.unwrap();
    let expected = [
        "ix_orders__some_customer__made",
        "ix_orders__made",
        "ix_letters__some_author__made__id__deleted_at",
        // A sort needs the records with null too.
        "ix_letters__author__id__deleted_at",
        "ix_deleted_letters__deleted_at",
    ];
    assert_eq!(names, expected);
    let removal = plan(&pool, "SELECT 1 FROM orders WHERE customer = ?1").await;
    assert!(removal.contains("ix_orders__some_customer__made (customer=?)"), "{removal}");
}

#[tokio::test]
async fn list_with_a_filter_is_read_in_index_order() {
    let pool = database().await;
    for (list, index) in [
        ("orders WHERE customer = ?1 ORDER BY made, id", "ix_orders__some_customer__made (customer=?)"),
        ("orders WHERE customer = ?1 ORDER BY made DESC, id DESC", "ix_orders__some_customer__made (customer=?)"),
        (
            "letters WHERE deleted_at IS NULL AND author = ?1 ORDER BY made, id",
            "ix_letters__some_author__made__id__deleted_at (author=?)",
        ),
    ] {
        let plan = plan(&pool, &format!("SELECT * FROM {list} LIMIT 10")).await;
        assert!(plan.contains(index) && !plan.contains("TEMP B-TREE"), "{list}: {plan}");
    }
    let nulls = plan(&pool, "SELECT * FROM orders WHERE customer IS NULL").await;
    assert!(nulls.starts_with("SCAN"), "nulls are not in the index: {nulls}");
}

#[tokio::test]
async fn audit_log_queries_use_its_indexes() {
    let pool = database().await;
    for (condition, index) in [
        ("entity_type = ?1 AND entity_id = ?2", "ix_audit_logs__entity_type__entity_id__timestamp"),
        ("entity_type = ?1 AND entity_key = ?2", "ix_audit_logs__entity_type__some_entity_key__timestamp"),
        ("user_id = ?1", "ix_audit_logs__some_user_id__timestamp"),
        ("1 = 1", "ix_audit_logs__timestamp"),
        ("action = ?1", "ix_audit_logs__timestamp"),
    ] {
        let list = format!("SELECT * FROM audit_logs WHERE {condition} ORDER BY timestamp, id LIMIT 20");
        let plan = plan(&pool, &list).await;
        assert!(plan.contains(&format!("{index} ")) || plan.ends_with(index), "{condition}: {plan}");
        assert!(!plan.contains("TEMP B-TREE"), "{condition}: {plan}");
    }
}

#[tokio::test]
async fn default_order_and_references_have_an_index() {
    let pool = database().await;
    for (list, index) in [
        ("1 = 1 ORDER BY sent DESC, id DESC", "ix_parcels__sent__id__deleted_at"),
        ("customer = ?1 ORDER BY sent DESC, id DESC", "ix_parcels__customer__sent__id__deleted_at (customer=?)"),
        ("weight = ?1 ORDER BY id", "ix_parcels__weight__id__deleted_at (weight=?)"),
        ("1 = 1 ORDER BY weight, id", "ix_parcels__weight__id__deleted_at"),
    ] {
        let plan = plan(&pool, &format!("SELECT * FROM parcels WHERE deleted_at IS NULL AND {list} LIMIT 10")).await;
        assert!(plan.contains(index) && !plan.contains("TEMP B-TREE"), "{list}: {plan}");
    }
    // A list in the order of the key reads the table, however many are deleted.
    let by_key = plan(&pool, "SELECT * FROM parcels WHERE deleted_at IS NULL ORDER BY id LIMIT 10").await;
    assert!(!by_key.contains("TEMP B-TREE"), "{by_key}");
    let keys = plan(&pool, "SELECT * FROM parcels WHERE id IN (1, 2, 3) AND deleted_at IS NULL").await;
    assert!(keys.contains("INTEGER PRIMARY KEY"), "{keys}");
}

#[tokio::test]
async fn filtered_total_is_counted_in_one_covering_index() {
    let pool = database().await;
    for condition in ["customer = ?1", "weight = ?1", "weight > ?1", "weight IN (?1, ?2)"] {
        let count =
            plan(&pool, &format!("SELECT count(*) FROM parcels WHERE deleted_at IS NULL AND {condition}")).await;
        assert!(count.contains("USING COVERING INDEX"), "{condition}: {count}");
    }
}
