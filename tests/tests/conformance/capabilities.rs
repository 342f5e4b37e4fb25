//! Storage without transactions, replicas or migrations refuses what needs them.

use std::future::ready;
use std::sync::Arc;

use crud_runtime::Error;
use crud_runtime::SessionVariables;
use crud_runtime::adapter::backends::BACKENDS;
use crud_runtime::adapter::{
    Adapter, AdapterError, AdapterFuture, AdapterLayer, Capabilities, MigrateError, Mode, Outcome, Transaction, Write,
    WriteSink,
};
use crud_runtime::descriptor::Descriptor;
use crud_runtime::prelude::*;
use crud_tests::fixtures::batch;
use crud_tests::kitchen::Essay;
use crud_tests::{Backend, Client};
use own_adapter::Memory;
use reqwest::Method;
use serde_json::json;
use tokio::net::TcpListener;

/// A note in storage that changes one record at a time.
#[derive(Debug, Clone, Resource)]
#[crud(filter, soft_delete, batch, audit)]
struct Memo {
    id: i64,
    text: String,
    deleted_at: Option<DateTime<Utc>>,
}

/// A resource with partial batches: each item stands for itself.
#[derive(Debug, Clone, Resource)]
#[crud(batch(mode(partial)))]
struct Scrap {
    id: i64,
    text: String,
}

/// Storage without any capability.
#[derive(Debug)]
struct SingleRecords(Arc<dyn Adapter>);

impl AdapterLayer for SingleRecords {
    fn inner(&self) -> &dyn Adapter {
        &*self.0
    }

    fn session(&self, _: &Arc<SessionVariables>) -> Option<Arc<dyn Adapter>> {
        None
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::new()
    }

    fn write<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> AdapterFuture<'a, Vec<Outcome>> {
        assert!(write.mode == Mode::Partial || write.work.len() <= 1, "an atomic write of several records");
        self.0.write(resource, write, sink)
    }

    fn begin(&self) -> AdapterFuture<'_, Box<dyn Transaction>> {
        Box::pin(ready(Err(AdapterError::Unsupported { what: "transactions of several calls" })))
    }
}

/// A service in memory, without any capability.
fn single_records() -> Service {
    Service::from_adapter(Memory::default()).storage_layer(SingleRecords)
}

fn on_single_records(test: impl AsyncFnOnce(Client)) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let service = single_records().resource::<Memo>().resource::<Scrap>();
        let service = service.migrate().await.expect("the tables");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("the port's address");
        let server = tokio::spawn(service.serve_on(listener, std::future::pending()));
        test(Client::new(format!("http://{address}"), Vec::new())).await;
        server.abort();
    });
}

fn texts(texts: &[&str]) -> serde_json::Value {
    batch(texts.iter().map(|text| json!({ "text": text })))
}

#[test]
fn atomic_batch_of_several_items_is_refused_and_writes_nothing() {
    on_single_records(async |client| {
        let problem = client.post("/memos/batch", &texts(&["a", "b"])).await.problem("unsupported_here");
        assert!(problem.detail.contains("atomic changes of several records"), "{problem}");
        assert_eq!(client.get("/memos").await.ok(), json!([]));
        assert_eq!(client.get("/audit-logs").await.ok()["total"], 0);
        let created = client.post("/memos/batch", &texts(&["a"])).await.ok();
        assert_eq!(created["created"], 1);
        let items = json!({ "items": [{ "id": 1, "text": "b" }, { "id": 2, "text": "c" }] });
        client.put("/memos/batch", &items).await.problem("unsupported_here");
        let ids = json!({ "ids": [1, 2] });
        client.request(Method::DELETE, "/memos/batch").json(&ids).await.problem("unsupported_here");
        assert_eq!(client.get("/memos/1").await.ok()["text"], "a");
    });
}

#[test]
fn partial_batch_of_several_items_succeeds() {
    on_single_records(async |client| {
        assert_eq!(client.post("/scraps/batch", &texts(&["a", "b"])).await.ok()["created"], 2);
    });
}

#[test]
fn restore_and_purge_of_several_records_are_refused() {
    on_single_records(async |client| {
        for text in ["a", "b"] {
            let id = client.post("/memos", &json!({ "text": text })).await.created()["id"].clone();
            client.delete(format!("/memos/{id}")).await.ok();
        }
        client.request(Method::POST, "/memos/restore?all=true").await.problem("unsupported_here");
        client.delete("/memos/deleted?all=true").await.problem("unsupported_here");
        assert_eq!(client.post("/memos/restore", &json!({ "ids": [1] })).await.ok()["restored"], 1);
        assert_eq!(client.delete("/memos/deleted?text=b").await.ok()["deleted"], 1);
        assert_eq!(client.get("/memos").await.ok().as_array().map(Vec::len), Some(1));
    });
}

#[test]
fn document_states_that_an_atomic_batch_has_one_item() {
    on_single_records(async |client| {
        let document = client.get("/openapi.json").await.ok();
        let schemas = &document["components"]["schemas"];
        let max_items = |schema: &str, member: &str| schemas[schema]["properties"][member]["maxItems"].clone();
        let of_batches = |member: &str, resource: &str| {
            let names = schemas.as_object().expect("schemas").keys().filter(|name| name.contains(resource));
            names.map(|name| max_items(name, member)).filter(|most| !most.is_null()).collect::<Vec<_>>()
        };
        assert_eq!(of_batches("items", "Memo"), [1, 1]);
        assert_eq!(of_batches("ids", "Memo"), [1]);
        assert!(of_batches("items", "Scrap").iter().all(|most| most.as_u64() > Some(1)));
    });
}

#[test]
fn every_back_end_is_tested() {
    for row in BACKENDS {
        assert!(
            Backend::ALL.iter().any(|backend| backend.name() == row.database.name),
            "{} is not tested",
            row.database.name
        );
    }
}

#[tokio::test]
async fn storage_without_replicas_refuses_them_at_start() {
    let service = single_records();
    let error = service.replicas("postgres://127.0.0.1:1/shop").await.expect_err("no replicas");
    assert!(matches!(error, Error::Setup(_)), "{error}");
}

#[tokio::test]
async fn storage_without_migrations_refuses_them_at_start() {
    let service = single_records().resource::<Memo>();
    let error = service.migrations_from("migrations").migrate().await.expect_err("no migrations");
    assert!(matches!(error, Error::Migrate(MigrateError::Unsupported)), "{error}");
}

#[tokio::test]
async fn storage_without_full_text_search_refuses_it_at_start() {
    let service = single_records().resource::<Essay>();
    let error = service.migrate().await.expect_err("no full-text search").to_string();
    assert!(error.contains("Essay has `search(…)`, and this storage has no full-text search"), "{error}");
}
