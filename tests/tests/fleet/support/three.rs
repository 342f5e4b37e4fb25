//! [`Three`]: a primary with two synchronous standbys, and a service on them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crud_runtime::prelude::App;
use crud_tests::kitchen::Tag;
use crud_tests::{Answer, Api, Client, Cluster, Database, Times, wait_until, within};
use serde_json::json;
use tokio::task::{JoinSet, spawn_blocking};

use super::load::wait_for_more;
use super::{connect, execute, holds, synchronous};

/// Runs what waits for a server's program on another thread.
pub(crate) async fn with(cluster: &Arc<Cluster>, work: fn(&Cluster)) {
    let cluster = cluster.clone();
    spawn_blocking(move || work(&cluster)).await.expect("the server's program");
}

/// Creates a tag that no other request creates.
pub(crate) async fn create_any_tag(client: &Client) -> Answer {
    client.post("/tags", &json!({ "slug": format!("any-{}", fastrand::u64(..)) })).await
}

/// Waits until a change is acknowledged; every other answer is 503.
pub(crate) async fn wait_for_writes(client: &Client, limit: Duration) {
    let acknowledged = async {
        loop {
            let answer = create_any_tag(client).await;
            if answer.status() == 201 {
                return;
            }
            assert!(answer.header("retry-after").is_some(), "{answer}");
            answer.problem("unavailable");
        }
    };
    within(limit, "a change is possible", acknowledged).await;
}

/// The answers to clients that create tags.
#[derive(Debug, Default)]
struct Seen {
    slugs: Mutex<Vec<String>>,
    statuses: Mutex<BTreeMap<u16, usize>>,
    acknowledged: AtomicUsize,
    /// The times between acknowledged changes.
    gaps: Times,
    /// The times of answers.
    times: Times,
    /// For each client, how many answers it had.
    answers: Vec<AtomicUsize>,
}

/// Clients that create tags until they are stopped.
pub(crate) struct Clients {
    running: JoinSet<()>,
    seen: Arc<Seen>,
    stop: Arc<AtomicBool>,
}

impl Clients {
    fn start(client: &Client, count: usize) -> Self {
        let answers = (0..count).map(|_| AtomicUsize::default()).collect();
        let seen = Arc::new(Seen { answers, ..Seen::default() });
        let (mut running, stop) = (JoinSet::new(), Arc::<AtomicBool>::default());
        for name in 0..count {
            let (client, seen, stop) = (client.clone(), seen.clone(), stop.clone());
            running.spawn(async move {
                for number in 0.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let slug = format!("tag-{name}-{number}");
                    let change = async { client.post("/tags", &json!({ "slug": slug })).await.status() };
                    let status = seen.times.of(change).await;
                    *seen.statuses.lock().expect("the statuses").entry(status).or_default() += 1;
                    if status == 201 {
                        seen.slugs.lock().expect("the slugs").push(slug);
                        seen.acknowledged.fetch_add(1, Ordering::Relaxed);
                        seen.gaps.mark();
                    }
                    seen.answers[name].fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        Self { running, seen, stop }
    }

    /// Waits until this many more changes are acknowledged.
    pub(crate) async fn wait_for_changes(&self, count: usize) {
        wait_for_more("changes are acknowledged", &self.seen.acknowledged, count).await;
    }

    /// Waits until each client has had two more answers: one at least is to a request that it sends from now on.
    pub(crate) async fn wait_for_answers(&self) {
        let count = || self.seen.answers.iter().map(|count| count.load(Ordering::Relaxed)).collect::<Vec<_>>();
        let before = count();
        wait_until("each client is answered", async || count().iter().zip(&before).all(|(now, then)| *now >= then + 2))
            .await;
    }
}

/// The servers, and a service with this time for a request.
pub(crate) struct Three {
    pub(crate) own: Database,
    pub(crate) first: Arc<Cluster>,
    pub(crate) second: Arc<Cluster>,
    pub(crate) third: Arc<Cluster>,
    pub(crate) app: App,
    pub(crate) api: Api,
}

impl Three {
    pub(crate) async fn start(limit: Duration) -> Self {
        let first = Cluster::durable();
        let own = Database::in_cluster(&first);
        let (second, third) = (first.replica(), first.replica());
        synchronous(own.url(), Some("2 (*)")).await;
        let database = own.in_all(&[&third, &second, &first]);
        let service = database.service().await.request_timeout(limit).resource::<Tag>();
        let service = service.migrate().await.expect("the tables");
        let app = service.app();
        let api = Api::start(&database, service).await;
        Self { own, first, second, third, app, api }
    }

    /// Starts so many clients that create tags.
    pub(crate) fn clients(&self, count: usize) -> Clients {
        Clients::start(&self.api, count)
    }

    pub(crate) async fn end(self) {
        // The removal of the database waits for no standby.
        synchronous(self.own.url(), None).await;
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

    /// Stops the clients. Every acknowledged tag is stored; returns how many answers had each status.
    pub(crate) async fn reconcile(&self, clients: Clients) -> BTreeMap<u16, usize> {
        clients.stop.store(true, Ordering::Relaxed);
        clients.running.join_all().await;
        let slugs = clients.seen.slugs.lock().expect("the slugs").clone();
        for slug in &slugs {
            self.api.get(format!("/tags/{slug}")).await.ok();
        }
        let statuses = clients.seen.statuses.lock().expect("the statuses").clone();
        let Seen { gaps, times, .. } = &*clients.seen;
        println!("{} acknowledged changes, {statuses:?}; between two: {gaps}; an answer: {times}", slugs.len());
        statuses
    }
}

/// The number of tags on one of the servers.
pub(crate) async fn count_tags(url: &str) -> i64 {
    let mut connection = connect(url).await;
    sqlx::query_scalar("SELECT count(*) FROM tags").fetch_one(&mut connection).await.expect("a number")
}
