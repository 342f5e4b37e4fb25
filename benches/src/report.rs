//! The table of results.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::case::Case;
use crate::chart;
use crate::database::Engine;
use crate::load::Sample;
use crate::options::Options;
use crate::server::ServerKind;

/// The cost of one server's turn in a round.
#[derive(Debug)]
pub(crate) struct Turn {
    /// The server's CPU time.
    pub(crate) server: Duration,
    /// The CPU time of its database, if that runs in separate processes.
    pub(crate) database: Duration,
    /// The units of work in each request.
    pub(crate) units: f64,
    pub(crate) sample: Sample,
}

impl Turn {
    /// CPU time for each unit of work in µs, of the server and its database.
    fn cpu_micros(&self) -> f64 {
        self.micros(self.server + self.database)
    }

    /// The database's part of it.
    fn database_micros(&self) -> f64 {
        self.micros(self.database)
    }

    #[allow(clippy::cast_precision_loss)] // far below 2^52 requests
    fn micros(&self, time: Duration) -> f64 {
        time.as_secs_f64() * 1e6 / (self.sample.latencies.len() as f64 * self.units)
    }

    #[allow(clippy::cast_precision_loss)]
    fn rate(&self) -> f64 {
        self.sample.latencies.len() as f64 / self.sample.elapsed.as_secs_f64()
    }
}

/// A server's turns in all rounds of a case.
#[derive(Debug)]
pub(crate) struct Measured {
    name: &'static str,
    kind: ServerKind,
    pub(crate) turns: Vec<Turn>,
    /// The peak resident memory in bytes.
    pub(crate) peak_memory: u64,
}

impl Measured {
    pub(crate) const fn new(name: &'static str, kind: ServerKind) -> Self {
        Self { name, kind, turns: Vec::new(), peak_memory: 0 }
    }

    fn percentile(&self, share: usize) -> Duration {
        percentile(self.turns.iter().flat_map(|turn| turn.sample.latencies.iter().copied()).collect(), share)
    }
}

/// The latency below which `share` percent of the requests lie.
fn percentile(mut latencies: Vec<Duration>, share: usize) -> Duration {
    if latencies.is_empty() {
        return Duration::ZERO;
    }
    let index = (latencies.len() - 1) * share / 100;
    *latencies.select_nth_unstable(index).1
}

/// Prints the results of one load.
pub(crate) fn print_sample(Sample { elapsed, latencies }: Sample) {
    let (count, seconds) = (latencies.len(), elapsed.as_secs_f64());
    let (p50, p99) = (percentile(latencies.clone(), 50).as_micros(), percentile(latencies, 99).as_micros());
    println!("{count} requests in {seconds:.2} s, p50 {p50} µs, p99 {p99} µs");
}

/// The median and the quartiles of some figures.
#[derive(Debug)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) lower: f64,
    pub(crate) upper: f64,
}

impl Spread {
    pub(crate) fn new(figures: impl Iterator<Item = f64>) -> Self {
        let mut figures: Vec<f64> = figures.collect();
        figures.sort_by(f64::total_cmp);
        let at = |quarters: usize| figures.get((figures.len() - 1) * quarters / 4).copied().unwrap_or(f64::NAN);
        Self { median: at(2), lower: at(1), upper: at(3) }
    }
}

/// The median ratio of the derived service's CPU time to that of a program that writes the same entries; it is printed. None,
/// where that one has not answered.
pub(crate) fn against(reference: ServerKind, measured: &[Measured]) -> Option<f64> {
    let of_kind = |kind: ServerKind| measured.iter().find(|server| server.kind == kind);
    let (best, ours) = (of_kind(reference)?, of_kind(ServerKind::Audited).or_else(|| of_kind(ServerKind::Ours))?);
    let ratios = ours.turns.iter().zip(&best.turns).map(|(ours, best)| ours.cpu_micros() / best.cpu_micros());
    let Spread { median, lower, upper } = Spread::new(ratios);
    println!("  {} against {}: {median:.3}  [{lower:.3} – {upper:.3}]", ours.name, best.name);
    Some(median)
}

/// A server's row of a case.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) case: Case,
    connections: usize,
    pub(crate) server: &'static str,
    /// CPU time for each request in µs, of the server and its database: the median of the rounds.
    pub(crate) cpu: f64,
    /// The database's part of it.
    database: f64,
    rate: f64,
    p50: u128,
    p99: u128,
    memory: f64,
    /// The ratio of CPU time to the first server's in the same round.
    ratio: Option<Spread>,
}

