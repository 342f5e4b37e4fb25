//! Replicas that lag, stop, freeze and return, and a primary that stops.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crud_tests::{Api, kitchen};
use serde_json::json;
use tokio::time::sleep;

use crate::support::{LONG_LAG, Replicated, execute, source, wait_until, with_postgres};

/// A replica lag short enough for each test to exceed.
const SHORT_LAG: Duration = Duration::from_secs(1);

#[test]
fn lagging_replica_is_skipped_until_it_catches_up() {
    with_postgres(async {
        let both = Replicated::start(SHORT_LAG).await;
        for _ in 0..2 {
            both.diverge().await;
            let written = Instant::now();
            loop {
                let asked = Instant::now();
                if both.source().await == "of the primary" {
                    break;
                }
                assert!(asked.duration_since(written) < SHORT_LAG, "an answer is older than the allowed replica lag");
                sleep(Duration::from_millis(20)).await;
            }
            both.pause(false).await;
            both.catch_up().await;
            wait_until_replica_is_read(&both).await;
        }
        both.api.stop().await;
    });
}

/// Waits until reads use the replica again, which a divergence shows.
async fn wait_until_replica_is_read(both: &Replicated) {
    let source = async || {
        both.diverge().await;
        let source = both.source().await;
        both.pause(false).await;
        source == "of the replica"
    };
    wait_until("the replica is read again", source).await;
}

#[test]
fn stopped_replica_delays_no_read_and_is_used_again_after_its_return() {
    with_postgres(async {
        let both = Replicated::start(LONG_LAG).await;
        both.diverge().await;
        both.wait_for_source("of the replica").await;
        both.replica.stop();
        for _ in 0..50 {
            let begin = Instant::now();
            assert_eq!(both.source().await, "of the primary");
            assert!(begin.elapsed() < 3 * SHORT_LAG, "a read waited for the replica: {:?}", begin.elapsed());
            sleep(Duration::from_millis(20)).await;
        }
        both.replica.start();
        wait_until_replica_is_read(&both).await;
        both.api.stop().await;
    });
}

#[test]
fn frozen_replica_delays_a_read_briefly_and_is_used_again_after_its_return() {
    with_postgres(async {
        let both = Replicated::start(LONG_LAG).await;
        both.diverge().await;
        both.wait_for_source("of the replica").await;
        let frozen = both.replica.freeze();
        let begin = Instant::now();
        assert_eq!(both.source().await, "of the primary");
        assert!(begin.elapsed() < 5 * SHORT_LAG, "{:?}", begin.elapsed());
        let begin = Instant::now();
        assert_eq!(both.source().await, "of the primary");
        assert!(begin.elapsed() < SHORT_LAG, "the frozen replica is still asked: {:?}", begin.elapsed());
        drop(frozen);
        both.wait_for_source("of the replica").await;
        both.api.stop().await;
    });
}

#[test]
fn replica_that_is_down_at_start_is_used_once_it_runs() {
    with_postgres(async {
        let both = Replicated::start(LONG_LAG).await;
        both.diverge().await;
        both.replica.stop();
        let service =
            both.database.service().await.read_from(&both.database.url_in(&both.replica)).await.expect("a URL");
        let late = Api::start(&both.database, kitchen::kitchen(service).migrate().await.expect("the tables")).await;
        assert_eq!(source(&late, None).await, "of the primary");
        both.replica.start();
        both.diverge().await;
        wait_until("the replica is read", async || source(&late, None).await == "of the replica").await;
        late.stop().await;
        both.api.stop().await;
    });
}

#[test]
fn reads_rotate_among_replicas() {
    with_postgres(async {
        let both = Replicated::start(LONG_LAG).await;
        let second = both.primary.replica();
        let urls = format!("{}\n{}", both.database.url_in(&both.replica), both.database.url_in(&second));
        let service = both.database.service().await.read_from(&urls).await.expect("two URLs");
        let service = kitchen::kitchen(service).replica_lag(LONG_LAG).migrate().await.expect("the tables");
        let api = Api::start(&both.database, service).await;
        both.diverge().await;
        // The first replica is paused and the second is not.
        let seen = async || BTreeSet::from([source(&api, None).await, source(&api, None).await]);
        wait_until("both are read", async || seen().await.len() == 2).await;
        second.stop();
        wait_until("one replica is left", async || seen().await == BTreeSet::from(["of the replica".to_owned()])).await;
        api.stop().await;
        both.api.stop().await;
    });
}

#[test]
fn reads_continue_without_the_primary_up_to_the_allowed_replica_lag() {
    with_postgres(async {
        let both = Replicated::start(Duration::from_secs(8)).await;
        both.diverge().await;
        both.wait_for_source("of the replica").await;
        both.primary.stop();
        both.api.post("/tags", &json!({ "slug": "new" })).await.problem("unavailable");
        assert_eq!(both.source().await, "of the replica");
        wait_until("the replica's lag is unknown", async || both.api.get("/entries").await.status() == 503).await;
        both.primary.start();
        both.wait_for_source("of the primary").await;
        both.pause(false).await;
        both.catch_up().await;
        wait_until_replica_is_read(&both).await;
        both.api.stop().await;
    });
}

#[test]
fn promoted_replica_is_not_read() {
    with_postgres(async {
        let both = Replicated::start(LONG_LAG).await;
        both.diverge().await;
        both.wait_for_source("of the replica").await;
        execute(&both.database.url_in(&both.replica), "SELECT pg_promote()").await;
        execute(both.database.url(), "UPDATE entries SET text = 'of the one that goes on'").await;
        // The promoted server has everything written until the promotion, and writes beyond it.
        execute(&both.database.url_in(&both.replica), "CREATE TABLE filler AS SELECT generate_series(1, 10000)").await;
        both.wait_for_source("of the one that goes on").await;
        both.api.stop().await;
    });
}
