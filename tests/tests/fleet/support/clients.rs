//! [`Clients`]: clients that create tags, whatever becomes of the servers.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crud_tests::{Client, Times, wait_until};
use serde_json::json;
use tokio::task::JoinSet;

use super::load::wait_for_more;

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
    /// Starts so many clients.
    pub(crate) fn start(client: &Client, count: usize) -> Self {
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

    /// Stops the clients. Every acknowledged tag is stored; returns how many answers had each status.
    pub(crate) async fn reconcile(self, client: &Client) -> BTreeMap<u16, usize> {
        self.stop.store(true, Ordering::Relaxed);
        self.running.join_all().await;
        let slugs = self.seen.slugs.lock().expect("the slugs").clone();
        for slug in &slugs {
            client.get(format!("/tags/{slug}")).await.ok();
        }
        let statuses = self.seen.statuses.lock().expect("the statuses").clone();
        let Seen { gaps, times, .. } = &*self.seen;
        println!("{} acknowledged changes, {statuses:?}; between two: {gaps}; an answer: {times}", slugs.len());
        statuses
    }
}
