//! [`Three`]: a primary with two synchronous standbys, and a service on them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crud_tests::kitchen::Tag;
use crud_tests::{Api, Client, Cluster, Database};
use serde_json::json;
use tokio::task::{JoinSet, spawn_blocking};

use super::{connect, execute, holds, wait_until};

/// Runs what waits for a server's program on another thread.
pub(crate) async fn with(cluster: &Arc<Cluster>, work: fn(&Cluster)) {
    let cluster = cluster.clone();
    spawn_blocking(move || work(&cluster)).await.expect("the server's program");
}

/// Waits until a change is acknowledged; every other answer is 503.
pub(crate) async fn wait_for_writes(client: &Client, limit: Duration) -> Duration {
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

/// What a client that creates tags saw, or several of them.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) acknowledged: Vec<String>,
    pub(crate) statuses: BTreeMap<u16, usize>,
    /// The longest time without an acknowledged change.
    pub(crate) gap: Duration,
    /// The longest time that an answer took.
    pub(crate) slowest: Duration,
}

impl Seen {
    fn add(&mut self, other: Self) {
        self.acknowledged.extend(other.acknowledged);
        for (status, count) in other.statuses {
            *self.statuses.entry(status).or_default() += count;
        }
        self.gap = self.gap.max(other.gap);
        self.slowest = self.slowest.max(other.slowest);
    }
}

/// Creates tags until the flag is set.
async fn create_tags(client: Client, name: usize, stop: Arc<AtomicBool>) -> Seen {
    let (mut seen, mut last) = (Seen::default(), Instant::now());
    for number in 0.. {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let slug = format!("tag-{name}-{number}");
        let begin = Instant::now();
        let answer = client.post("/tags", &json!({ "slug": slug })).await;
        seen.slowest = seen.slowest.max(begin.elapsed());
        *seen.statuses.entry(answer.status()).or_default() += 1;
        if answer.status() == 201 {
            seen.acknowledged.push(slug);
            (seen.gap, last) = (seen.gap.max(last.elapsed()), Instant::now());
        } else {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    seen.gap = seen.gap.max(last.elapsed());
    seen
}

/// The servers, and a service with this time for a request.
pub(crate) struct Three {
    pub(crate) own: Database,
    pub(crate) first: Arc<Cluster>,
    pub(crate) second: Arc<Cluster>,
    pub(crate) third: Arc<Cluster>,
    pub(crate) api: Api,
}

impl Three {
    pub(crate) async fn start(limit: Duration) -> Self {
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

    /// Starts so many clients that create tags until the flag is set.
    pub(crate) fn writers(&self, count: usize, stop: &Arc<AtomicBool>) -> JoinSet<Seen> {
        let mut writers = JoinSet::new();
        for name in 0..count {
            writers.spawn(create_tags(Client::clone(&self.api), name, stop.clone()));
        }
        writers
    }

    pub(crate) async fn end(self) {
        // The removal of the database waits for no standby.
        execute(self.own.url(), "ALTER SYSTEM RESET synchronous_standby_names").await;
        execute(self.own.url(), "SELECT pg_reload_conf()").await;
        self.api.stop().await;
    }

    /// Makes the third server stream from the second.
    pub(crate) async fn third_follows_second(&self) {
        let directory = self.second.directory().display();
        let follow = format!("ALTER SYSTEM SET primary_conninfo = 'host={directory} user=crud'");
        execute(&self.own.url_in(&self.third), &follow).await;
        execute(&self.own.url_in(&self.third), "SELECT pg_reload_conf()").await;
        let streams = "EXISTS (SELECT FROM pg_stat_replication WHERE state = 'streaming')";
        wait_until("the third follows", async || holds(&self.own.url_in(&self.second), streams).await).await;
    }

    /// Every acknowledged tag is stored; what all writers saw.
    pub(crate) async fn reconcile(&self, writers: JoinSet<Seen>) -> Seen {
        let mut all = Seen::default();
        for seen in writers.join_all().await {
            all.add(seen);
        }
        for slug in &all.acknowledged {
            self.api.get(format!("/tags/{slug}")).await.ok();
        }
        let Seen { acknowledged, statuses, gap, slowest } = &all;
        eprintln!(
            "{} acknowledged changes, {statuses:?}, at most {gap:?} without one, an answer within {slowest:?}",
            acknowledged.len()
        );
        all
    }
}

/// The number of tags on one of the servers.
pub(crate) async fn count_tags(url: &str) -> i64 {
    let mut connection = connect(url).await;
    sqlx::query_scalar("SELECT count(*) FROM tags").fetch_one(&mut connection).await.expect("a number")
}
