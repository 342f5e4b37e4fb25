//! The mode with transactions, on a server that plays them: what is written is undone or there, and what MongoDB's labels ask
//! for is done. It has not run on a replica set.

use crud_runtime::Service;
use crud_runtime::prelude::*;
use crud_tests::{Api, MongoDbProcess};
use mongodb::Client;
use mongodb::bson::{Document, doc};
use serde_json::json;

/// A ticket.
#[derive(Debug, Clone, Resource)]
#[crud(table = "tickets", prefix = "/tickets", batch, audit, filter, sort)]
struct Ticket {
    id: i64,
    #[crud(unique)]
    number: i64,
    title: String,
}

/// Runs a test on a fresh server, whose commands it can make fail.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_transactions(test: impl AsyncFn(&Api, &Client)) {
    let Some(process) = MongoDbProcess::start_with_transactions() else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let database = process.database();
        let service: Service = database.service().await.resource::<Ticket>().migrate().await.unwrap();
        let api = Api::start(&database, service).await;
        let client = Client::with_uri_str(database.url()).await.unwrap();
        test(&api, &client).await;
        api.stop().await;
    });
}

/// Makes the next commands fail.
async fn fail(client: &Client, times: i32, data: Document) {
    let point = doc! { "configureFailPoint": "failCommand", "mode": { "times": times }, "data": data };
    client.database("admin").run_command(point).await.unwrap();
}

async fn counts(api: &Api) -> (u64, u64) {
    let tickets = api.get("/tickets").await.ok().as_array().unwrap().len() as u64;
    (tickets, api.get("/audit-logs").await.ok()["total"].as_u64().unwrap())
}

#[test]
fn batch_with_one_bad_item_changes_nothing() {
    on_transactions(async |api, _| {
        api.post("/tickets", &json!({ "number": 1, "title": "a" })).await.created();
        let items = json!([{ "number": 2, "title": "b" }, { "number": 1, "title": "c" }]);
        api.post("/tickets/batch", &json!({ "items": items })).await.problem("conflict");
        assert_eq!(counts(api).await, (1, 1));
        let items = json!([{ "number": 2, "title": "b" }, { "number": 3, "title": "c" }]);
        api.post("/tickets/batch", &json!({ "items": items })).await.ok();
        assert_eq!(counts(api).await, (3, 3));
    });
}

#[test]
fn transient_error_starts_the_transaction_over() {
    on_transactions(async |api, client| {
        let labels = ["TransientTransactionError"];
        for command in ["insert", "commitTransaction"] {
            let before = counts(api).await;
            fail(client, 2, doc! { "failCommands": [command], "errorCode": 112, "errorLabels": labels }).await;
            let number = before.0 * 2;
            let items = json!([{ "number": number, "title": "a" }, { "number": number + 1, "title": "b" }]);
            api.post("/tickets/batch", &json!({ "items": items })).await.ok();
            assert_eq!(counts(api).await, (before.0 + 2, before.1 + 2), "{command}");
        }
    });
}

#[test]
fn commit_whose_answer_is_lost_is_made_once() {
    on_transactions(async |api, client| {
        let data = doc! { "failCommands": ["commitTransaction"], "closeConnection": true, "afterCommand": true };
        fail(client, 1, data).await;
        api.post("/tickets/batch", &json!({ "items": [{ "number": 1, "title": "a" }, { "number": 2, "title": "b" }] }))
            .await
            .ok();
        assert_eq!(counts(api).await, (2, 2));
        let labels = ["UnknownTransactionCommitResult"];
        let data = doc! { "failCommands": ["commitTransaction"], "errorCode": 64, "errorLabels": labels, "afterCommand": true };
        fail(client, 1, data).await;
        api.post("/tickets/batch", &json!({ "items": [{ "number": 3, "title": "a" }, { "number": 4, "title": "b" }] }))
            .await
            .ok();
        assert_eq!(counts(api).await, (4, 4));
    });
}

#[test]
fn concurrent_batches_all_have_their_records_and_entries() {
    on_transactions(async |api, _| {
        let batches = (0..12_u64).map(|batch| {
            let items: Vec<_> = (0..5).map(|n| json!({ "number": batch * 5 + n, "title": "x" })).collect();
            async move { api.post("/tickets/batch", &json!({ "items": items })).await.ok() }
        });
        futures_util::future::join_all(batches).await;
        assert_eq!(counts(api).await, (60, 60));
    });
}
