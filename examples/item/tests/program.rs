//! The smallest service, run as a program.

use crud_tests::{Server, on_each_backend_with_url, start_lines};
use serde_json::{Value, json};

#[test]
fn item_is_created_read_updated_listed_and_deleted() {
    on_each_backend_with_url(async |database| {
        let server = Server::start(env!("CARGO_BIN_EXE_item"), database).await;
        assert_eq!(server.get("/items").await.ok(), json!([]));
        let created = server.post("/items", &json!({ "name": "Pen", "price": 1.5 })).await.created();
        assert_eq!(created, json!({ "id": 1, "name": "Pen", "description": null, "price": 1.5 }));
        let updated = server.put("/items/1", &json!({ "price": 2.0 })).await.ok();
        assert_eq!(updated, json!({ "id": 1, "name": "Pen", "description": null, "price": 2.0 }));
        assert_eq!(server.get("/items").await.ok(), Value::Array(vec![updated.clone()]));
        assert_eq!(server.delete("/items/1").await.ok(), updated);
        server.get("/items/1").await.problem("not_found");
        assert_eq!(server.get("/").await.ok()["endpoints"], json!({ "items": "/items" }));
    });
}

#[test]
fn start_logs_that_the_service_is_open_and_its_address() {
    on_each_backend_with_url(async |database| {
        let open = "WARN the service is open to everyone: it has no authentication, and it states no access rule";
        let lines = start_lines(env!("CARGO_BIN_EXE_item"), &[], database).await;
        assert_eq!(lines, [open, "INFO listening on http://ADDRESS"]);
    });
}
