//! Commits that wait for a synchronous standby that is away.

use std::time::{Duration, Instant};

use crud_tests::audit_log;
use crud_tests::kitchen::{Parcel, Team};
use crud_tests::{Api, Client, Cluster, Database};
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::support::{execute, holds, wait_until, with_postgres};

/// More than the connections of a service.
const WRITERS: usize = 30;

const NO_COMMIT_WAITS: &str = "NOT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep')";

/// A service whose requests have this time, and a database whose commits wait for a standby that is not there.
async fn without_standby(limit: Duration) -> (Api, Database) {
    let database = Database::in_cluster(&Cluster::durable());
    let service = database.service().await.request_timeout(limit).resource::<Team>().resource::<Parcel>();
    let api = Api::start(&database, service.migrate().await.expect("the tables")).await;
    execute(database.url(), "ALTER SYSTEM SET synchronous_standby_names = 'absent'").await;
    execute(database.url(), "SELECT pg_reload_conf()").await;
    // Connections that were open know of it a second after they left their pool, when they are used again.
    for _ in 0..25 {
        sleep(Duration::from_millis(100)).await;
        api.get("/parcels").await.ok();
    }
    (api, database)
}

async fn with_standby_again(database: &Database) {
    execute(database.url(), "ALTER SYSTEM RESET synchronous_standby_names").await;
    execute(database.url(), "SELECT pg_reload_conf()").await;
}

/// Creates parcels at once, each by a client that waits this long; the statuses and details of answers.
async fn create(client: &Client, patience: Duration) -> Vec<(u16, String)> {
    let mut requests = JoinSet::new();
    for number in 0..WRITERS {
        let client = client.clone();
        requests.spawn(async move {
            let body = json!({ "code": format!("parcel {number}"), "weight": 1 });
            let answer = timeout(patience, client.post("/parcels", &body)).await.ok()?;
            Some((answer.status(), answer.json()["detail"].to_string()))
        });
    }
    requests.join_all().await.into_iter().flatten().collect()
}

/// Every record that is stored has its entry, and no other has one.
async fn agree(client: &Client) -> usize {
    let entries = audit_log::entries(client, "Parcel").await;
    let states = audit_log::replay(&entries).expect("a consistent log");
    let total = client.get("/parcels").await.ok()["total"].as_u64();
    assert_eq!(total, Some(states.len() as u64), "the log has the records that are stored");
    states.len()
}

#[test]
fn commits_whose_clients_have_gone_are_cancelled_and_stand() {
    with_postgres(async {
        let (api, database) = without_standby(Duration::from_secs(30)).await;
        let clients = Client::clone(&api);
        let gone = tokio::spawn(async move { create(&clients, Duration::from_millis(700)).await });
        for _ in 0..5 {
            sleep(Duration::from_millis(100)).await;
            let begin = Instant::now();
            api.get("/parcels").await.ok();
            assert!(begin.elapsed() < Duration::from_secs(1), "a read waits for changes: {:?}", begin.elapsed());
        }
        assert_eq!(gone.await.expect("the clients").len(), 0, "a commit was acknowledged without the standby");
        wait_until("the waits are cancelled", async || holds(database.url(), NO_COMMIT_WAITS).await).await;
        let stored = agree(&api).await;
        assert!(stored > 0, "a cancelled commit stands on the primary");
        with_standby_again(&database).await;
        wait_until("changes are acknowledged", async || {
            let code = format!("after {}", fastrand::u64(..));
            api.post("/parcels", &json!({ "code": code, "weight": 1 })).await.status() == 201
        })
        .await;
        agree(&api).await;
        api.stop().await;
    });
}

#[test]
fn commits_whose_time_is_over_are_504_that_claims_nothing() {
    with_postgres(async {
        let (api, database) = without_standby(Duration::from_secs(1)).await;
        let answers = create(&api, Duration::from_secs(10)).await;
        assert_eq!(answers.len(), WRITERS);
        for (status, detail) in &answers {
            match status {
                504 => assert!(detail.contains("may have been made"), "{detail}"),
                503 => {}
                _ => panic!("{status} {detail}"),
            }
        }
        let unknown = answers.iter().filter(|(status, _)| *status == 504).count();
        wait_until("the waits are cancelled", async || holds(database.url(), NO_COMMIT_WAITS).await).await;
        let stored = agree(&api).await;
        assert!(stored > 0 && stored <= unknown, "{stored} are stored, of {unknown} whose outcome is unknown");
        with_standby_again(&database).await;
        api.stop().await;
    });
}
