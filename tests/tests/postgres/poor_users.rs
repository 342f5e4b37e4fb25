//! Database users with few rights: what a service needs is what its requests use.

use crud_runtime::prelude::*;
use crud_tests::{Api, Database};
use reqwest::Method;
use serde_json::json;
use sqlx::PgPool;

use crate::support::{execute, on_postgres, role_of, url_of_role};

#[derive(Debug, Clone, Resource)]
#[crud(table = "shelves", prefix = "/shelves", filter, sort)]
struct Shelf {
    id: i64,
    #[crud(unique)]
    name: String,
}

#[derive(Debug, Clone, Resource)]
#[crud(table = "books", prefix = "/books", audit, filter, sort, search(title), soft_delete, batch, export)]
#[crud(pagination(default_limit = 20, max_limit = 100))]
struct Book {
    id: i64,
    title: String,
    #[crud(references(Shelf, expand))]
    shelf_id: i64,
    deleted_at: Option<DateTime<Utc>>,
}

/// A service as a user with these rights, on tables that another one has made.
async fn start(database: &Database, pool: &PgPool, rights: &str) -> (Api, String) {
    let resources = |service: Service| service.resource::<Shelf>().resource::<Book>();
    drop(resources(database.service().await).migrate().await.expect("the tables"));
    execute(pool, "INSERT INTO shelves (name) VALUES ('a'); INSERT INTO books (title, shelf_id) VALUES ('One', 1)")
        .await;
    let role = role_of(pool, rights).await;
    let service = resources(Service::connect(&url_of_role(database, &role)).await.expect("a service of the role"));
    (Api::start(database, service.migrate().await.expect("nothing is missing")).await, role)
}

#[test]
fn user_that_may_only_read_serves_reads_and_refuses_changes() {
    on_postgres(async |database, pool| {
        let (api, _) = start(database, pool, "SELECT").await;
        for target in [
            "/books",
            "/books/1",
            "/books?q=one&title=One&sort=-title",
            "/books/1?expand=shelf",
            "/books/1/history",
            "/audit-logs",
        ] {
            api.get(target).await.ok();
        }
        api.get("/books/export").await.expect(200);
        api.get("/ready").await.expect(200);
        let book = json!({ "title": "Two", "shelf_id": 1 });
        api.post("/books", &book).await.problem("denied_by_database");
        api.patch("/books/1", &json!({ "title": "Two" })).await.problem("denied_by_database");
        api.delete("/books/1").await.problem("denied_by_database");
        api.post("/books/batch", &json!({ "items": [book.clone(), book] })).await.problem("denied_by_database");
        api.stop().await;
    });
}

#[test]
fn user_that_may_change_records_alone_needs_nothing_else() {
    on_postgres(async |database, pool| {
        let (api, _) = start(database, pool, "SELECT, INSERT, UPDATE, DELETE").await;
        let created = api.post("/books", &json!({ "title": "Two", "shelf_id": 1 })).await.created();
        let path = format!("/books/{}", created["id"]);
        api.patch(&path, &json!({ "title": "Three" })).await.ok();
        let items = json!({ "items": [{ "title": "a", "shelf_id": 1 }, { "title": "b", "shelf_id": 1 }] });
        api.post("/books/batch", &items).await.ok();
        api.delete(&path).await.ok();
        api.request(Method::POST, format!("{path}/restore")).await.ok();
        api.delete(&path).await.ok();
        api.delete(format!("{path}/permanent")).await.ok();
        let shelf = api.post("/shelves", &json!({ "name": "b" })).await.created();
        api.delete(format!("/shelves/{}", shelf["id"])).await.ok();
        api.delete("/shelves/1").await.problem("referenced");
        api.stop().await;
    });
}

#[test]
fn missing_right_of_one_table_or_column_is_403_there_alone() {
    on_postgres(async |database, pool| {
        let (api, role) = start(database, pool, "SELECT, INSERT, UPDATE").await;
        execute(pool, &format!("REVOKE SELECT ON shelves FROM \"{role}\"; REVOKE UPDATE ON books FROM \"{role}\""))
            .await;
        execute(pool, &format!("GRANT UPDATE (title) ON books TO \"{role}\"")).await;
        for target in ["/shelves", "/shelves/1", "/books/1?expand=shelf"] {
            let problem = api.get(target).await.problem("denied_by_database");
            assert_eq!(problem.detail, "the database does not allow this", "{target}");
        }
        api.get("/books/1").await.ok();
        api.delete("/books/1").await.problem("denied_by_database");
        api.stop().await;
    });
}

#[test]
fn start_that_lacks_a_table_says_so_to_a_user_without_create() {
    on_postgres(async |database, pool| {
        let role = role_of(pool, "SELECT").await;
        let service = Service::connect(&url_of_role(database, &role)).await.expect("a service of the role");
        let error = service.resource::<Shelf>().migrate().await.expect_err("the table is missing");
        let error = format!("{error:?}");
        assert!(error.contains("permission denied for schema public"), "{error}");
    });
}
