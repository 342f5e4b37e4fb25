//! Events: what they cost a change, what a stream costs, and how long after a commit its event arrives.
//!
//! A service with an audit log and one with its events take turns, in many rounds. Then streams of equal scope are open.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context;
use fastrand::Rng;
use serde_json::Value;
use tokio::time::{interval, sleep};

use crate::case::{Case, Content, new_product, send};
use crate::database::Database;
use crate::http::Connection;
use crate::judge;
use crate::load::Load;
use crate::options::Options;
use crate::ours;
use crate::process::Process;
use crate::report::Spread;
use crate::run::block_on;
use crate::server::{self, ServerKind};
use crate::streams::Streams;

/// The most private memory of a stream beside that of its connection, in KiB.
const MEMORY: f64 = 16.0;

/// The longest time from a commit to a reader, for 99 of 100 events, where the machine is not busy.
const LATENCY: f64 = 50.0;

/// Time between two changes whose events are timed.
const APART: Duration = Duration::from_millis(37);

/// The time that is longer than that between two reads for a thousand streams.
const FAR_APART: Duration = Duration::from_millis(137);

/// A server with its database and its load.
struct Server {
    process: Process,
    database: Database,
    load: Load,
}

/// A service without events and one with them.
struct Subject([Server; 2]);

impl judge::Measured for Subject {
    fn cpu_time(&self) -> anyhow::Result<Duration> {
        self.0.iter().map(Server::cpu_time).sum()
    }
}

