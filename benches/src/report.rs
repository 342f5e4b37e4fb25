//! The table of results.

use std::time::Duration;

use crate::case::Case;
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
    pub(crate) sample: Sample,
}

impl Turn {
    /// CPU time for each request in µs, of the server and its database.
    fn cpu_micros(&self) -> f64 {
        self.micros(self.server + self.database)
    }

    /// The database's part of it.
    fn database_micros(&self) -> f64 {
        self.micros(self.database)
    }

    #[allow(clippy::cast_precision_loss)] // far below 2^52 requests
    fn micros(&self, time: Duration) -> f64 {
        time.as_secs_f64() * 1e6 / self.sample.latencies.len() as f64
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
struct Spread {
    median: f64,
    lower: f64,
    upper: f64,
}

impl Spread {
    fn new(figures: impl Iterator<Item = f64>) -> Self {
        let mut figures: Vec<f64> = figures.collect();
        figures.sort_by(f64::total_cmp);
        let at = |quarters: usize| figures.get((figures.len() - 1) * quarters / 4).copied().unwrap_or(f64::NAN);
        Self { median: at(2), lower: at(1), upper: at(3) }
    }
}

pub(crate) fn print_heading(options: &Options) {
    println!(
        "on {}: {} rounds of {:.1} s, {} connections, a log line for each request {}",
        options.database.name(),
        options.rounds,
        options.turn.as_secs_f64(),
        options.connections,
        if options.log { "on" } else { "off" },
    );
    println!(
        "\n{:<12} {:>11} {:>11} {:>11} {:>9} {:>9} {:>10}   CPU against the twin, by round: median [middle half]",
        "", "CPU µs/req", "database's", "requests/s", "p50 µs", "p99 µs", "memory MiB"
    );
}

/// Prints a case's rows, the twin's first, with the others' ratios to it. Returns whether every ratio but the noise is
/// within the limit.
pub(crate) fn print_case(case: Case, measured: &[Measured], max_ratio: Option<f64>) -> bool {
    println!("\n{}", case.title());
    let Some((twin, others)) = measured.split_first() else { return true };
    print_row(twin, "");
    let mut acceptable = true;
    for server in others {
        let ratio = Spread::new(server.turns.iter().zip(&twin.turns).map(|(a, b)| a.cpu_micros() / b.cpu_micros()));
        let mut text = format!("{:.3}  [{:.3} – {:.3}]", ratio.median, ratio.lower, ratio.upper);
        if server.kind == ServerKind::Twin {
            text.push_str("  noise");
        } else {
            acceptable &= max_ratio.is_none_or(|limit| ratio.median <= limit);
        }
        print_row(server, &text);
    }
    acceptable
}

#[allow(clippy::cast_precision_loss)] // memory far below 2^52 bytes
fn print_row(server: &Measured, ratio: &str) {
    println!(
        "  {:<10} {:>11.1} {:>11.1} {:>11.0} {:>9} {:>9} {:>10.1}   {ratio}",
        server.name,
        Spread::new(server.turns.iter().map(Turn::cpu_micros)).median,
        Spread::new(server.turns.iter().map(Turn::database_micros)).median,
        Spread::new(server.turns.iter().map(Turn::rate)).median,
        server.percentile(50).as_micros(),
        server.percentile(99).as_micros(),
        server.peak_memory as f64 / (1024.0 * 1024.0),
    );
}
