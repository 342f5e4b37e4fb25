//! [`Load`]: writers that change their records until they are stopped, whatever becomes of the servers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crud_tests::writer::{WRITE_TARGETS, Writer};
use crud_tests::{Client, wait_until};
use tokio::task::JoinSet;

/// The requests so far: those that were acknowledged, and the others.
#[derive(Debug, Default)]
struct Counts {
    acknowledged: AtomicUsize,
    refused: AtomicUsize,
}

/// Running writers.
pub(crate) struct Load {
    writers: JoinSet<Writer>,
    counts: Arc<Counts>,
    stop: Arc<AtomicBool>,
}

impl Load {
    /// Starts a writer of each resource on each of these services.
    pub(crate) fn start(services: &[&Client]) -> Self {
        let (mut writers, counts, stop) = (JoinSet::new(), Arc::<Counts>::default(), Arc::<AtomicBool>::default());
        for (number, service) in services.iter().enumerate() {
            for target in WRITE_TARGETS {
                let (client, counts, stop) = (Client::clone(service), counts.clone(), stop.clone());
                writers.spawn(async move {
                    let mut writer = Writer::new(target, number);
                    while !stop.load(Ordering::Relaxed) {
                        let count = match writer.step(&client).await {
                            Some(()) => &counts.acknowledged,
                            None => &counts.refused,
                        };
                        count.fetch_add(1, Ordering::Relaxed);
                    }
                    writer
                });
            }
        }
        Self { writers, counts, stop }
    }

    /// Waits until this many more requests are acknowledged.
    pub(crate) async fn wait_for_changes(&self, count: usize) {
        wait_for_more("changes are acknowledged", &self.counts.acknowledged, count).await;
    }

    /// Waits until this many more requests are refused.
    pub(crate) async fn wait_for_refusals(&self, count: usize) {
        wait_for_more("changes are refused", &self.counts.refused, count).await;
    }

    /// Stops the writers; every request of theirs was answered.
    pub(crate) async fn stop(self) -> Vec<Writer> {
        self.stop.store(true, Ordering::Relaxed);
        let writers = self.writers.join_all().await;
        let unanswered: usize = writers.iter().map(Writer::unanswered).sum();
        assert_eq!(unanswered, 0, "a request was not answered");
        writers
    }
}

/// Waits until a counter has grown by this much.
pub(crate) async fn wait_for_more(what: &str, counter: &AtomicUsize, count: usize) {
    let before = counter.load(Ordering::Relaxed);
    wait_until(what, async || counter.load(Ordering::Relaxed) >= before + count).await;
}
