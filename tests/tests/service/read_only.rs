//! A database file that is opened to be read.

use std::fs;

use crud_runtime::prelude::*;
use crud_tests::{Api, on_sqlite, wait_until};
use serde_json::json;

#[derive(Debug, Clone, Resource)]
#[crud(table = "books", prefix = "/books", audit, filter, sort, search(title), batch, export)]
#[crud(pagination(default_limit = 20, max_limit = 100))]
struct Book {
    id: i64,
    title: String,
}

#[test]
fn file_that_is_opened_to_be_read_serves_reads_and_refuses_changes() {
    on_sqlite(async |database| {
        let service = database.service().await.resource::<Book>().migrate().await.expect("the table");
        service.store::<Book>().create(NewBook { title: "One".to_owned() }).await.expect("a record");
        drop(service);
        let file = database.url().trim_start_matches("sqlite://").to_owned();
        wait_until("the log is in the file", async || !fs::exists(format!("{file}-wal")).expect("a directory")).await;
        let before = fs::read(&file).expect("the file");
        for parameters in ["mode=ro", "immutable=true"] {
            let service = Service::connect(&format!("{}?{parameters}", database.url())).await.expect("a service");
            let service = service.resource::<Book>().migrate().await.expect("nothing is missing");
            let api = Api::start(database, service).await;
            for target in ["/books", "/books/1", "/books?q=one&title=One&sort=-title", "/books/1/history"] {
                api.get(target).await.ok();
            }
            api.get("/books/export").await.expect(200);
            api.get("/ready").await.expect(200);
            let book = json!({ "title": "Two" });
            api.post("/books", &book).await.problem("denied_by_database");
            api.patch("/books/1", &book).await.problem("denied_by_database");
            api.delete("/books/1").await.problem("denied_by_database");
            api.post("/books/batch", &json!({ "items": [book] })).await.problem("denied_by_database");
            api.stop().await;
        }
        assert_eq!(fs::read(&file).expect("the file"), before, "nothing is written");
    });
}
