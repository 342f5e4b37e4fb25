//! Group reads: records of several requests in one statement.

use crud_tests::{Api, Client, free_address, wait_until};
use serde_json::json;
use tokio::task::JoinSet;

use crate::postgres::support::{on_postgres, texts};

/// The statements that wait for a lock.
const WAITING: &str =
    "SELECT query FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";

/// Number of times that fifty readers begin: those that have waited for a second read alone, and a busy machine may
/// take that long to begin them.
const ATTEMPTS: usize = 10;

/// Begins to read each of ten records three times, and ten that are missing.
fn begin_to_read(api: &Client) -> JoinSet<()> {
    let mut requests = JoinSet::new();
    for number in 0..30 {
        let client = api.clone();
        requests.spawn(async move {
            let id = number % 10 + 1;
            let category = client.get(format!("/categories/{id}")).await.ok();
            assert_eq!((&category["id"], &category["name"]), (&json!(id), &json!(format!("Category {id}"))));
        });
    }
    for number in 0..10 {
        let client = api.clone();
        requests.spawn(async move {
            client.get(format!("/categories/{}", number + 100)).await.problem("not_found");
        });
    }
    requests
}

/// Waits until the service has this many requests.
async fn wait_for_requests(metrics: &Client, count: usize) {
    let line = format!("http_requests_in_flight {count}");
    wait_until(&line, async || metrics.get("/metrics").await.expect(200).text().lines().any(|other| other == line))
        .await;
}

#[test]
fn readers_that_wait_share_a_statement() {
    on_postgres(async |database, pool| {
        let address = free_address().to_string();
        let service = shop::open_shop(database.service().await)
            .server(|server| server.metrics(&address))
            .migrate()
            .await
            .unwrap();
        let metrics = Client::of_program(format!("http://{address}"), database.secrets());
        let api = Api::start(database, service).await;
        for number in 1..=10 {
            api.post("/categories", &json!({ "name": format!("Category {number}") })).await.created();
        }
        let mut waiting = Vec::new();
        for _ in 0..ATTEMPTS {
            let mut lock = pool.begin().await.unwrap();
            sqlx::query("LOCK TABLE categories IN ACCESS EXCLUSIVE MODE").execute(&mut *lock).await.unwrap();
            let requests = begin_to_read(&api);
            // Ten more leave before the answer.
            let mut leaving = JoinSet::new();
            for number in 1..=10 {
                let client = Client::clone(&api);
                leaving.spawn(async move { client.get(format!("/categories/{number}")).await });
            }
            wait_for_requests(&metrics, 50).await;
            waiting = texts(pool, WAITING).await;
            leaving.shutdown().await;
            lock.rollback().await.unwrap();
            requests.join_all().await;
            if waiting.len() <= 3 {
                break;
            }
        }
        assert!((1..=3).contains(&waiting.len()), "{waiting:?}");

        // Later requests are answered, too.
        api.get("/categories/1").await.ok();
        api.stop().await;
    });
}

#[test]
fn a_reader_does_not_wait_long_for_the_statements_of_others() {
    on_postgres(async |database, pool| {
        let service = shop::open_shop(database.service().await).migrate().await.unwrap();
        let api = Api::start(database, service).await;
        api.post("/categories", &json!({ "name": "Tools" })).await.created();
        let mut lock = pool.begin().await.unwrap();
        sqlx::query("LOCK TABLE categories IN ACCESS EXCLUSIVE MODE").execute(&mut *lock).await.unwrap();
        let mut requests = JoinSet::new();
        for _ in 0..8 {
            let client = Client::clone(&api);
            requests.spawn(async move { client.get("/categories/1").await.ok()["name"].clone() });
        }
        wait_until("more statements than a group has", async || texts(pool, WAITING).await.len() > 3).await;
        lock.rollback().await.unwrap();
        assert!(requests.join_all().await.iter().all(|name| name == "Tools"));
        api.stop().await;
    });
}
