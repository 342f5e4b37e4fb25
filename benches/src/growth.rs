//! Growth: the CPU time of a read at several numbers of connections, against that at the first of them.
//!
//! One server and one database; the numbers of connections take turns in many rounds, so that they differ in nothing
//! else. Where changes run beside, each round has a turn of changes alone, whose CPU time is subtracted.

use std::process::ExitCode;
use std::str::FromStr;
use std::time::Duration;

use anyhow::Context;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection, SqliteConnection};
use tokio::time::sleep;

use crate::case::{Case, Content};
use crate::changes::Changes;
use crate::database::{Database, Engine};
use crate::judge::{self, Measured as _};
use crate::load::Load;
use crate::options::Options;
use crate::process::{Memory, Process};
use crate::report::Spread;
use crate::run::block_on;
use crate::server::{self, ServerKind};

/// The cases, where none are named.
const CASES: [Case; 6] = [Case::Get, Case::Page, Case::List, Case::Search, Case::Expand, Case::Export];

/// The numbers of connections, where none are named.
pub(crate) const CONNECTIONS: [usize; 4] = [2, 8, 32, 256];

/// The most connections that export: more of them hold more than `request_memory`, and the slowest are evicted.
const MAX_EXPORTS: usize = 32;

/// The server and what runs beside the reads.
struct Subject {
    process: Process,
    database: Database,
    /// One for each number of connections.
    loads: Vec<Load>,
    changes: Option<Changes>,
}

/// CPU time for each request in µs: in each round, at each number of connections.
type Rounds = Vec<Vec<f64>>;

