//! A primary of PostgreSQL or a server of MariaDB that hangs, as under SIGSTOP, while more requests are in flight than
//! there are connections.

use std::sync::Arc;
use std::time::Duration;

use crud_runtime::error::Code;
use crud_runtime::prelude::*;
use crud_tests::kitchen::{NewTag, Tag};
use crud_tests::{Api, Client, Cluster, MariaDbProcess, Times, long, within};
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::support::clients::Clients;
use crate::support::three::{Three, with};
use crate::support::{runtime, with_postgres_if_long};

/// The time of a request.
const REQUEST: Duration = Duration::from_secs(4);

/// Clients that write without a pause: several for each of a service's ten connections.
const WRITERS: usize = 40;

/// More changes than are in flight when the primary stops.
const MANY: usize = 100;

/// While the primary hangs, `/health` does not wait for it, and other requests end in their time.
async fn read_while_it_hangs(client: &Client) {
    let times = Times::default();
    let health = async {
        for _ in 0..20 {
            times.of(async { client.get("/health").await.ok() }).await;
        }
    };
    within(Duration::ZERO, "twenty answers of /health", health).await;
    println!("an answer of /health: {times}");
    for path in ["/ready", "/tags?limit=1"] {
        let status = within(REQUEST, path, async { client.get(path).await.status() }).await;
        assert!(matches!(status, 200 | 503 | 504), "{path}: {status}");
    }
}

/// Writes while the primary hangs; `hanging` returns when changes are possible again.
async fn write_while_it_hangs(api: &Api, hanging: impl AsyncFnOnce(&Clients)) {
    let clients = Clients::start(api, WRITERS);
    clients.wait_for_changes(MANY).await;
    hanging(&clients).await;
    within(REQUEST, "changes are acknowledged", clients.wait_for_changes(MANY)).await;
    api.get("/tags?limit=1").await.ok();
    let statuses = clients.reconcile(api).await;
    assert!(statuses.keys().all(|status| matches!(status, 201 | 503 | 504)), "{statuses:?}");
    assert!(statuses.len() > 1, "no change met the server that hangs: {statuses:?}");
}

#[test]
fn more_changes_than_connections_follow_a_promotion_away_from_a_primary_that_hangs() {
    with_postgres_if_long(async {
        let three = Three::start(REQUEST).await;
        // It hangs until changes are acknowledged elsewhere.
        let mut frozen = None;
        write_while_it_hangs(&three.api, async |_| {
            frozen = Some(three.first.freeze());
            with(&three.second, Cluster::promote).await;
        })
        .await;
        drop(frozen);
        three.end().await;
    });
}

/// The time of a request by default: longer than it takes to replace a primary.
const LONG_REQUEST: Duration = Duration::from_secs(30);

/// Longest time from the promotion to the next change.
const AWAY: Duration = Duration::from_secs(2);

/// The key of a record whose transaction is not committed.
const LOST: &str = "lost";

#[test]
fn requests_on_a_primary_that_hangs_end_when_it_is_replaced() {
    with_postgres_if_long(async {
        let three = Three::start(LONG_REQUEST).await;
        let clients = three.clients(WRITERS);
        clients.wait_for_changes(MANY).await;
        // A transaction that has begun before.
        let begun_then_frozen: Arc<(Notify, Notify)> = Arc::default();
        let (app, steps) = (three.app.clone(), begun_then_frozen.clone());
        let transaction = tokio::spawn(async move {
            app.transaction(async |tx| {
                tx.store::<Tag>().create(NewTag { slug: LOST.into(), label: None }).await?;
                steps.0.notify_one();
                steps.1.notified().await;
                tx.store::<Tag>().count(Select::all()).await
            })
            .await
        });
        begun_then_frozen.0.notified().await;
        let frozen = three.first.freeze();
        begun_then_frozen.1.notify_one();
        let reads = (0..WRITERS).map(|_| {
            let client = three.api.clone();
            async move { client.get("/tags?limit=1").await.status() }
        });
        let reads: JoinSet<u16> = reads.collect();
        with(&three.second, Cluster::promote).await;
        let away = Times::default();
        away.of(within(AWAY, "a change is acknowledged", clients.wait_for_changes(1))).await;
        println!("from the promotion to the next acknowledged change: {away}");
        let again = Times::default();
        again.of(within(AWAY, "each client is answered", clients.wait_for_answers())).await;
        println!("from there to two answers to each client: {again}");
        let statuses = within(AWAY, "every read is answered", reads.join_all()).await;
        assert!(statuses.iter().all(|status| matches!(status, 200 | 503)), "{statuses:?}");
        let transaction = within(AWAY, "the transaction ends", transaction).await.expect("no panic");
        let refused = Problem::from(transaction.expect_err("a transaction on the server that hangs"));
        assert_eq!(refused.code(), Code::Unavailable, "{refused}");
        three.api.get(format!("/tags/{LOST}")).await.problem("not_found");
        clients.wait_for_changes(MANY).await;
        let statuses = three.reconcile(clients).await;
        assert!(statuses.keys().all(|status| matches!(status, 201 | 503 | 504)), "{statuses:?}");
        assert!(statuses.len() > 1, "no change met the server that hangs: {statuses:?}");
        drop(frozen);
        three.end().await;
    });
}

#[test]
fn more_changes_than_connections_wait_for_a_primary_that_hangs_and_goes_on() {
    with_postgres_if_long(async {
        let three = Three::start(REQUEST).await;
        write_while_it_hangs(&three.api, async |clients| {
            let frozen = three.first.freeze();
            read_while_it_hangs(&three.api).await;
            within(2 * REQUEST, "every change is answered", clients.wait_for_answers()).await;
            drop(frozen);
        })
        .await;
        three.end().await;
    });
}

#[test]
fn more_changes_than_connections_wait_for_a_server_of_mariadb_that_hangs_and_goes_on() {
    let Some(server) = long("fleet").then(MariaDbProcess::start).flatten() else { return };
    runtime().block_on(async {
        let database = server.database();
        let service = database.service().await.limits(|limits| limits.request_timeout(REQUEST)).resource::<Tag>();
        let api = Api::start(&database, service.migrate().await.expect("the tables")).await;
        write_while_it_hangs(&api, async |clients| {
            let frozen = server.freeze();
            read_while_it_hangs(&api).await;
            within(2 * REQUEST, "every change is answered", clients.wait_for_answers()).await;
            drop(frozen);
        })
        .await;
        api.stop().await;
    });
}
