//! Replicas that lag, stop, freeze and return, and a primary that stops.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crud_tests::{Api, kitchen, pause, within};
use serde_json::json;

use crate::support::{LONG_LAG, Replicated, execute, source, wait_until, with_postgres, with_postgres_if_long};

/// A replica lag short enough for each test to exceed.
const SHORT_LAG: Duration = Duration::from_secs(1);

/// The time that a replica which is away may cost.
const NO_TIME: Duration = Duration::ZERO;

#[test]
fn lagging_replica_is_skipped_until_it_catches_up() {
    with_postgres(async {
        let replicated = Replicated::shared(SHORT_LAG).await;
        for _ in 0..2 {
            replicated.diverge().await;
            let written = Instant::now();
            wait_until("the replica is skipped", async || {
                let asked = Instant::now();
                let is_new = replicated.source().await == "of the primary";
                assert!(is_new || asked < written + SHORT_LAG, "an answer is older than the allowed replica lag");
                is_new
            })
            .await;
            replicated.pause(false).await;
            replicated.catch_up().await;
            wait_until_replica_is_read(&replicated).await;
        }
        replicated.api.stop().await;
    });
}

/// Waits until reads use the replica again, which a divergence shows.
async fn wait_until_replica_is_read(replicated: &Replicated) {
    let source = async || {
        replicated.diverge().await;
        let source = replicated.source().await;
        replicated.pause(false).await;
        source == "of the replica"
    };
    wait_until("the replica is read again", source).await;
}

#[test]
fn stopped_replica_delays_no_read_and_is_used_again_after_its_return() {
    with_postgres_if_long(async {
        let replicated = Replicated::start(LONG_LAG).await;
        replicated.diverge().await;
        replicated.wait_for_replica().await;
        replicated.replica.stop();
        for _ in 0..50 {
            let read = within(NO_TIME, "a read without the replica", replicated.source()).await;
            assert_eq!(read, "of the primary");
            pause("the service looks for the replica now and then", Duration::from_millis(20)).await;
        }
        replicated.replica.start();
        wait_until_replica_is_read(&replicated).await;
        replicated.api.stop().await;
    });
}

#[test]
fn frozen_replica_delays_a_read_briefly_and_is_used_again_after_its_return() {
    with_postgres_if_long(async {
        let replicated = Replicated::start(LONG_LAG).await;
        replicated.diverge().await;
        replicated.wait_for_replica().await;
        let frozen = replicated.replica.freeze();
        // The replica has a second to answer, which one read waits for.
        let read = within(Duration::from_secs(1), "a read that asks the replica", replicated.source()).await;
        assert_eq!(read, "of the primary");
        let reads = async {
            for _ in 0..20 {
                assert_eq!(replicated.source().await, "of the primary");
            }
        };
        within(NO_TIME, "twenty reads that do not ask it", reads).await;
        drop(frozen);
        replicated.wait_for_source("of the replica").await;
        replicated.api.stop().await;
    });
}

#[test]
fn replica_that_is_down_at_start_is_used_once_it_runs() {
    with_postgres_if_long(async {
        let replicated = Replicated::start(LONG_LAG).await;
        replicated.diverge().await;
        replicated.replica.stop();
        let service = replicated
            .database
            .service()
            .await
            .replicas(&replicated.database.url_in(&replicated.replica))
            .await
            .expect("a URL");
        let late =
            Api::start(&replicated.database, kitchen::kitchen(service).migrate().await.expect("the tables")).await;
        assert_eq!(source(&late, None).await, "of the primary");
        replicated.replica.start();
        replicated.diverge().await;
        wait_until("the replica is read", async || source(&late, None).await == "of the replica").await;
        late.stop().await;
        replicated.api.stop().await;
    });
}

#[test]
fn reads_rotate_among_replicas() {
    with_postgres_if_long(async {
        let replicated = Replicated::start(LONG_LAG).await;
        let second = replicated.primary.replica();
        let urls =
            format!("{}\n{}", replicated.database.url_in(&replicated.replica), replicated.database.url_in(&second));
        let service = replicated.database.service().await.replicas(&urls).await.expect("two URLs");
        let service = kitchen::kitchen(service)
            .limits(|limits| limits.replica_lag(LONG_LAG))
            .migrate()
            .await
            .expect("the tables");
        let api = Api::start(&replicated.database, service).await;
        replicated.diverge().await;
        // The first replica is paused and the second is not.
        let seen = async || BTreeSet::from([source(&api, None).await, source(&api, None).await]);
        wait_until("both replicas are read", async || seen().await.len() == 2).await;
        second.stop();
        wait_until("one replica is left", async || seen().await == BTreeSet::from(["of the replica".to_owned()])).await;
        api.stop().await;
        replicated.api.stop().await;
    });
}

#[test]
fn reads_continue_without_the_primary_up_to_the_allowed_replica_lag() {
    with_postgres_if_long(async {
        let replicated = Replicated::start(Duration::from_secs(8)).await;
        replicated.diverge().await;
        replicated.wait_for_replica().await;
        replicated.primary.stop();
        replicated.api.post("/tags", &json!({ "slug": "new" })).await.problem("unavailable");
        assert_eq!(replicated.source().await, "of the replica");
        wait_until("the replica's lag is unknown", async || replicated.api.get("/entries").await.status() == 503).await;
        replicated.primary.start();
        replicated.wait_for_source("of the primary").await;
        replicated.pause(false).await;
        replicated.catch_up().await;
        wait_until_replica_is_read(&replicated).await;
        replicated.api.stop().await;
    });
}

#[test]
fn promoted_replica_is_not_read() {
    with_postgres_if_long(async {
        let replicated = Replicated::start(LONG_LAG).await;
        replicated.diverge().await;
        replicated.wait_for_replica().await;
        execute(&replicated.database.url_in(&replicated.replica), "SELECT pg_promote()").await;
        execute(replicated.database.url(), "UPDATE entries SET text = 'of the one that goes on'").await;
        // The promoted server has everything written until the promotion, and writes beyond it.
        execute(
            &replicated.database.url_in(&replicated.replica),
            "CREATE TABLE filler AS SELECT generate_series(1, 10000)",
        )
        .await;
        replicated.wait_for_source("of the one that goes on").await;
        replicated.api.stop().await;
    });
}