/// Measures every case and prints a table. Fails where a case grows beyond the limit twice, on a machine that does
/// nothing else.
pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    block_on(async {
        let directory =
            tempfile::tempdir_in(&options.directory).context("cannot create a directory for the database")?;
        let engine = options.database;
        let named = options.cases.len() < Case::ALL.len();
        let cases: &[Case] = if named { &options.cases } else { &CASES };
        let cases: Vec<Case> =
            cases.iter().copied().filter(|case| ServerKind::Capable.answers(*case, engine)).collect();
        let capabilities = cases.iter().any(|case| case.is_capability());
        let database = Database::new(engine, directory.path(), "growth").await?;
        server::prepare(ServerKind::Capable, database.url(), options.records, capabilities).await?;
        let reader = if options.long_reader { Some(LongReader::begin(database.url()).await?) } else { None };
        let process = Process::spawn(ServerKind::Capable, database.url(), options.log)?;
        let content = Content { records: options.records, ..Content::default() };
        let mut loads = Vec::new();
        for connections in &options.connections {
            loads.push(Load::connect(process.address(), *connections, &content).await?);
        }
        let mut subject = Subject { process, database, loads, changes: None };
        print_heading(options);
        let mut acceptable = true;
        for case in cases {
            if options.changes > 0 {
                let changed = if case.is_capability() { Case::Upsert } else { Case::Update };
                let changes = Changes::start(subject.process.address(), changed, &content, options.changes).await?;
                subject.changes = Some(changes);
            }
            println!("\n{}", case.title());
            let measure = async |subject: &mut Subject| {
                let rounds = measure(case, subject, options).await?;
                Ok(print(&rounds, &numbers(case, options)))
            };
            acceptable &= judge::is_within(&mut subject, options.max_growth, measure).await?;
            if let Some(changes) = subject.changes.take() {
                changes.stop().await?;
            }
        }
        let Memory { private, mapped } = subject.process.memory()?;
        println!("\nresident memory at the end: {private:.1} MiB private, {mapped:.1} MiB of files");
        if let Some(reader) = reader {
            reader.end().await?;
        }
        Ok(if acceptable { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    })
}

/// The numbers of connections that a case is measured at.
fn numbers(case: Case, options: &Options) -> Vec<usize> {
    options.connections.iter().copied().take_while(|number| case != Case::Export || *number <= MAX_EXPORTS).collect()
}

async fn measure(case: Case, subject: &mut Subject, options: &Options) -> anyhow::Result<Rounds> {
    for load in &mut subject.loads {
        load.learn(case).await?;
    }
    subject.database.vacuum().await?;
    let mut rounds = Rounds::new();
    let numbers = numbers(case, options).len();
    for round in 0..options.rounds {
        let of_changes = subject.cost_of_changes(options.turn).await?;
        let mut figures = vec![0.0; numbers];
        for turn in 0..numbers {
            // Each round starts with another number, so that none always follows the same one.
            let index = (turn + round) % numbers;
            figures[index] = subject.take_turn(case, index, of_changes, options).await?;
        }
        rounds.push(figures);
    }
    Ok(rounds)
}

impl judge::Measured for Subject {
    fn cpu_time(&self) -> anyhow::Result<Duration> {
        Ok(self.process.cpu_time()? + self.database.cpu_time()?)
    }
}

impl Subject {
    fn changed(&self) -> u64 {
        self.changes.as_ref().map_or(0, Changes::count)
    }

    /// The CPU time of a change in seconds, with no reads beside.
    #[allow(clippy::cast_precision_loss)] // far below 2^52 changes
    async fn cost_of_changes(&self, turn: Duration) -> anyhow::Result<f64> {
        if self.changes.is_none() {
            return Ok(0.0);
        }
        let before = (self.cpu_time()?, self.changed());
        sleep(turn).await;
        let time = self.cpu_time()?.saturating_sub(before.0);
        Ok(time.as_secs_f64() / (self.changed() - before.1).max(1) as f64)
    }

    /// The CPU time of a read in µs.
    #[allow(clippy::cast_precision_loss)]
    async fn take_turn(&mut self, case: Case, index: usize, of_changes: f64, options: &Options) -> anyhow::Result<f64> {
        let load = &mut self.loads[index];
        load.reconnect().await?;
        load.run(case, options.warmup).await?;
        let before = (self.cpu_time()?, self.changed());
        let sample = self.loads[index].run(case, options.turn).await?;
        let time = self.cpu_time()?.saturating_sub(before.0);
        let changes = of_changes * (self.changed() - before.1) as f64;
        let requests = sample.latencies.len() as f64 * case.units(options.records);
        Ok((time.as_secs_f64() - changes) * 1e6 / requests)
    }
}

fn print_heading(options: &Options) {
    let connections: Vec<_> = options.connections.iter().map(ToString::to_string).collect();
    print!(
        "on {}, {} products, {} connections in turn: {} rounds of {:.1} s",
        options.database.name(),
        options.records,
        connections.join(", "),
        options.rounds,
        options.turn.as_secs_f64()
    );
    if options.changes > 0 {
        print!(", {} changes a second beside", options.changes);
    }
    if options.long_reader {
        print!(", every page in the write-ahead log, which a long reader holds");
    }
    println!("\n\n  connections   CPU µs/req   against the first, by round: median [middle half]");
}

/// Prints a row for each number of connections; the largest median of the growths.
fn print(rounds: &Rounds, connections: &[usize]) -> f64 {
    let mut largest = 0.0_f64;
    for (index, connections) in connections.iter().enumerate() {
        let cpu = Spread::new(rounds.iter().map(|figures| figures[index])).median;
        let growth = Spread::new(rounds.iter().map(|figures| figures[index] / figures[0]));
        print!("  {connections:>11} {cpu:>12.1}");
        if index > 0 {
            print!("   {:.3}  [{:.3} – {:.3}]", growth.median, growth.lower, growth.upper);
            largest = largest.max(growth.median);
        }
        println!();
    }
    largest
}

/// A transaction that reads, as long as the benchmark runs: no page that changes after it has begun leaves the
/// write-ahead log.
struct LongReader(SqliteConnection);

impl LongReader {
    /// Begins it on SQLite, and changes every page.
    async fn begin(url: &str) -> anyhow::Result<Self> {
        anyhow::ensure!(Engine::from_url(url)? == Engine::Sqlite, "--long-reader is for SQLite");
        let options = SqliteConnectOptions::from_str(url)?;
        let mut reader = SqliteConnection::connect_with(&options).await?;
        sqlx::raw_sql("PRAGMA journal_mode = WAL; BEGIN; SELECT count(*) FROM products").execute(&mut reader).await?;
        let mut writer = SqliteConnection::connect_with(&options).await?;
        let tables: Vec<String> = sqlx::query_scalar(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN ('products', 'articles')",
        )
        .fetch_all(&mut writer)
        .await?;
        for table in tables {
            // A rounded price is in the record and in each index of it.
            let update = format!("UPDATE {table} SET price = price + 0.01, stock = stock + 1, name = name || '.'");
            sqlx::raw_sql(sqlx::AssertSqlSafe(update)).execute(&mut writer).await?;
        }
        writer.close().await?;
        Ok(Self(reader))
    }

    async fn end(mut self) -> anyhow::Result<()> {
        sqlx::raw_sql("COMMIT").execute(&mut self.0).await?;
        Ok(self.0.close().await?)
    }
}
