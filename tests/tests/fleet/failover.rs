//! The loss of a primary: a standby is promoted, and the service follows it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crud_tests::kitchen::Tag;
use crud_tests::writer::{WRITE_TARGETS, Writer};
use crud_tests::{Api, Client, Cluster, Database, Server};
use serde_json::json;
use tokio::task::{JoinSet, spawn_blocking};

use crate::support::{execute, holds, reconcile, wait_until, with_postgres};

/// How long a service may take to write again after a promotion.
const LIMIT: Duration = Duration::from_secs(5);

/// Runs what waits for a server's program on another thread.
async fn with(cluster: &Arc<Cluster>, work: fn(&Cluster)) {
    let cluster = cluster.clone();
    spawn_blocking(move || work(&cluster)).await.expect("the server's program");
}

/// Waits until a change is acknowledged; every other answer is 503.
async fn wait_for_writes(client: &Client, limit: Duration) -> Duration {
    let begin = Instant::now();
    loop {
        let slug = format!("after-{}", fastrand::u64(..));
        let answer = client.post("/tags", &json!({ "slug": slug })).await;
        if answer.status() == 201 {
            return begin.elapsed();
        }
        assert_eq!(answer.status(), 503, "{answer}");
        assert!(answer.header("retry-after").is_some(), "{answer}");
        assert!(begin.elapsed() < limit, "no change is possible: {answer}");
    }
}

