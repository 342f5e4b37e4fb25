//! Errors as problems.

use crud_runtime::prelude::*;
use crud_tests::{Api, MongoDbProcess, wait_until};
use serde_json::json;

use crate::mongodb::support::{on_mongodb, service};

/// A page of text.
#[derive(Debug, Clone, Resource)]
#[crud(table = "pages", prefix = "/pages", audit)]
struct Page {
    id: i64,
    title: String,
    #[crud(length(unbounded))]
    text: String,
}

#[test]
fn record_above_the_size_of_a_document_is_body_too_large_at_its_largest_field() {
    on_mongodb(async |database| {
        let service = database
            .service()
            .await
            .resource::<Page>()
            .limits(|limits| limits.body(64 * 1024 * 1024))
            .migrate()
            .await
            .unwrap();
        let api = Api::start(database, service).await;
        // The audit entry is in the document too.
        let large = "x".repeat(9 * 1024 * 1024);
        let problem = api.post("/pages", &json!({ "title": "a", "text": large })).await.problem("body_too_large");
        assert_eq!(problem.pointers(), ["/text"]);
        assert_eq!(api.get("/pages").await.ok(), json!([]));
        assert_eq!(api.get("/audit-logs").await.ok()["total"], 0);
        api.stop().await;
    });
}

#[test]
fn unreachable_server_is_unavailable_until_it_is_back() {
    let Some(mut process) = MongoDbProcess::start() else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let database = process.database();
        let api = Api::start(&database, service(&database).await).await;
        api.post("/authors", &json!({ "name": "Ann" })).await.created();
        tokio::task::block_in_place(|| process.kill());
        api.get("/authors").await.problem("unavailable");
        api.post("/authors", &json!({ "name": "Bea" })).await.problem("unavailable");
        api.get("/ready").await.problem("unavailable");
        tokio::task::block_in_place(|| process.restart());
        wait_until("the service recovers", async || api.get("/authors").await.status() == 200).await;
        assert_eq!(api.get("/authors").await.ok()[0]["name"], "Ann");
        api.stop().await;
    });
}
