//! The table.

use std::time::Duration;

use crate::case::Case;
use crate::load::Stretch;
use crate::options::Options;
use crate::server::Kind;

/// A server's turn in a round.
#[derive(Debug)]
pub(crate) struct Turn {
    /// The server's CPU time.
    pub(crate) server: Duration,
    /// That of its database, where it is a program of its own.
    pub(crate) database: Duration,
    pub(crate) stretch: Stretch,
}

impl Turn {
    /// CPU microseconds a request, of the server and its database.
    fn cpu_micros(&self) -> f64 {
        self.micros(self.server + self.database)
    }

    /// Those of the database.
    fn database_micros(&self) -> f64 {
        self.micros(self.database)
    }

    #[allow(clippy::cast_precision_loss)] // far below 2^52 requests
    fn micros(&self, time: Duration) -> f64 {
        time.as_secs_f64() * 1e6 / self.stretch.latencies.len() as f64
    }

    #[allow(clippy::cast_precision_loss)]
    fn rate(&self) -> f64 {
        self.stretch.latencies.len() as f64 / self.stretch.elapsed.as_secs_f64()
    }
}

/// A server's turns in all rounds of a case.
#[derive(Debug)]
pub(crate) struct Measured {
    name: &'static str,
    kind: Kind,
    pub(crate) turns: Vec<Turn>,
    /// In bytes.
    pub(crate) peak_memory: u64,
}

impl Measured {
    pub(crate) const fn new(name: &'static str, kind: Kind) -> Self {
        Self { name, kind, turns: Vec::new(), peak_memory: 0 }
    }

    fn percentile(&self, share: usize) -> Duration {
        percentile(self.turns.iter().flat_map(|turn| turn.stretch.latencies.iter().copied()).collect(), share)
    }
}

/// The latency that a share of the requests, in percent, stayed below.
fn percentile(mut latencies: Vec<Duration>, share: usize) -> Duration {
    if latencies.is_empty() {
        return Duration::ZERO;
    }
    let index = (latencies.len() - 1) * share / 100;
    *latencies.select_nth_unstable(index).1
}

/// Prints what one stretch of load saw.
pub(crate) fn print_stretch(Stretch { elapsed, latencies }: Stretch) {
    let (count, seconds) = (latencies.len(), elapsed.as_secs_f64());
    let (p50, p99) = (percentile(latencies.clone(), 50).as_micros(), percentile(latencies, 99).as_micros());
    println!("{count} requests in {seconds:.2} s, p50 {p50} µs, p99 {p99} µs");
}

/// The middle of some figures, and the ends of their middle half.
struct Spread {
    median: f64,
    lower: f64,
    upper: f64,
}

impl Spread {
    fn of(figures: impl Iterator<Item = f64>) -> Self {
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

/// Prints a case's rows, the twin's first: it is the measure of the others. Whether no ratio but the noise
/// is above the limit.
pub(crate) fn print_case(case: Case, measured: &[Measured], max_ratio: Option<f64>) -> bool {
    println!("\n{}", case.title());
    let Some((twin, others)) = measured.split_first() else { return true };
    print_row(twin, "");
    let mut acceptable = true;
    for server in others {
        let ratio = Spread::of(server.turns.iter().zip(&twin.turns).map(|(a, b)| a.cpu_micros() / b.cpu_micros()));
        let mut text = format!("{:.3}  [{:.3} – {:.3}]", ratio.median, ratio.lower, ratio.upper);
        if server.kind == Kind::Twin {
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
        Spread::of(server.turns.iter().map(Turn::cpu_micros)).median,
        Spread::of(server.turns.iter().map(Turn::database_micros)).median,
        Spread::of(server.turns.iter().map(Turn::rate)).median,
        server.percentile(50).as_micros(),
        server.percentile(99).as_micros(),
        server.peak_memory as f64 / (1024.0 * 1024.0),
    );
}
