//! Group reads: records of several requests in one statement.

use std::time::Duration;

use crud_tests::{Api, Client};
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::support::{on_postgres, texts};

/// The statements that wait for a lock.
const WAITING: &str =
    "SELECT query FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";

#[test]
fn readers_that_wait_share_a_statement() {
    on_postgres(async |database, pool| {
        let service = shop::shop(database.service().await).migrate().await.unwrap();
        let api = Api::start(database, service).await;
        for number in 1..=10 {
            api.post("/categories", &json!({ "name": format!("Category {number}") })).await.created();
        }
        let mut lock = pool.begin().await.unwrap();
        sqlx::query("LOCK TABLE categories IN ACCESS EXCLUSIVE MODE").execute(&mut *lock).await.unwrap();

        // Each of ten records three times, ten that are missing, and ten that leave before the answer.
        let mut requests = JoinSet::new();
        let mut leaving = JoinSet::new();
        for number in 0..30 {
            let (client, leaver) = (Client::clone(&api), Client::clone(&api));
            requests.spawn(async move {
                let id = number % 10 + 1;
                let category = client.get(format!("/categories/{id}")).await.ok();
                assert_eq!((&category["id"], &category["name"]), (&json!(id), &json!(format!("Category {id}"))));
            });
            if number < 10 {
                leaving.spawn(async move { leaver.get(format!("/categories/{}", number + 1)).await });
                let client = Client::clone(&api);
                requests.spawn(async move {
                    client.get(format!("/categories/{}", number + 100)).await.problem("not_found");
                });
            }
        }
        sleep(Duration::from_millis(300)).await;
        let waiting = texts(pool, WAITING).await;
        assert!((1..=3).contains(&waiting.len()), "{waiting:?}");
        leaving.shutdown().await;
        lock.rollback().await.unwrap();
        requests.join_all().await;

        // Those that came later are answered, too.
        api.get("/categories/1").await.ok();
        api.stop().await;
    });
}

#[test]
fn a_reader_does_not_wait_long_for_the_statements_of_others() {
    on_postgres(async |database, pool| {
        let service = shop::shop(database.service().await).migrate().await.unwrap();
        let api = Api::start(database, service).await;
        api.post("/categories", &json!({ "name": "Tools" })).await.created();
        let mut lock = pool.begin().await.unwrap();
        sqlx::query("LOCK TABLE categories IN ACCESS EXCLUSIVE MODE").execute(&mut *lock).await.unwrap();
        let mut requests = JoinSet::new();
        for _ in 0..8 {
            let client = Client::clone(&api);
            requests.spawn(async move { client.get("/categories/1").await.ok()["name"].clone() });
        }
        let mut waiting = 0;
        for _ in 0..20 {
            sleep(Duration::from_millis(100)).await;
            waiting = waiting.max(texts(pool, WAITING).await.len());
        }
        assert!(waiting > 3, "{waiting} statements at once");
        lock.rollback().await.unwrap();
        assert!(requests.join_all().await.iter().all(|name| name == "Tools"));
        api.stop().await;
    });
}