/// Measures all and prints it. Fails where a figure is above its limit twice, on a machine that does nothing else.
pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    block_on(async {
        let directory =
            tempfile::tempdir_in(&options.directory).context("cannot create a directory for the databases")?;
        let start = async |kind| Server::start(kind, directory.path(), options).await;
        let mut subject = Subject([start(ServerKind::Audited).await?, start(ServerKind::Followed).await?]);
        println!(
            "on {}, {} connections: {} rounds of {:.1} s",
            options.database.name(),
            options.connections[0],
            options.rounds,
            options.turn.as_secs_f64()
        );
        let mut acceptable = true;
        for streams in [0, 1] {
            let address = subject.0[1].process.address().to_owned();
            let _open = Streams::open(&address, streams, None).await?;
            for case in [Case::Create, Case::Update] {
                println!("\n{}, {streams} streams", case.title());
                let measure = async |subject: &mut Subject| subject.cost(case, options).await;
                // The cost of a stream's events is printed, and has no limit.
                let limit = options.max_ratio.filter(|_| streams == 0);
                acceptable &= judge::is_within(&mut subject, limit, measure).await?;
            }
        }
        acceptable &= of_streams(&mut subject.0[1], options).await?;
        drop(subject);
        acceptable &= of_memory(options).await?;
        Ok(if acceptable { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    })
}

impl Server {
    async fn start(kind: ServerKind, directory: &std::path::Path, options: &Options) -> anyhow::Result<Self> {
        let database = Database::new(options.database, directory, kind.name()).await?;
        server::prepare(kind, database.url(), options.records, false).await?;
        let process = Process::spawn(kind, database.url(), options.log)?;
        let content = Content { records: options.records, ..Content::default() };
        let load = Load::connect(process.address(), options.connections[0], &content).await?;
        Ok(Self { process, database, load })
    }

    fn cpu_time(&self) -> anyhow::Result<Duration> {
        Ok(self.process.cpu_time()? + self.database.cpu_time()?)
    }

    /// The CPU time of a request in µs.
    #[allow(clippy::cast_precision_loss)] // far below 2^52 requests
    async fn turn(&mut self, case: Case, options: &Options) -> anyhow::Result<f64> {
        self.load.reconnect().await?;
        self.load.run(case, options.warmup).await?;
        let before = self.cpu_time()?;
        let sample = self.load.run(case, options.turn).await?;
        let time = self.cpu_time()?.saturating_sub(before);
        Ok(time.as_secs_f64() * 1e6 / sample.latencies.len() as f64)
    }
}

impl Subject {
    /// The median of the ratios of a request's CPU time with events to that without.
    async fn cost(&mut self, case: Case, options: &Options) -> anyhow::Result<f64> {
        let mut figures = [Vec::new(), Vec::new()];
        for server in &self.0 {
            server.database.vacuum().await?;
        }
        for round in 0..options.rounds {
            for turn in 0..2 {
                // Neither always follows the other.
                let index = (turn + round) % 2;
                figures[index].push(self.0[index].turn(case, options).await?);
            }
        }
        let [without, with] = &figures;
        let median = |figures: &[f64]| Spread::new(figures.iter().copied()).median;
        let ratio = Spread::new(with.iter().zip(without).map(|(with, without)| with / without));
        println!("  without events {:>9.1} CPU µs", median(without));
        println!("  with events    {:>9.1} CPU µs", median(with));
        println!("  with to without {:.3}  [{:.3} – {:.3}]", ratio.median, ratio.lower, ratio.upper);
        Ok(ratio.median)
    }
}

/// Opens streams, and measures their reads and the wait for an event.
async fn of_streams(server: &mut Server, options: &Options) -> anyhow::Result<bool> {
    let mut acceptable = true;
    for streams in [1, options.streams] {
        let mut open = opened(server, streams, None).await?;
        println!("\n{streams} streams");
        let of_wait = async |server: &mut Server, open: &mut Streams, number, apart: Duration| {
            let (commits, records) = changes(server, number, apart).await?;
            open.wait_for(&records).await?;
            let waits = records.iter().zip(commits).filter_map(|(record, commit)| open.since(*record, commit));
            let (first, last): (Vec<f64>, Vec<f64>) =
                waits.map(|(first, last)| (first.as_secs_f64() * 1e3, last.as_secs_f64() * 1e3)).unzip();
            println!(
                "  from the answer of a change to its event, ms, {} ms apart: first stream {}, last {}",
                apart.as_millis(),
                shown(&first),
                shown(&last)
            );
            anyhow::Ok(at(&first, 99))
        };
        let mut subject = Waits { server, open: &mut open };
        if streams > 1 {
            of_wait(subject.server, subject.open, 300, APART).await?;
        }
        let (number, apart) = if streams > 1 { (200, FAR_APART) } else { (300, APART) };
        let measure = async |subject: &mut Waits<'_>| of_wait(subject.server, subject.open, number, apart).await;
        acceptable &= judge::is_within(&mut subject, Some(LATENCY), measure).await?;
        let Waits { server, open } = subject;
        busy(server, open, options).await?;
    }
    Ok(acceptable)
}

/// The memory of connections, and of streams of readers without and with a token. Each is measured on a server that has done
/// nothing else: memory that other work has freed would be used for them.
async fn of_memory(options: &Options) -> anyhow::Result<bool> {
    println!("\nmemory of each of {}", options.streams);
    let of_connections = Idle::start(ServerKind::Followed, options).await?.memory(false).await?;
    println!("  connection that has had a request: {of_connections:.1} KiB");
    let mut acceptable = true;
    for (kind, of) in [(ServerKind::Followed, "without"), (ServerKind::Known, "with")] {
        let idle = Idle::start(kind, options).await?;
        let memory = idle.memory(true).await?;
        println!("  stream {of} a token, with its connection: {memory:.1} KiB");
        acceptable &= memory - of_connections <= MEMORY;
    }
    Ok(acceptable)
}

/// A server that has done nothing.
struct Idle {
    server: Server,
    token: Option<String>,
    number: usize,
    _directory: tempfile::TempDir,
}

impl Idle {
    async fn start(kind: ServerKind, options: &Options) -> anyhow::Result<Self> {
        let directory = tempfile::tempdir_in(&options.directory)?;
        let server = Server::start(kind, directory.path(), options).await?;
        let token = if kind == ServerKind::Known { Some(ours::token()?) } else { None };
        Ok(Self { server, token, number: options.streams, _directory: directory })
    }

    /// The memory of a connection or of a stream, in KiB.
    #[allow(clippy::cast_precision_loss)] // far below 2^52
    async fn memory(&self, of_streams: bool) -> anyhow::Result<f64> {
        // Memory that a process takes once is there before the measurement.
        drop(opened(&self.server, 1, self.token.as_deref()).await?);
        let memory = || Ok::<_, anyhow::Error>(self.server.process.memory()?.private);
        let before = memory()?;
        let after = if of_streams {
            let _open = opened(&self.server, self.number, self.token.as_deref()).await?;
            memory()?
        } else {
            let mut open = Vec::with_capacity(self.number);
            for _ in 0..self.number {
                let mut connection = Connection::open(self.server.process.address()).await?;
                connection.send(&send("GET", "/products/1", "")).await?;
                open.push(connection);
            }
            memory()?
        };
        Ok((after - before) * 1024.0 / self.number as f64)
    }
}

/// Opens streams, each of which gets some events.
async fn opened(server: &Server, streams: usize, token: Option<&str>) -> anyhow::Result<Streams> {
    let mut open = Streams::open(server.process.address(), streams, token).await?;
    let (_, records) = changes(server, 10, APART).await?;
    open.wait_for(&records).await?;
    Ok(open)
}

/// A server with streams.
struct Waits<'s> {
    server: &'s mut Server,
    open: &'s mut Streams,
}

