//! `/ready` with a write: changes may hang or be refused while reads go on.

use std::time::Duration;

use crud_runtime::Service;
use crud_tests::kitchen::Parcel;
use crud_tests::{Api, Client, Cluster, Database, on_each_backend, on_each_sql_backend, within};
use serde_json::json;

use crate::support::{holds, synchronous, wait_until, with_postgres_if_long};

/// Time limit of the write.
const LIMIT: Duration = Duration::from_millis(500);

async fn service(database: &Database) -> Api {
    let service: Service = database.service().await.resource::<Parcel>().server(|server| server.write_probe(LIMIT));
    Api::start(database, service.migrate().await.expect("the tables")).await
}

/// Asks `/ready`, which is 503 within the limit, at once by several clients.
async fn is_not_ready(api: &Api) {
    let answers = async { tokio::join!(api.get("/ready"), api.get("/ready"), api.get("/ready")) };
    let (first, second, third) = within(LIMIT, "/ready", answers).await;
    for answer in [first, second, third] {
        assert!(answer.header("retry-after").is_some(), "{answer}");
        answer.problem("unavailable");
    }
}

#[test]
fn ready_writes_one_record_without_an_audit_entry() {
    on_each_backend(async |database| {
        let api = service(database).await;
        for _ in 0..20 {
            api.get("/ready").await.ok();
        }
        assert_eq!(api.get("/audit-logs").await.ok()["total"], 0);
        let again = service(database).await;
        again.get("/ready").await.ok();
        again.stop().await;
        api.stop().await;
    });
}

#[test]
fn writes_that_wait_make_ready_503_while_reads_go_on() {
    on_each_sql_backend(async |database| {
        let api = service(database).await;
        api.post("/parcels", &json!({ "code": "one", "weight": 1 })).await.created();
        api.get("/ready").await.ok();
        let blocked = database.block_writers().await;
        let client = Client::clone(&api);
        let change = tokio::spawn(async move { client.post("/parcels", &json!({ "code": "two", "weight": 1 })).await });
        wait_until("the write hangs", async || api.get("/ready").await.status() == 503).await;
        is_not_ready(&api).await;
        assert!(!change.is_finished(), "/ready waits as long as a change");
        assert_eq!(api.get("/parcels").await.ok()["total"], 1);
        drop(blocked);
        change.abort();
        wait_until("the service is ready", async || api.get("/ready").await.status() == 200).await;
        api.stop().await;
    });
}

#[test]
fn absent_synchronous_standby_makes_ready_503_with_one_statement_at_a_time() {
    with_postgres_if_long(async {
        let cluster = Cluster::durable();
        let database = Database::in_cluster(&cluster);
        let api = service(&database).await;
        api.get("/ready").await.ok();
        synchronous(database.url(), Some("absent")).await;
        wait_until("the write hangs", async || api.get("/ready").await.status() == 503).await;
        for _ in 0..5 {
            is_not_ready(&api).await;
            api.get("/parcels").await.ok();
        }
        let one = "(SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep')";
        assert!(holds(database.url(), one).await, "writes pile up");
        synchronous(database.url(), None).await;
        wait_until("the service is ready", async || api.get("/ready").await.status() == 200).await;
        api.stop().await;
    });
}
