//! Keys that the database does not keep unique: a change of one record would change others.

use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, post};
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

/// An order of another program's table, whose bodies write its parts.
#[derive(Debug, Clone, Resource)]
#[crud(table = "foreign_orders", prefix = "/orders", has_many(parts(ForeignPart::order_id, nested)))]
struct ForeignOrder {
    #[crud(id(client))]
    id: i64,
    name: String,
}

/// A part of an order; its number is not unique.
#[derive(Debug, Clone, Resource)]
#[crud(table = "foreign_parts", prefix = "/parts")]
struct ForeignPart {
    #[crud(id(client))]
    number: i64,
    #[crud(references(ForeignOrder))]
    order_id: i64,
    amount: i32,
}

async fn touch(ctx: Context) -> crud_runtime::Result<()> {
    ctx.store::<ForeignPart>().update(7_i64, ForeignPartPatch::default().amount(2)).await.map(drop)
}

#[test]
fn a_router_refuses_what_other_routes_would_write() {
    use axum::body::Body;
    use axum::http::Request;
    use tower::ServiceExt;

    on_each_sql_backend(async |database| {
        drop(database.service().await);
        for statement in [
            "CREATE TABLE foreign_orders (id BIGINT NOT NULL PRIMARY KEY, name VARCHAR(100) NOT NULL)",
            "CREATE TABLE foreign_parts (number BIGINT NOT NULL, order_id BIGINT NOT NULL, amount INT NOT NULL)",
            "INSERT INTO foreign_orders (id, name) VALUES (1, 'a')",
            "INSERT INTO foreign_parts (number, order_id, amount) VALUES (7, 1, 0), (7, 1, 0)",
        ] {
            database.execute(statement).await;
        }
        let service = database.service().await.resource::<ForeignOrder>().resource::<ForeignPart>();
        let router = service.route("/parts/{id}/touch", post(touch)).into_router().expect("a router");
        for (method, path, body, status) in [
            ("GET", "/parts/7", "", 503),
            ("POST", "/parts/7/touch", "{}", 503),
            ("PATCH", "/orders/1", r#"{"parts":[{"number":7,"amount":1}]}"#, 503),
            ("PATCH", "/orders/1", r#"{"name":"b"}"#, 200),
        ] {
            let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
            let response = router.clone().oneshot(request.body(Body::from(body)).expect("a request")).await;
            assert_eq!(response.expect("a response").status(), status, "{method} {path} {body}");
        }
    });
}
