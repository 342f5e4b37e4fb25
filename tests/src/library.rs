//! A library that a database user with few rights serves: what a service needs is what its requests use.

use crud_runtime::prelude::*;
use reqwest::Method;
use serde_json::json;

use crate::api::Api;

/// A shelf of the library.
#[derive(Debug, Clone, Resource)]
#[crud(table = "shelves", prefix = "/shelves", filter, sort)]
pub struct Shelf {
    /// The key.
    pub id: i64,
    /// The name.
    #[crud(unique)]
    pub name: String,
}

/// A book on a shelf.
#[derive(Debug, Clone, Resource)]
#[crud(table = "books", prefix = "/books", audit, filter, sort, search(title), soft_delete, batch, export)]
#[crud(pagination(default_limit = 20, max_limit = 100))]
pub struct Book {
    /// The key.
    pub id: i64,
    /// The title.
    pub title: String,
    /// The shelf.
    #[crud(references(Shelf, expand))]
    pub shelf_id: i64,
    /// The time of its deletion.
    pub deleted_at: Option<DateTime<Utc>>,
}

/// The statements that put one book on one shelf.
pub const ONE_BOOK: &str =
    "INSERT INTO shelves (name) VALUES ('a'); INSERT INTO books (title, shelf_id) VALUES ('One', 1)";

/// A service with the library's resources.
pub fn resources(service: Service) -> Service {
    service.resource::<Shelf>().resource::<Book>()
}

/// Checks a service whose user may only read.
///
/// # Panics
/// When a read fails, or a change succeeds.
pub async fn check_reads(api: Api) {
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
}

/// Checks a service whose user may change records and nothing else.
///
/// # Panics
/// When a change fails.
pub async fn check_changes(api: Api) {
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
}

/// Checks that reads of shelves are refused, and changes of books, and reads of books are not.
///
/// # Panics
/// When an answer is another one.
pub async fn check_rights_of_books(api: Api) {
    for target in ["/shelves", "/shelves/1", "/books/1?expand=shelf"] {
        let problem = api.get(target).await.problem("denied_by_database");
        assert_eq!(problem.detail, "the database does not allow this", "{target}");
    }
    api.get("/books/1").await.ok();
    api.delete("/books/1").await.problem("denied_by_database");
    api.stop().await;
}
