//! The list with two filters against its two statements: what SQLite alone takes for them, called directly on one thread.
//!
//! Each round has a turn of the server, one of the statements, and one of the best program on the same file. The database is
//! measured as the derive makes it, and with the index that the advisor names for the list. With the index, the statements
//! take less than HTTP and JSON of 20 records do in any program, so that the limit is against the best program there.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context;
use fastrand::Rng;
use nix::time::{ClockId, clock_gettime};
use rusqlite::{Connection, OpenFlags};

use crate::best::COLUMNS;
use crate::case::{Case, Content, list_values};
use crate::database::{Database, Engine};
use crate::judge;
use crate::load::Load;
use crate::options::Options;
use crate::process::Process;
use crate::report::Spread;
use crate::run::block_on;
use crate::server::{self, ServerKind};

/// The index that the advisor names: `index(category_id, price)`.
const INDEX: &str = "CREATE INDEX ix_products__category_id__price ON products (category_id, price)";

/// The derived service, the best program and the statements.
struct Subject {
    derived: Server,
    best: Server,
    statements: Statements,
    /// Whether the limit is against the best program.
    against_best: bool,
}

/// A server and its load.
struct Server {
    process: Process,
    load: Load,
}

impl judge::Measured for Subject {
    fn cpu_time(&self) -> anyhow::Result<Duration> {
        Ok(self.derived.process.cpu_time()? + self.best.process.cpu_time()?)
    }
}

/// Measures the list without and with the index, and prints a table. Fails where it is above `--max-ratio` twice, on a
/// machine that does nothing else.
pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(options.database == Engine::Sqlite, "`statements` is for SQLite");
    block_on(async {
        let directory =
            tempfile::tempdir_in(&options.directory).context("cannot create a directory for the databases")?;
        println!(
            "list of 20 with two filters, sort and total, {} products, {} connections: {} rounds of {:.1} s",
            options.records,
            options.connections[0],
            options.rounds,
            options.turn.as_secs_f64()
        );
        let mut acceptable = true;
        for (name, index) in [("without its index", None), ("with its index", Some(INDEX))] {
            let database = Database::new(Engine::Sqlite, directory.path(), name).await?;
            server::prepare(ServerKind::Ours, database.url(), options.records, false).await?;
            let path = database.url().trim_start_matches("sqlite://");
            if let Some(index) = index {
                Connection::open(path)?.execute_batch(index)?;
            }
            let derived = Server::start(ServerKind::Ours, database.url(), options).await?;
            let best = Server::start(ServerKind::Best, database.url(), options).await?;
            let statements = Statements::open(path)?;
            let mut subject = Subject { derived, best, statements, against_best: index.is_some() };
            println!("\n{name}");
            let measure = async |subject: &mut Subject| subject.measure(options).await;
            acceptable &= judge::is_within(&mut subject, options.max_ratio, measure).await?;
        }
        Ok(if acceptable { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    })
}

impl Subject {
    /// The median of the ratios that the limit is for.
    async fn measure(&mut self, options: &Options) -> anyhow::Result<f64> {
        let (mut lists, mut statements, mut bests) = (Vec::new(), Vec::new(), Vec::new());
        for round in 0..options.rounds {
            // None always follows another.
            let turns = if round % 2 == 0 { [0, 1, 2] } else { [2, 1, 0] };
            for turn in turns {
                match turn {
                    0 => lists.push(self.derived.turn(options).await?),
                    1 => statements.push(self.statements.run(options)?),
                    _ => bests.push(self.best.turn(options).await?),
                }
            }
        }
        let against = |others: &[f64]| Spread::new(lists.iter().zip(others).map(|(list, other)| list / other));
        let (against_statements, against_best) = (against(&statements), against(&bests));
        let median = |figures: &[f64]| Spread::new(figures.iter().copied()).median;
        println!("  two statements   {:>9.1} CPU µs", median(&statements));
        println!("  best program     {:>9.1} CPU µs", median(&bests));
        println!("  list             {:>9.1} CPU µs", median(&lists));
        for (name, Spread { median, lower, upper }) in
            [("the statements", &against_statements), ("the best program", &against_best)]
        {
            println!("  list against {name:<17} {median:.3}  [{lower:.3} – {upper:.3}]");
        }
        Ok(if self.against_best { against_best.median } else { against_statements.median })
    }
}

impl Server {
    async fn start(kind: ServerKind, url: &str, options: &Options) -> anyhow::Result<Self> {
        let process = Process::spawn(kind, url, options.log)?;
        let content = Content { records: options.records, ..Content::default() };
        let load = Load::connect(process.address(), options.connections[0], &content).await?;
        Ok(Self { process, load })
    }

    /// The CPU time of a list in µs.
    #[allow(clippy::cast_precision_loss)] // far below 2^52 requests
    async fn turn(&mut self, options: &Options) -> anyhow::Result<f64> {
        self.load.reconnect().await?;
        self.load.run(Case::List, options.warmup).await?;
        let before = self.process.cpu_time()?;
        let sample = self.load.run(Case::List, options.turn).await?;
        let time = self.process.cpu_time()?.saturating_sub(before);
        Ok(time.as_secs_f64() * 1e6 / sample.latencies.len() as f64)
    }
}

/// A connection that runs the list's two statements.
struct Statements {
    connection: Connection,
    rng: Rng,
}

impl Statements {
    fn open(path: &str) -> anyhow::Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Ok(Self { connection: Connection::open_with_flags(path, flags)?, rng: Rng::with_seed(11) })
    }

    /// The CPU time of the two statements in µs, which read every value of their rows.
    fn run(&mut self, options: &Options) -> anyhow::Result<f64> {
        let condition = "FROM products WHERE category_id = ?1 AND price > ?2";
        let list = format!("SELECT {COLUMNS} {condition} ORDER BY price DESC, id DESC LIMIT 20");
        let mut list = self.connection.prepare(&list)?;
        let mut count = self.connection.prepare(&format!("SELECT count(*) {condition}"))?;
        let columns = list.column_count();
        let mut pair = |rng: &mut Rng| {
            let (category, price) = list_values(rng);
            let values = rusqlite::params![i64::try_from(category)?, f64::from(price) + 0.5];
            let mut rows = list.query(values)?;
            let mut read = 0;
            while let Some(row) = rows.next()? {
                for column in 0..columns {
                    std::hint::black_box(row.get_ref(column)?);
                }
                read += 1;
            }
            let total: i64 = count.query_row(values, |row| row.get(0))?;
            anyhow::ensure!(read == 20 && total >= 20, "the page is not full");
            Ok(())
        };
        let warm = Instant::now() + options.warmup;
        while Instant::now() < warm {
            pair(&mut self.rng)?;
        }
        let (end, before) = (Instant::now() + options.turn, thread_time()?);
        let mut pairs = 0_u32;
        while Instant::now() < end {
            pair(&mut self.rng)?;
            pairs += 1;
        }
        Ok(thread_time()?.saturating_sub(before).as_secs_f64() * 1e6 / f64::from(pairs))
    }
}

/// The CPU time of this thread so far.
fn thread_time() -> anyhow::Result<Duration> {
    Ok(clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID)?.into())
}
