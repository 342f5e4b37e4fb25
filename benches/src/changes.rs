//! Changes at a constant rate, beside the reads that are measured.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, ensure};
use fastrand::Rng;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

use crate::case::{Case, Content};
use crate::http::Connection;

/// The connections that make the changes, in turn.
const CLIENTS: u32 = 16;

/// Running changes.
#[derive(Debug)]
pub(crate) struct Changes {
    clients: JoinSet<anyhow::Result<()>>,
    count: Arc<AtomicU64>,
    ended: Arc<AtomicBool>,
}

impl Changes {
    /// Starts to send a case's requests, so many a second.
    pub(crate) async fn start(address: &str, case: Case, content: &Content, rate: u32) -> anyhow::Result<Self> {
        let (count, ended) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let mut clients = JoinSet::new();
        let interval = Duration::from_secs(1) / rate;
        for number in 0..CLIENTS {
            let mut connection = Connection::open(address).await?;
            let (content, count, ended) = (content.clone(), count.clone(), ended.clone());
            let mut rng = Rng::with_seed(77_003 + u64::from(number));
            let mut next = Instant::now() + interval * number;
            clients.spawn(async move {
                while !ended.load(Ordering::Relaxed) {
                    sleep_until(next).await;
                    next += interval * CLIENTS;
                    let response = connection.send(&case.request(&mut rng, &content)).await?;
                    ensure!(response.status == case.status(&content), "a change: status {}", response.status);
                    count.fetch_add(1, Ordering::Relaxed);
                }
                Ok(())
            });
        }
        Ok(Self { clients, count, ended })
    }

    /// The number of changes so far.
    pub(crate) fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// Ends them.
    ///
    /// # Errors
    /// When a change was refused.
    pub(crate) async fn stop(mut self) -> anyhow::Result<()> {
        self.ended.store(true, Ordering::Relaxed);
        while let Some(ended) = self.clients.join_next().await {
            ended.context("a client panicked")??;
        }
        Ok(())
    }
}
