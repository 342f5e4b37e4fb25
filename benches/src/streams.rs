//! [`Streams`]: readers of events, each on a connection.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::sleep;

/// The member of an event that names its record.
const RECORD: &[u8] = b"\"record_id\":";

/// Open streams, until this is dropped.
#[derive(Debug)]
pub(crate) struct Streams {
    readers: JoinSet<anyhow::Result<()>>,
    /// Number of events that all have got.
    count: Arc<AtomicUsize>,
    /// Number of pieces that the first one has got.
    pieces: Arc<AtomicUsize>,
    arrived: Arc<Arrived>,
}

/// The times at which the first stream and the last one have got the event of a record.
#[derive(Debug, Default)]
struct Arrived(Mutex<HashMap<i64, (Instant, Instant, usize)>>);

impl Arrived {
    fn note(&self, record: i64) {
        let mut arrived = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let (_, last, count) = arrived.entry(record).or_insert((now, now, 0));
        (*last, *count) = (now, *count + 1);
    }
}

impl Streams {
    /// Opens so many streams of all products, with a token or without one.
    pub(crate) async fn open(address: &str, streams: usize, token: Option<&str>) -> anyhow::Result<Self> {
        let (count, arrived) = (Arc::<AtomicUsize>::default(), Arc::<Arrived>::default());
        let (pieces, mut readers) = (Arc::<AtomicUsize>::default(), JoinSet::new());
        for number in 0..streams {
            let stream = connect(address, token).await?;
            let pieces = (number == 0).then(|| pieces.clone());
            readers.spawn(read(stream, count.clone(), pieces, arrived.clone()));
        }
        Ok(Self { readers, count, pieces, arrived })
    }

    pub(crate) fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    pub(crate) fn pieces(&self) -> usize {
        self.pieces.load(Ordering::Relaxed)
    }

    /// Waits until nothing has arrived for a second.
    pub(crate) async fn quiet(&self) {
        let mut count = None;
        while count.replace(self.count()) != Some(self.count()) {
            sleep(Duration::from_secs(1)).await;
        }
    }

    /// Waits until every stream has got the events of these records.
    pub(crate) async fn wait_for(&mut self, records: &[i64]) -> anyhow::Result<()> {
        let streams = self.readers.len();
        for _ in 0..1_000 {
            if let Some(ended) = self.readers.try_join_next() {
                ended??;
            }
            let is_there = |record: &i64| {
                let arrived = self.arrived.0.lock().unwrap_or_else(PoisonError::into_inner);
                arrived.get(record).is_some_and(|(_, _, count)| *count >= streams)
            };
            if records.iter().all(is_there) {
                return Ok(());
            }
            sleep(Duration::from_millis(10)).await;
        }
        anyhow::bail!("not every stream has got its events within ten seconds")
    }

    /// The times from a moment to the arrival of a record's event at the first stream and at the last one.
    pub(crate) fn since(&self, record: i64, moment: Instant) -> Option<(Duration, Duration)> {
        let arrived = self.arrived.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (first, last, _) = arrived.get(&record)?;
        Some((first.saturating_duration_since(moment), last.saturating_duration_since(moment)))
    }
}

/// A connection whose response has begun.
async fn connect(address: &str, token: Option<&str>) -> anyhow::Result<TcpStream> {
    let mut stream = TcpStream::connect(address).await?;
    let authorization = token.map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
    let head = "GET /products/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n";
    stream.write_all(format!("{head}{authorization}\r\n").as_bytes()).await?;
    let mut head = Vec::new();
    while !head.windows(6).any(|bytes| bytes == b"retry:") {
        let read = stream.read_buf(&mut head).await?;
        ensure!(read > 0, "the server has ended a stream: {}", String::from_utf8_lossy(&head));
    }
    ensure!(head.starts_with(b"HTTP/1.1 200"), "no stream: {}", String::from_utf8_lossy(&head));
    Ok(stream)
}

async fn read(
    mut stream: TcpStream,
    count: Arc<AtomicUsize>,
    pieces: Option<Arc<AtomicUsize>>,
    arrived: Arc<Arrived>,
) -> anyhow::Result<()> {
    let (mut buffer, mut last) = (Vec::with_capacity(4096), Instant::now());
    loop {
        let read = stream.read_buf(&mut buffer).await.context("a stream")?;
        ensure!(read > 0, "the server has ended a stream");
        // A large piece comes in several parts, one right after the other.
        if let Some(pieces) = pieces.as_ref().filter(|_| last.elapsed() > Duration::from_millis(5)) {
            pieces.fetch_add(1, Ordering::Relaxed);
        }
        last = Instant::now();
        let mut done = 0;
        while let Some((record, end)) = record(&buffer[done..]) {
            count.fetch_add(1, Ordering::Relaxed);
            arrived.note(record);
            done += end;
        }
        // The beginning of an event may be there.
        buffer.drain(..done.max(buffer.len().saturating_sub(40)));
    }
}

/// The first record that bytes name, and the place after it.
fn record(bytes: &[u8]) -> Option<(i64, usize)> {
    let start = bytes.windows(RECORD.len()).position(|window| window == RECORD)? + RECORD.len();
    let length = bytes[start..].iter().position(|byte| !byte.is_ascii_digit())?;
    let text = std::str::from_utf8(&bytes[start..start + length]).ok()?;
    Some((text.parse().ok()?, start + length))
}

#[cfg(test)]
mod tests {
    use super::record;

    #[test]
    fn record_is_read_when_its_number_is_whole() {
        let bytes = br#"data: {"record_id":42,"data":{}} {"record_id":7"#;
        let (found, end) = record(bytes).expect("a record");
        assert_eq!(found, 42);
        assert_eq!(record(&bytes[end..]), None);
    }
}
