//! The load: connections that each send one request after another.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use fastrand::Rng;
use serde_json::Value;
use tokio::task::JoinSet;

use crate::case::{Case, Content, get};
use crate::http::Connection;

/// Number of cursors that requests choose from.
const CURSORS: usize = 64;

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
    content: Content,
}

/// The requests completed in a period.
#[derive(Debug, Default)]
pub(crate) struct Sample {
    pub(crate) elapsed: Duration,
    /// For each request, the time from sending it to the end of its response.
    pub(crate) latencies: Vec<Duration>,
}

impl Load {
    /// Opens `connections` connections to a server with this content; each sends the same requests in every run.
    pub(crate) async fn connect(address: &str, connections: usize, content: &Content) -> anyhow::Result<Self> {
        let mut clients = Vec::with_capacity(connections);
        // Another number of connections sends other unique values, which the records of an earlier one have.
        let seed = 1_000_003 + 1_000 * connections as u64;
        for number in 0..connections as u64 {
            let connection = Connection::open(address).await?;
            let content = content.clone();
            clients.push(Client { connection, rng: Rng::with_seed(seed + number), content });
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

    /// Asks the server for what a case's requests need: cursors of pages all over the second half of the list.
    pub(crate) async fn learn(&mut self, case: Case) -> anyhow::Result<()> {
        let Some(first) = self.clients.first().filter(|_| case == Case::Cursor) else { return Ok(()) };
        let records = first.content.records;
        let mut connection = Connection::open(&self.address).await?;
        let mut cursors = Vec::with_capacity(CURSORS);
        for number in 0..CURSORS {
            let skip = records / 2 + records * number / CURSORS / 3;
            let response = connection.send(&get(&format!("/entries?limit=20&skip={skip}"))).await?;
            let page: Value = serde_json::from_slice(response.body)?;
            let cursor = page.get("next_cursor").and_then(Value::as_str).context("a page has no next_cursor")?;
            cursors.push(cursor.to_owned());
        }
        let cursors: Arc<[String]> = cursors.into();
        for client in &mut self.clients {
            client.content.cursors = cursors.clone();
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
            let request = case.request(&mut self.rng, &self.content);
            let sent = Instant::now();
            if sent >= deadline {
                return Ok((self, latencies));
            }
            let response = self.connection.send(&request).await?;
            latencies.push(sent.elapsed());
            ensure!(
                response.status == case.status(&self.content),
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
    use crate::case::{Case, Content};
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
            let mut load = Load::connect(&address, 2, &Content { records: 10, ..Content::default() }).await?;
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
