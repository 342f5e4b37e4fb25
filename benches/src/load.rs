//! The load: connections that each send one request after another.

use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use fastrand::Rng;
use tokio::task::JoinSet;

use crate::case::Case;
use crate::http::Connection;

/// The connections to one server.
#[derive(Debug)]
pub(crate) struct Load {
    address: String,
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
        Ok(Self { address: address.to_owned(), clients })
    }

    /// Opens every connection anew; the requests go on where they were. A service closes a connection that is idle for
    /// as long as the other servers' turns may take.
    pub(crate) async fn reconnect(&mut self) -> anyhow::Result<()> {
        for client in &mut self.clients {
            client.connection = Connection::open(&self.address).await?;
        }
        Ok(())
    }

    /// Sends requests on every connection for `duration`, then waits for the last responses: every connection is idle
    /// afterwards.
    ///
    /// # Errors
    /// When a connection is closed, also while it was idle, or a response does not have the case's status.
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};
    use tokio::time::{sleep, timeout};

    use super::Load;
    use crate::case::Case;
    use crate::run::block_on;

    const IDLE: Duration = Duration::from_millis(200);

    /// Answers requests until a connection is idle for [`IDLE`], then closes it.
    async fn answer(mut stream: TcpStream) {
        let mut request = [0; 1024];
        while let Ok(Ok(1..)) = timeout(IDLE, stream.read(&mut request)).await {
            if stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}").await.is_err() {
                return;
            }
        }
    }

    #[test]
    fn a_load_that_reconnects_goes_on_after_idle_connections_were_closed() -> anyhow::Result<()> {
        block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await?;
            let address = listener.local_addr()?.to_string();
            tokio::spawn(async move {
                while let Ok((stream, _)) = listener.accept().await {
                    tokio::spawn(answer(stream));
                }
            });
            let turn = Duration::from_millis(20);
            let mut load = Load::connect(&address, 2, 10).await?;
            assert!(!load.run(Case::Get, turn).await?.latencies.is_empty());
            sleep(2 * IDLE).await;
            load.reconnect().await?;
            assert!(!load.run(Case::Get, turn).await?.latencies.is_empty());
            sleep(2 * IDLE).await;
            assert!(load.run(Case::Get, turn).await.is_err(), "a request on a closed connection is no success");
            Ok(())
        })
    }
}
