//! Replicas that fall behind, go, hang and come back; and a primary that does.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crud_tests::{Api, kitchen};
use serde_json::json;
use tokio::time::sleep;

use crate::support::{LONG, Replicated, of, run, wait_until, with_postgres};

/// So short that every test can.
const SHORT: Duration = Duration::from_secs(1);

#[test]
fn a_replica_that_falls_behind_is_left_out_and_comes_back() {
    with_postgres(async {
        let both = Replicated::start(SHORT).await;
        for _ in 0..2 {
            both.diverge().await;
            let written = Instant::now();
            loop {
                let asked = Instant::now();
                if both.answers().await == "of the primary" {
                    break;
                }
                assert!(asked.duration_since(written) < SHORT, "an answer is older than a replica may be behind");
                sleep(Duration::from_millis(20)).await;
            }
            both.pause(false).await;
            both.catch_up().await;
            wait_for_the_replica(&both).await;
        }
        both.api.stop().await;
    });
}

/// Waits until the replica is read again, which the next divergence shows.
async fn wait_for_the_replica(both: &Replicated) {
    let answers = async || {
        both.diverge().await;
        let answers = both.answers().await;
        both.pause(false).await;
        answers == "of the replica"
    };
    wait_until("the replica is read again", answers).await;
}

#[test]
fn a_replica_that_goes_costs_no_read_and_comes_back() {
    with_postgres(async {
        let both = Replicated::start(LONG).await;
        both.diverge().await;
        both.wait_for("of the replica").await;
        both.replica.stop();
        for _ in 0..50 {
            let begin = Instant::now();
            assert_eq!(both.answers().await, "of the primary");
            assert!(begin.elapsed() < 3 * SHORT, "nobody waits for it: {:?}", begin.elapsed());
            sleep(Duration::from_millis(20)).await;
        }
        both.replica.start();
        wait_for_the_replica(&both).await;
        both.api.stop().await;
    });
}

#[test]
fn a_replica_that_hangs_holds_up_no_read_for_long_and_comes_back() {
    with_postgres(async {
        let both = Replicated::start(LONG).await;
        both.diverge().await;
        both.wait_for("of the replica").await;
        let frozen = both.replica.freeze();
        let begin = Instant::now();
        assert_eq!(both.answers().await, "of the primary");
        assert!(begin.elapsed() < 5 * SHORT, "{:?}", begin.elapsed());
        let begin = Instant::now();
        assert_eq!(both.answers().await, "of the primary");
        assert!(begin.elapsed() < SHORT, "it is left out by now: {:?}", begin.elapsed());
        drop(frozen);
        both.wait_for("of the replica").await;
        both.api.stop().await;
    });
}

#[test]
fn a_replica_that_is_away_at_the_start_is_read_when_it_comes() {
    with_postgres(async {
        let both = Replicated::start(LONG).await;
        both.diverge().await;
        both.replica.stop();
        let service =
            both.database.service().await.read_from(&both.database.url_in(&both.replica)).await.expect("a URL");
        let late = Api::start(&both.database, kitchen::kitchen(service).migrate().await.expect("the tables")).await;
        assert_eq!(of(&late, None).await, "of the primary");
        both.replica.start();
        both.diverge().await;
        wait_until("the replica is read", async || of(&late, None).await == "of the replica").await;
        late.stop().await;
        both.api.stop().await;
    });
}

#[test]
fn reads_go_round_among_replicas() {
    with_postgres(async {
        let both = Replicated::start(LONG).await;
        let second = both.primary.replica();
        let urls = format!("{}\n{}", both.database.url_in(&both.replica), both.database.url_in(&second));
        let service = both.database.service().await.read_from(&urls).await.expect("two URLs");
        let service = kitchen::kitchen(service).replica_lag(LONG).migrate().await.expect("the tables");
        let api = Api::start(&both.database, service).await;
        both.diverge().await;
        // The first is paused and the second is not.
        let seen = async || BTreeSet::from([of(&api, None).await, of(&api, None).await]);
        wait_until("both are read", async || seen().await.len() == 2).await;
        second.stop();
        wait_until("one is left", async || seen().await == BTreeSet::from(["of the replica".to_owned()])).await;
        api.stop().await;
        both.api.stop().await;
    });
}

#[test]
fn reads_go_on_while_the_primary_is_away_for_as_long_as_a_replica_may_be_behind() {
    with_postgres(async {
        let both = Replicated::start(Duration::from_secs(8)).await;
        both.diverge().await;
        both.wait_for("of the replica").await;
        both.primary.stop();
        both.api.post("/tags", &json!({ "slug": "new" })).await.problem("unavailable");
        assert_eq!(both.answers().await, "of the replica");
        wait_until("nobody knows how far behind it is", async || both.api.get("/entries").await.status() == 503).await;
        both.primary.start();
        both.wait_for("of the primary").await;
        both.pause(false).await;
        both.catch_up().await;
        wait_for_the_replica(&both).await;
        both.api.stop().await;
    });
}

#[test]
fn a_replica_that_has_become_a_primary_is_read_no_more() {
    with_postgres(async {
        let both = Replicated::start(LONG).await;
        both.diverge().await;
        both.wait_for("of the replica").await;
        run(&both.database.url_in(&both.replica), "SELECT pg_promote()").await;
        run(both.database.url(), "UPDATE entries SET text = 'of the one that goes on'").await;
        // The other one has all that was written until then, and writes on by itself.
        run(&both.database.url_in(&both.replica), "CREATE TABLE filler AS SELECT generate_series(1, 10000)").await;
        both.wait_for("of the one that goes on").await;
        both.api.stop().await;
    });
}
