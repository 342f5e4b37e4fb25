//! Keys that the database does not keep unique: a change of one record would change others.

use crud_runtime::prelude::*;
use crud_tests::{Database, on_each_sql_backend};
use tokio::net::TcpListener;

/// A line of another program's table.
#[derive(Debug, Clone, Resource)]
#[crud(table = "foreign_lines", prefix = "/foreign")]
struct Foreign {
    #[crud(id(client))]
    order_id: i64,
    amount: i32,
}

async fn start(database: &Database) -> crud_runtime::Result<()> {
    let service = database.service().await.resource::<Foreign>();
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    service.serve_on(listener, async {}).await
}

async fn create(database: &Database, key: &str) {
    // A file of SQLite is there once it is opened.
    drop(database.service().await);
    let table =
        format!("CREATE TABLE foreign_lines (order_id BIGINT NOT NULL, line INT NOT NULL, amount INT NOT NULL{key})");
    database.execute(&table).await;
}

#[test]
fn a_part_of_a_key_is_refused_at_the_start() {
    on_each_sql_backend(async |database| {
        create(database, ", PRIMARY KEY (order_id, line)").await;
        let error = start(database).await.expect_err("an ambiguous key").to_string();
        assert!(error.contains("its primary key is `order_id`, `line`, must be `order_id`"), "{error}");
    });
}

#[test]
fn a_table_without_a_key_is_refused_at_the_start() {
    on_each_sql_backend(async |database| {
        create(database, "").await;
        let error = start(database).await.expect_err("an ambiguous key").to_string();
        assert!(error.contains("has no primary key, must have `order_id`"), "{error}");
    });
}

#[test]
fn a_unique_key_is_served() {
    on_each_sql_backend(async |database| {
        create(database, ", UNIQUE (order_id)").await;
        start(database).await.expect("a unique key");
    });
}

#[test]
fn a_router_refuses_the_requests() {
    use tower::ServiceExt;

    on_each_sql_backend(async |database| {
        create(database, "").await;
        let router = database.service().await.resource::<Foreign>().into_router().expect("a router");
        let request = axum::http::Request::get("/foreign/7").body(axum::body::Body::empty()).expect("a request");
        let response = router.oneshot(request).await.expect("a response");
        assert_eq!(response.status(), 503);
    });
}