#[test]
fn promotion_is_followed_and_nothing_acknowledged_is_lost() {
    with_postgres(async {
        let first = Cluster::durable();
        let own = Database::in_cluster(&first);
        let second = first.replica();
        // A commit waits for the standby, so that its promotion loses none.
        execute(own.url(), "ALTER SYSTEM SET synchronous_standby_names = '*'").await;
        execute(own.url(), "SELECT pg_reload_conf()").await;
        let database = own.in_all(&[&second, &first]);
        let server = Server::start(env!("CARGO_BIN_EXE_kitchen"), &database).await;
        let stop = Arc::new(AtomicBool::new(false));
        let mut writers = JoinSet::new();
        for target in WRITE_TARGETS {
            let (client, stop) = (Client::clone(&server), stop.clone());
            writers.spawn(async move {
                let mut writer = Writer::new(target, 0);
                while !stop.load(Ordering::Relaxed) {
                    writer.step(&client).await;
                }
                writer
            });
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        with(&first, Cluster::stop).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        with(&second, Cluster::promote).await;
        let away = wait_for_writes(&server, LIMIT).await;
        eprintln!("the service wrote again {} ms after the promotion", away.as_millis());
        tokio::time::sleep(Duration::from_millis(500)).await;
        // The old primary comes back, does not know that it was replaced, and would take changes.
        with(&first, Cluster::start).await;
        execute(own.url(), "ALTER SYSTEM RESET synchronous_standby_names").await;
        execute(own.url(), "SELECT pg_reload_conf()").await;
        tokio::time::sleep(Duration::from_secs(2)).await;
        wait_for_writes(&server, Duration::from_secs(1)).await;
        stop.store(true, Ordering::Relaxed);

        let mut writers = writers.join_all().await;
        reconcile(&server, &mut writers).await;
        let sum = |count: fn(&Writer) -> usize| writers.iter().map(count).sum::<usize>();
        assert!(sum(Writer::changes) > 20, "the writers write too little: {} changes", sum(Writer::changes));
        assert_eq!(sum(Writer::unanswered), 0, "a request was not answered");
        // A service that starts now chooses the new primary too.
        let later = Server::start(env!("CARGO_BIN_EXE_kitchen"), &own.in_all(&[&first, &second])).await;
        reconcile(&later, &mut writers).await;
    });
}

/// Creates tags until the flag is set: those that were acknowledged, the statuses, and the longest time between two.
async fn create_tags(
    client: Client,
    name: usize,
    stop: Arc<AtomicBool>,
) -> (Vec<String>, BTreeMap<u16, usize>, Duration) {
    let (mut acknowledged, mut statuses, mut gap, mut last) =
        (Vec::new(), BTreeMap::new(), Duration::ZERO, Instant::now());
    for number in 0.. {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let slug = format!("tag-{name}-{number}");
        let answer = client.post("/tags", &json!({ "slug": slug })).await;
        *statuses.entry(answer.status()).or_default() += 1;
        if answer.status() == 201 {
            acknowledged.push(slug);
            (gap, last) = (gap.max(last.elapsed()), Instant::now());
        } else {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    (acknowledged, statuses, gap)
}

/// A primary whose commits wait for both of its standbys, and a service with this time for a request.
struct Three {
    own: Database,
    first: Arc<Cluster>,
    second: Arc<Cluster>,
    third: Arc<Cluster>,
    api: Api,
}

impl Three {
    async fn start(limit: Duration) -> Self {
        let first = Cluster::durable();
        let own = Database::in_cluster(&first);
        let (second, third) = (first.replica(), first.replica());
        execute(own.url(), "ALTER SYSTEM SET synchronous_standby_names = '2 (*)'").await;
        execute(own.url(), "SELECT pg_reload_conf()").await;
        let database = own.in_all(&[&third, &second, &first]);
        let service = database.service().await.request_timeout(limit).resource::<Tag>();
        let api = Api::start(&database, service.migrate().await.expect("the tables")).await;
        Self { own, first, second, third, api }
    }

    fn writers(&self, stop: &Arc<AtomicBool>) -> JoinSet<(Vec<String>, BTreeMap<u16, usize>, Duration)> {
        let mut writers = JoinSet::new();
        for name in 0..6 {
            writers.spawn(create_tags(Client::clone(&self.api), name, stop.clone()));
        }
        writers
    }

    async fn end(self) {
        // The removal of the database waits for no standby.
        execute(self.own.url(), "ALTER SYSTEM RESET synchronous_standby_names").await;
        execute(self.own.url(), "SELECT pg_reload_conf()").await;
        self.api.stop().await;
    }

    /// Makes the third server stream from the second.
    async fn third_follows_second(&self) {
        let directory = self.second.directory().display();
        let follow = format!("ALTER SYSTEM SET primary_conninfo = 'host={directory} user=crud'");
        execute(&self.own.url_in(&self.third), &follow).await;
        execute(&self.own.url_in(&self.third), "SELECT pg_reload_conf()").await;
        let streams = "EXISTS (SELECT FROM pg_stat_replication WHERE state = 'streaming')";
        wait_until("the third follows", async || holds(&self.own.url_in(&self.second), streams).await).await;
    }

    /// Every acknowledged tag is stored; the statuses and the longest time without an acknowledged change of a writer.
    async fn reconcile(
        &self,
        writers: JoinSet<(Vec<String>, BTreeMap<u16, usize>, Duration)>,
    ) -> (BTreeMap<u16, usize>, Duration) {
        let (mut all, mut longest, mut count) = (BTreeMap::<u16, usize>::new(), Duration::ZERO, 0);
        for (acknowledged, statuses, gap) in writers.join_all().await {
            for (status, count) in statuses {
                *all.entry(status).or_default() += count;
            }
            longest = longest.max(gap);
            count += acknowledged.len();
            for slug in acknowledged {
                self.api.get(format!("/tags/{slug}")).await.ok();
            }
        }
        eprintln!("{count} acknowledged changes, {all:?}, at most {longest:?} without one");
        (all, longest)
    }
}

#[test]
fn killed_primary_is_followed_to_one_standby_and_the_other_follows_too() {
    with_postgres(async {
        let three = Three::start(Duration::from_secs(30)).await;
        let stop = Arc::new(AtomicBool::new(false));
        let writers = three.writers(&stop);
        tokio::time::sleep(Duration::from_secs(1)).await;
        with(&three.first, Cluster::stop).await;
        tokio::time::sleep(Duration::from_millis(500)).await;
        with(&three.second, Cluster::promote).await;
        wait_for_writes(&three.api, LIMIT).await;
        three.third_follows_second().await;
        // The old primary comes back as if nothing had happened, and takes changes from clients that know it alone.
        with(&three.first, Cluster::start).await;
        let before = format!("(SELECT count(*) FROM tags) = {}", count_tags(&three.own.url_in(&three.first)).await);
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert!(holds(&three.own.url_in(&three.first), &before).await, "the service writes to the old primary");
        stop.store(true, Ordering::Relaxed);
        let (statuses, _) = three.reconcile(writers).await;
        assert!(statuses.keys().all(|status| matches!(status, 201 | 503)), "{statuses:?}");
        three.end().await;
    });
}

#[test]
fn hanging_primary_is_followed_to_a_standby() {
    with_postgres(async {
        let three = Three::start(Duration::from_secs(4)).await;
        let stop = Arc::new(AtomicBool::new(false));
        let writers = three.writers(&stop);
        tokio::time::sleep(Duration::from_secs(1)).await;
        let frozen = three.first.freeze();
        with(&three.second, Cluster::promote).await;
        tokio::time::sleep(Duration::from_secs(9)).await;
        drop(frozen);
        tokio::time::sleep(Duration::from_secs(2)).await;
        stop.store(true, Ordering::Relaxed);
        let (statuses, longest) = three.reconcile(writers).await;
        // A request on a connection to the server that hangs takes its whole time.
        assert!(statuses.keys().all(|status| matches!(status, 201 | 503 | 504)), "{statuses:?}");
        assert!(longest < Duration::from_secs(8), "no change for {longest:?}");
        three.end().await;
    });
}

async fn count_tags(url: &str) -> i64 {
    let mut connection = crate::support::connect(url).await;
    sqlx::query_scalar("SELECT count(*) FROM tags").fetch_one(&mut connection).await.expect("a number")
}
