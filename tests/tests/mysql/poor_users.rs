//! Database users with few rights: what a service needs is what its requests use.

use std::sync::atomic::{AtomicUsize, Ordering};

use crud_runtime::prelude::*;
use crud_tests::{Api, Database};
use reqwest::Method;
use serde_json::json;
use sqlx::MySqlPool;

use crate::support::{execute, on_mysql, texts};

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

fn resources(service: Service) -> Service {
    service.resource::<Shelf>().resource::<Book>()
}

/// A user with these rights on the tables of the database alone; the URL of the database for it.
async fn user(database: &Database, pool: &MySqlPool, rights: &[String]) -> (String, String) {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let name = texts(pool, "SELECT DATABASE()").await.remove(0);
    let user = format!("u{}_{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
    // A user of a host that is named comes before those of every host.
    for host in ["%", "localhost"] {
        execute(pool, &format!("CREATE USER '{user}'@'{host}' IDENTIFIED BY 'poor'")).await;
        for right in rights {
            execute(pool, &format!("GRANT {right} TO '{user}'@'{host}'")).await;
        }
    }
    let (_, rest) = database.url().split_once('@').unwrap();
    assert!(rest.contains(&name));
    (user.clone(), format!("mysql://{user}:poor@{rest}"))
}

/// A service as a user with these rights, on tables that another one has made.
async fn start(database: &Database, pool: &MySqlPool, rights: &str) -> (Api, String) {
    drop(resources(database.service().await).migrate().await.expect("the tables"));
    execute(pool, "INSERT INTO shelves (name) VALUES ('a'); INSERT INTO books (title, shelf_id) VALUES ('One', 1)")
        .await;
    let tables = ["shelves", "books", "audit_logs"].map(|table| format!("{rights} ON {table}"));
    let (user, url) = user(database, pool, &tables).await;
    let service = resources(Service::connect(&url).await.expect("a service of the user"));
    (Api::start(database, service.migrate().await.expect("nothing is missing")).await, user)
}

#[test]
fn user_that_may_only_read_serves_reads_and_refuses_changes() {
    on_mysql(async |database, pool| {
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
    on_mysql(async |database, pool| {
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
    on_mysql(async |database, pool| {
        drop(resources(database.service().await).migrate().await.expect("the tables"));
        execute(pool, "INSERT INTO shelves (name) VALUES ('a'); INSERT INTO books (title, shelf_id) VALUES ('One', 1)")
            .await;
        let rights =
            ["SELECT ON books", "UPDATE (title) ON books", "SELECT, INSERT ON audit_logs", "SELECT ON shelves"];
        let (user, url) = user(database, pool, &rights.map(str::to_owned)).await;
        let service = resources(Service::connect(&url).await.expect("a service of the user"));
        let api = Api::start(database, service).await;
        api.get("/shelves").await.ok();
        // A start refuses a column that the user cannot read: to such a user, the catalogue does not show it.
        for host in ["%", "localhost"] {
            execute(pool, &format!("REVOKE SELECT ON shelves FROM '{user}'@'{host}'")).await;
            execute(pool, &format!("GRANT SELECT (id) ON shelves TO '{user}'@'{host}'")).await;
        }
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
fn method_for_session_variables_is_refused_with_the_reason() {
    on_mysql(async |database, _| {
        let service = database.service().await.resource::<Shelf>();
        let service = service.session_variables(|_| crud_runtime::SessionVariables::new());
        let error = service.migrate().await.expect_err("it is refused").to_string();
        assert!(error.contains("a variable of MySQL or MariaDB (`@name`) stays on its connection"), "{error}");
    });
}
