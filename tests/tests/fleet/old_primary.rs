//! The return of a primary that a standby has replaced: first as it was, then as a standby.

use std::time::Duration;

use crud_runtime::Service;
use crud_tests::kitchen::{self, Tag};
use crud_tests::writer::Writer;
use crud_tests::{Api, Client, Cluster, Database, Times};
use serde_json::json;
use tokio::task::spawn_blocking;

use crate::support::load::Load;
use crate::support::three::{Three, count_tags, create_any_tag, wait_for_writes, with};
use crate::support::{
    LONG_LAG, execute, holds, reconcile, synchronous, wait_until, wait_until_checked, with_postgres_if_long,
};

/// Time limit for a service to write again after a promotion.
const LIMIT: Duration = Duration::from_secs(5);

/// Waits until a read comes from a server whose replay is paused.
async fn is_read(api: &Api, standby: &str) {
    let entry = api.post("/entries", &json!({ "text": "before" })).await.created();
    let path = format!("/entries/{}", entry["id"]);
    let replayed = format!("EXISTS (SELECT FROM entries WHERE id = {})", entry["id"]);
    wait_until("the standby has the entry", async || holds(standby, &replayed).await).await;
    execute(standby, "SELECT pg_wal_replay_pause()").await;
    wait_until("replay is paused", async || holds(standby, "pg_get_wal_replay_pause_state() = 'paused'").await).await;
    wait_until("the standby is read", async || {
        api.put(&path, &json!({ "text": format!("after {}", fastrand::u64(..)) })).await.ok();
        api.get(&path).await.ok()["text"] == "before"
    })
    .await;
    execute(standby, "SELECT pg_wal_replay_resume()").await;
}

#[test]
fn old_primary_serves_reads_once_it_is_a_standby_and_can_be_promoted_again() {
    with_postgres_if_long(async {
        let first = Cluster::rewindable();
        let own = Database::in_cluster(&first);
        let second = first.replica();
        let database = own.in_all(&[&first, &second]);
        let service = database.service().await.replicas(database.url()).await.expect("the same servers");
        let service = kitchen::kitchen(service)
            .limits(|limits| limits.replica_lag(LONG_LAG))
            .migrate()
            .await
            .expect("the tables");
        let api = Api::start(&database, service).await;
        let (load, away) = (Load::start(&[&api]), Times::default());
        for (old, new) in [(&first, &second), (&second, &first)] {
            let old_url = own.url_in(old);
            // A commit waits for the standby, so that its promotion loses none.
            synchronous(&old_url, Some("*")).await;
            load.wait_for_changes(50).await;
            with(old, Cluster::stop).await;
            with(new, Cluster::promote).await;
            away.of(wait_for_writes(&api, LIMIT)).await;

            with(old, Cluster::start).await;
            synchronous(&old_url, None).await;
            let before = count_tags(&old_url).await;
            execute(&old_url, "INSERT INTO tags (slug) VALUES ('of the old one alone')").await;
            wait_until_checked(&old_url).await;
            load.wait_for_changes(50).await;
            assert_eq!(count_tags(&old_url).await, before + 1, "the service writes to the old primary");

            with(old, Cluster::stop).await;
            // `pg_rewind` reads the new timeline from the last checkpoint.
            execute(&own.url_in(new), "CHECKPOINT").await;
            let (rewound, primary) = (old.clone(), new.clone());
            spawn_blocking(move || rewound.rejoin(&primary)).await.expect("it is rewound");
            is_read(&api, &old_url).await;
            assert_eq!(api.get("/tags/of%20the%20old%20one%20alone").await.status(), 404);
        }

        let mut writers = load.stop().await;
        let changes: usize = writers.iter().map(Writer::changes).sum();
        println!("{changes} acknowledged changes; from a promotion to the next change: {away}");
        // A service that reads from the primary alone.
        let later = kitchen::kitchen(database.service().await).migrate().await.expect("the tables");
        let later = Api::start(&database, later).await;
        reconcile(&later, &mut writers).await;
        later.stop().await;
        api.stop().await;
    });
}

/// No change is possible, because the primary is away, until the service has asked the old one again.
async fn no_change_is_possible(client: &Client, old: &str) {
    let refused = async {
        loop {
            let answer = create_any_tag(client).await;
            assert!(answer.header("retry-after").is_some(), "{answer}");
            answer.problem("unavailable");
        }
    };
    tokio::select! {
        never = refused => never,
        () = wait_until_checked(old) => {}
    }
}

#[test]
fn old_primary_gets_no_change_while_the_new_one_is_away() {
    with_postgres_if_long(async {
        let three = Three::start(Duration::from_secs(30)).await;
        let old = three.own.url_in(&three.first);
        with(&three.first, Cluster::stop).await;
        with(&three.second, Cluster::promote).await;
        wait_for_writes(&three.api, LIMIT).await;
        three.third_follows_second().await;
        with(&three.first, Cluster::start).await;
        synchronous(&old, None).await;
        let before = count_tags(&old).await;
        wait_until_checked(&old).await;
        // A standby whose stream has ended has the timeline of its last checkpoint.
        let (new, standby) = (three.own.url_in(&three.second), three.own.url_in(&three.third));
        execute(&new, "CHECKPOINT").await;
        wait_until("the standby is on the new timeline", async || {
            execute(&standby, "CHECKPOINT").await;
            holds(&standby, "(SELECT timeline_id = 2 FROM pg_control_checkpoint())").await
        })
        .await;
        with(&three.second, Cluster::stop).await;
        no_change_is_possible(&three.api, &old).await;
        // A service that starts now learns from the standby that the only primary was replaced.
        let all = three.own.in_all(&[&three.first, &three.second, &three.third]);
        let refused = Service::connect(all.url()).await.map(|service| drop(service.resource::<Tag>()));
        let refused = format!("{:?}", refused.expect_err("it starts on the old primary"));
        assert!(refused.contains("was replaced"), "{refused}");
        assert_eq!(count_tags(&old).await, before, "the service writes to the old primary");
        with(&three.second, Cluster::start).await;
        wait_for_writes(&three.api, LIMIT).await;
        assert_eq!(count_tags(&old).await, before, "the service writes to the old primary");
        three.end().await;
    });
}
