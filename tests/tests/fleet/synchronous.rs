//! Commits that wait for a synchronous standby that is away.

use std::time::Duration;

use crud_tests::audit_log;
use crud_tests::kitchen::{Parcel, Team};
use crud_tests::{Answer, Api, Client, Cluster, Database};
use serde_json::json;
use tokio::task::JoinSet;

use crate::support::{execute, holds, synchronous, wait_until, with_postgres_if_long};

/// More than the connections of a service.
const WRITERS: usize = 30;

const A_COMMIT_WAITS: &str = "EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep')";
const NO_COMMIT_WAITS: &str = "NOT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep')";

/// A service whose requests have this time, with one parcel, and a database whose commits wait for a standby that is not
/// there.
async fn without_standby(limit: Duration) -> (Api, Database) {
    const KNOWN: &str = "EXISTS (SELECT FROM pg_stat_activity WHERE application_name LIKE 'crud %.%')";
    let database = Database::in_cluster(&Cluster::durable());
    let service =
        database.service().await.limits(|limits| limits.request_timeout(limit)).resource::<Team>().resource::<Parcel>();
    let api = Api::start(&database, service.migrate().await.expect("the tables")).await;
    let first = json!({ "code": "the first", "weight": 1 });
    api.post("/parcels", &first).await.created();
    synchronous(database.url(), Some("absent")).await;
    wait_until("commits wait", async || a_commit_waits(database.url()).await).await;
    // A connection that returns to its pool finds out, which it does after a second. The next one that writes has a name.
    wait_until("the service knows", async || {
        api.post("/parcels", &first).await.problem("conflict");
        holds(database.url(), KNOWN).await
    })
    .await;
    (api, database)
}

/// Whether a commit waits for the standby, which the server knows of in its own time. The wait is cancelled.
async fn a_commit_waits(url: &str) -> bool {
    let of_the_test = url.to_owned();
    let commit = tokio::spawn(async move {
        execute(&of_the_test, "SELECT pg_logical_emit_message(true, '', '')").await;
    });
    wait_until("a commit waits or ends", async || commit.is_finished() || holds(url, A_COMMIT_WAITS).await).await;
    let waits = !commit.is_finished();
    execute(url, "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'").await;
    commit.await.expect("a commit whose wait is cancelled stands");
    waits
}

/// Begins to create parcels, each by a client.
fn begin_to_create(client: &Client) -> JoinSet<Answer> {
    let mut requests = JoinSet::new();
    for number in 0..WRITERS {
        let client = client.clone();
        requests.spawn(async move {
            client.post("/parcels", &json!({ "code": format!("parcel {number}"), "weight": 1 })).await
        });
    }
    requests
}

/// Every record that is stored has its entry, and no other has one; the number of records after the first.
async fn agree(client: &Client) -> usize {
    let entries = audit_log::entries(client, "Parcel").await;
    let states = audit_log::replay(&entries).expect("a consistent log");
    let total = client.get("/parcels").await.ok()["total"].as_u64();
    assert_eq!(total, Some(states.len() as u64), "the log has the records that are stored");
    states.len() - 1
}

#[test]
fn commits_whose_clients_have_gone_are_cancelled_and_stand() {
    with_postgres_if_long(async {
        let (api, database) = without_standby(Duration::from_secs(30)).await;
        let mut clients = begin_to_create(&api);
        wait_until("commits wait", async || holds(database.url(), A_COMMIT_WAITS).await).await;
        for _ in 0..5 {
            api.get("/parcels").await.ok();
        }
        assert!(holds(database.url(), A_COMMIT_WAITS).await, "a read waited for changes");
        // A change that waits too long for a connection is refused.
        while let Some(answer) = clients.try_join_next() {
            assert_eq!(answer.expect("no panic").status(), 503, "a commit was acknowledged without the standby");
        }
        clients.shutdown().await;
        wait_until("the waits are cancelled", async || holds(database.url(), NO_COMMIT_WAITS).await).await;
        let stored = agree(&api).await;
        assert!(stored > 0, "a cancelled commit stands on the primary");
        synchronous(database.url(), None).await;
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
    with_postgres_if_long(async {
        let (api, database) = without_standby(Duration::from_secs(1)).await;
        let answers = begin_to_create(&api).join_all().await;
        for answer in &answers {
            match answer.status() {
                504 => assert!(answer.text().contains("may have been applied"), "{answer}"),
                503 => {}
                _ => panic!("{answer}"),
            }
        }
        let unknown = answers.iter().filter(|answer| answer.status() == 504).count();
        wait_until("the waits are cancelled", async || holds(database.url(), NO_COMMIT_WAITS).await).await;
        let stored = agree(&api).await;
        assert!(stored > 0 && stored <= unknown, "{stored} are stored, of {unknown} whose outcome is unknown");
        synchronous(database.url(), None).await;
        api.stop().await;
    });
}