impl judge::Measured for Waits<'_> {
    fn cpu_time(&self) -> anyhow::Result<Duration> {
        self.server.cpu_time()
    }
}

/// Makes records one after the other; the times of their answers, and their keys.
async fn changes(server: &Server, number: usize, apart: Duration) -> anyhow::Result<(Vec<Instant>, Vec<i64>)> {
    let (mut rng, mut connection) = (Rng::with_seed(61), Connection::open(server.process.address()).await?);
    let (mut times, mut records) = (Vec::new(), Vec::new());
    let mut ticks = interval(apart);
    for _ in 0..number {
        ticks.tick().await;
        let response = connection.send(&send("POST", "/products", &new_product(&mut rng))).await?;
        times.push(Instant::now());
        let record: Value = serde_json::from_slice(response.body)?;
        records.push(record["id"].as_i64().context("a record has no id")?);
    }
    Ok((times, records))
}

/// Changes for three seconds, as fast as eight clients make them: the reads that streams cost, and the CPU time.
#[allow(clippy::cast_precision_loss)] // far below 2^52
async fn busy(server: &mut Server, open: &Streams, options: &Options) -> anyhow::Result<()> {
    let content = Content { records: options.records, ..Content::default() };
    let mut load = Load::connect(server.process.address(), 8, &content).await?;
    let (cpu, events, pieces) = (server.cpu_time()?, open.count(), open.pieces());
    let sample = load.run(Case::Create, Duration::from_secs(3)).await?;
    let read = open.pieces() - pieces;
    sleep(Duration::from_millis(500)).await;
    let seconds = sample.elapsed.as_secs_f64();
    let cpu = server.cpu_time()?.saturating_sub(cpu).as_secs_f64() * 1e6 / sample.latencies.len() as f64;
    println!(
        "  {:.0} creates a second: {:.0} events a second to all streams, in {:.1} reads a second, {cpu:.0} CPU µs for each create",
        sample.latencies.len() as f64 / seconds,
        (open.count() - events) as f64 / seconds,
        read as f64 / seconds
    );
    open.quiet().await;
    Ok(())
}

/// The figure below which `share` percent are.
fn at(figures: &[f64], share: usize) -> f64 {
    let mut figures = figures.to_vec();
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len().saturating_sub(1) * share / 100).copied().unwrap_or(f64::NAN)
}

fn shown(figures: &[f64]) -> String {
    format!("p50 {:.1}, p99 {:.1}", at(figures, 50), at(figures, 99))
}
