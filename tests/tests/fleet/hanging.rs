//! A primary that hangs, as under SIGSTOP, while more requests are in flight than there are connections.

use std::time::Duration;

use crud_tests::{Client, Cluster, Times, within};

use crate::support::three::{Clients, Three, with};
use crate::support::with_postgres_if_long;

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
async fn write_while_it_hangs(three: &Three, hanging: impl AsyncFnOnce(&Clients)) {
    let clients = three.clients(WRITERS);
    clients.wait_for_changes(MANY).await;
    hanging(&clients).await;
    within(REQUEST, "changes are acknowledged", clients.wait_for_changes(MANY)).await;
    three.api.get("/tags?limit=1").await.ok();
    let statuses = three.reconcile(clients).await;
    assert!(statuses.keys().all(|status| matches!(status, 201 | 503 | 504)), "{statuses:?}");
    assert!(statuses.len() > 1, "no change met the server that hangs: {statuses:?}");
}

#[test]
fn more_changes_than_connections_follow_a_promotion_away_from_a_primary_that_hangs() {
    with_postgres_if_long(async {
        let three = Three::start(REQUEST).await;
        // It hangs until changes are acknowledged elsewhere.
        let mut frozen = None;
        write_while_it_hangs(&three, async |_| {
            frozen = Some(three.first.freeze());
            with(&three.second, Cluster::promote).await;
        })
        .await;
        drop(frozen);
        three.end().await;
    });
}

#[test]
fn more_changes_than_connections_wait_for_a_primary_that_hangs_and_goes_on() {
    with_postgres_if_long(async {
        let three = Three::start(REQUEST).await;
        write_while_it_hangs(&three, async |clients| {
            let frozen = three.first.freeze();
            read_while_it_hangs(&three.api).await;
            within(2 * REQUEST, "every change is answered", clients.wait_for_answers()).await;
            drop(frozen);
        })
        .await;
        three.end().await;
    });
}
