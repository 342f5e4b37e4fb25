//! The load: connections that each send one request after another.

use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use fastrand::Rng;
use tokio::task::JoinSet;

use crate::case::Case;
use crate::http::Connection;

/// Open connections to one server, kept between turns.
#[derive(Debug)]
pub(crate) struct Load {
    clients: Vec<Client>,
}

/// A connection and the generator of its requests.
#[derive(Debug)]
struct Client {
    connection: Connection,
    rng: Rng,
    /// How many products the server has.
    records: usize,
}

/// The requests completed in a period.
#[derive(Debug, Default)]
pub(crate) struct Sample {
    pub(crate) elapsed: Duration,
    /// For each request, the time from sending it to the end of its response.
    pub(crate) latencies: Vec<Duration>,
}

impl Load {
    /// Opens `connections` connections to a server of so many products; each sends the same requests in every run.
    pub(crate) async fn connect(address: &str, connections: usize, records: usize) -> anyhow::Result<Self> {
        let mut clients = Vec::with_capacity(connections);
        for number in 0..connections as u64 {
            let connection = Connection::open(address).await?;
            clients.push(Client { connection, rng: Rng::with_seed(1_000_003 + number), records });
        }
        Ok(Self { clients })
    }

    /// Sends requests on every connection for `duration`, then waits for the last responses: every connection is idle
    /// afterwards.
    ///
    /// # Errors
    /// When a connection breaks, or a response does not have the case's status.
    pub(crate) async fn run(&mut self, case: Case, duration: Duration) -> anyhow::Result<Sample> {
        let start = Instant::now();
        let deadline = start + duration;
        let mut tasks = JoinSet::new();
        for client in self.clients.drain(..) {
            tasks.spawn(client.run(case, deadline));
        }
        let mut sample = Sample::default();
        while let Some(done) = tasks.join_next().await {
            let (client, latencies) = done.context("a client panicked")??;
            sample.latencies.extend(latencies);
            self.clients.push(client);
        }
        sample.elapsed = start.elapsed();
        Ok(sample)
    }
}

impl Client {
    async fn run(mut self, case: Case, deadline: Instant) -> anyhow::Result<(Self, Vec<Duration>)> {
        let mut latencies = Vec::with_capacity(4096);
        loop {
            let request = case.request(&mut self.rng, self.records);
            let sent = Instant::now();
            if sent >= deadline {
                return Ok((self, latencies));
            }
            let response = self.connection.send(&request).await?;
            latencies.push(sent.elapsed());
            ensure!(
                response.status == case.status(),
                "{}: unexpected status {}: {}",
                case.name(),
                response.status,
                String::from_utf8_lossy(response.body)
            );
        }
    }
}
