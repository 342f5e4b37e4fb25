//! The service on PostgreSQL through tokio-postgres, run as a program.

use crud_tests::{Backend, Server, on_each_backend_with_url};
use serde_json::json;

#[test]
fn notes_are_searched_and_a_batch_is_atomic() {
    on_each_backend_with_url(async |database| {
        if database.backend() != Backend::Postgres {
            return;
        }
        let url = database.socket_url();
        let program = env!("CARGO_BIN_EXE_own-dialect");
        let server = Server::start_with(program, &[], &[("DATABASE_URL", url.as_str())], database).await;
        let note = server.post("/notes", &json!({ "text": "buy milk", "done": false })).await.created();
        server.post("/notes", &json!({ "text": "read a book", "done": true })).await.created();
        assert_eq!(server.get("/notes?q=milk").await.ok()["data"], json!([note]));
        assert_eq!(server.get("/notes?done=true&sort=-text").await.ok()["data"][0]["text"], "read a book");

        let refused = json!({ "items": [{ "text": "call", "done": false }, { "text": 5, "done": false }] });
        server.post("/notes/batch", &refused).await.problem("validation_failed");
        assert_eq!(server.get("/notes").await.ok()["total"], 2);
        assert_eq!(server.patch("/notes/1", &json!({ "done": true })).await.ok()["done"], true);
        assert_eq!(server.get("/notes/1/history").await.ok()["total"], 2);
    });
}