/// The results, printed as they come.
#[derive(Debug)]
pub(crate) struct Report {
    engine: Engine,
    title: String,
    rows: Vec<Row>,
}

impl Report {
    pub(crate) fn new(options: &Options) -> Self {
        let title = format!(
            "{}, {} products: {} rounds of {:.1} s, a log line for each request {}",
            options.database.name(),
            options.records,
            options.rounds,
            options.turn.as_secs_f64(),
            if options.log { "on" } else { "off" },
        );
        Self { engine: options.database, title, rows: Vec::new() }
    }

    pub(crate) fn print_heading(&self, options: &Options, connections: usize) {
        println!("\non {}; {connections} connections", self.title);
        println!(
            "\n{:<13} {:>11} {:>11} {:>11} {:>9} {:>9} {:>10}   CPU against {}, by round: median [middle half]",
            "",
            "CPU µs/req",
            "database's",
            "requests/s",
            "p50 µs",
            "p99 µs",
            "memory MiB",
            if options.cases == [Case::Batch] { "the first" } else { "the twin" },
        );
    }

    /// Adds a case and prints its rows, the reference's first, with the others' ratios to it. Returns whether every ratio
    /// but the noise is within the limit.
    #[allow(clippy::cast_precision_loss)] // memory far below 2^52 bytes
    pub(crate) fn add(
        &mut self,
        case: Case,
        connections: usize,
        measured: &[Measured],
        max_ratio: Option<f64>,
    ) -> bool {
        println!("\n{}", case.title());
        // A case that is measured again has the later figures.
        self.rows.retain(|row| (row.case, row.connections) != (case, connections));
        let Some(first) = measured.first() else { return true };
        let mut acceptable = true;
        for (index, server) in measured.iter().enumerate() {
            let ratios = server.turns.iter().zip(&first.turns).map(|(a, b)| a.cpu_micros() / b.cpu_micros());
            let row = Row {
                case,
                connections,
                server: server.name,
                cpu: Spread::new(server.turns.iter().map(Turn::cpu_micros)).median,
                database: Spread::new(server.turns.iter().map(Turn::database_micros)).median,
                rate: Spread::new(server.turns.iter().map(Turn::rate)).median,
                p50: server.percentile(50).as_micros(),
                p99: server.percentile(99).as_micros(),
                memory: server.peak_memory as f64 / (1024.0 * 1024.0),
                ratio: (index > 0).then(|| Spread::new(ratios)),
            };
            row.print();
            if let Some(ratio) = row.ratio.as_ref().filter(|_| server.kind == ServerKind::Ours) {
                acceptable &= max_ratio.is_none_or(|limit| ratio.median <= limit);
            }
            self.rows.push(row);
        }
        acceptable
    }

    /// Writes a table in Markdown and a chart of the first number of connections, named after the engine.
    pub(crate) fn write(&self, directory: &Path) -> anyhow::Result<()> {
        fs::create_dir_all(directory)?;
        let mut table = format!("{}.\n\n", self.title);
        table += "| Case | Connections | Server | CPU, µs | of it the database's | requests/s | p50, µs | p99, µs | memory, MiB |\n";
        table += "|---|--:|---|--:|--:|--:|--:|--:|--:|\n";
        for row in &self.rows {
            let Row { case, connections, server, cpu, database, rate, p50, p99, memory, .. } = row;
            let _ = writeln!(
                table,
                "| {} | {connections} | {server} | {cpu:.1} | {database:.1} | {rate:.0} | {p50} | {p99} | {memory:.1} |",
                case.title(),
            );
        }
        fs::write(directory.join(self.engine.name()).with_extension("md"), table)?;
        let first = self.rows.first().map(|row| row.connections);
        let rows: Vec<&Row> = self.rows.iter().filter(|row| Some(row.connections) == first).collect();
        fs::write(directory.join(self.engine.name()).with_extension("svg"), chart::svg(&rows))?;
        Ok(())
    }
}

impl Row {
    fn print(&self) {
        let Self { server, cpu, database, rate, p50, p99, memory, ratio, .. } = self;
        let ratio = ratio.as_ref().map_or_else(String::new, |Spread { median, lower, upper }| {
            let noise = if *server == "twin again" { "  noise" } else { "" };
            format!("{median:.3}  [{lower:.3} – {upper:.3}]{noise}")
        });
        println!("  {server:<11} {cpu:>11.1} {database:>11.1} {rate:>11.0} {p50:>9} {p99:>9} {memory:>10.1}   {ratio}");
    }
}
