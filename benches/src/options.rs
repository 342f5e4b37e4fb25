//! Command-line arguments.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, ensure};
use lexopt::prelude::*;

use crate::case::Case;
use crate::database::Engine;
use crate::growth::CONNECTIONS;
use crate::peer::Peer;
use crate::server::ServerKind;

pub(crate) const USAGE: &str = "\
Compares the cost of a derived service with that of a hand-written twin, on loopback.

usage: crud-benches [options]            run everything and print a table
       crud-benches growth [options]     compare reads at several numbers of connections
       crud-benches statements [options] compare the list with two filters with its two statements
       crud-benches events [options]     measure what events cost changes, a stream, and a reader's wait
       crud-benches prepare KIND URL     create and fill the tables of an empty database
       crud-benches serve KIND URL       serve it until standard input ends
       crud-benches load CASE ADDRESS    send one case's requests to a server

KIND is `twin`, `ours`, `capable`, `best`, `static`, `audited`, `followed`, `known`, or on PostgreSQL `single`. CASE is one of
`health`, `get`, `page`, `list`, `create`, `update`, `batch`, and on SQLite `article`, `where`, `search`, `expand`,
`related`, `cursor`, `export`, `upsert` or `idempotent`.

options:
  --database NAME     `sqlite`, `postgres`, which the benchmark starts, or `memory`: none (sqlite)
  --rounds N          rounds of each case (40)
  --seconds S         length of a server's turn in a round (0.2)
  --warmup S          unmeasured load before each turn (0.05)
  --connections A,B   keep-alive connections: one table for each number (32; growth: 2,8,32,256)
  --records N         products of each server (10000)
  --cases A,B         only these cases
  --log on|off        whether servers log a line for each request (on)
  --directory PATH    the directory of the databases (the system's temporary directory)
  --peers A,B         other programs beside, on SQLite: `pocketbase` and `crudcrate`, which
                      CRUD_BENCH_POCKETBASE and CRUD_BENCH_CRUDCRATE name
  --output DIRECTORY  write the results there too: `sqlite.md` and `sqlite.svg`
  --max-ratio R       fail when a case's median CPU ratio ours/twin is above R; statements and events: theirs, in two runs
  --max-best-ratio R  fail when a case's median CPU ratio to the best program is above R, in two runs
  --max-single-ratio R
                      the same, to the best program with one statement for each change (PostgreSQL)
  --changes N         growth: changes a second beside the reads (0)
  --long-reader       growth, on SQLite: a transaction that reads throughout, and every page in the write-ahead log
  --streams N         events: streams that are open at once (1000)
  --max-growth R      growth: fail when a read costs R times that at the first number of connections, in two runs
  --help              print this
";

#[derive(Debug)]
pub(crate) enum Command {
    Help,
    Run(Options),
    Growth(Options),
    Statements(Options),
    Events(Options),
    Prepare { kind: ServerKind, url: String, records: usize },
    Serve { kind: ServerKind, url: String, log: bool },
    Load { case: Case, address: String, options: Options },
}

#[derive(Debug, Clone)]
pub(crate) struct Options {
    pub(crate) database: Engine,
    pub(crate) rounds: usize,
    pub(crate) turn: Duration,
    pub(crate) warmup: Duration,
    pub(crate) connections: Vec<usize>,
    pub(crate) records: usize,
    pub(crate) output: Option<PathBuf>,
    pub(crate) cases: Vec<Case>,
    pub(crate) log: bool,
    pub(crate) directory: PathBuf,
    pub(crate) max_ratio: Option<f64>,
    /// The limit of the ratio to a program by hand.
    pub(crate) limit: Option<(ServerKind, f64)>,
    pub(crate) peers: Vec<Peer>,
    pub(crate) changes: u32,
    pub(crate) long_reader: bool,
    pub(crate) max_growth: Option<f64>,
    pub(crate) streams: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            database: Engine::Sqlite,
            rounds: 40,
            turn: Duration::from_millis(200),
            warmup: Duration::from_millis(50),
            connections: Vec::new(),
            records: 10_000,
            output: None,
            cases: Vec::new(),
            log: true,
            directory: std::env::temp_dir(),
            max_ratio: None,
            limit: None,
            peers: Vec::new(),
            changes: 0,
            long_reader: false,
            max_growth: None,
            streams: 1_000,
        }
    }
}

pub(crate) fn parse() -> anyhow::Result<Command> {
    let Some((mut options, words)) = read(lexopt::Parser::from_env())? else { return Ok(Command::Help) };
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if options.connections.is_empty() {
        options.connections = if words == ["growth"] { CONNECTIONS.to_vec() } else { vec![32] };
    }
    if words == ["growth"] {
        // Each is compared with the fewest.
        options.connections.sort_unstable();
    }
    Ok(match words.as_slice() {
        [] => Command::Run(options),
        ["growth"] => Command::Growth(options),
        ["statements"] => Command::Statements(options),
        ["events"] => Command::Events(options),
        ["prepare", kind, url] => {
            let (kind, url) = (ServerKind::parse(kind)?, (*url).to_owned());
            Command::Prepare { kind, url, records: options.records }
        }
        ["serve", kind, url] => {
            Command::Serve { kind: ServerKind::parse(kind)?, url: (*url).to_owned(), log: options.log }
        }
        ["load", case, address] => Command::Load { case: Case::parse(case)?, address: (*address).to_owned(), options },
        _ => anyhow::bail!("cannot read `{}`; see --help", words.join(" ")),
    })
}

/// The options and the positional arguments; `None` for `--help`.
fn read(mut arguments: lexopt::Parser) -> anyhow::Result<Option<(Options, Vec<String>)>> {
    let mut options = Options::default();
    let mut words = Vec::new();
    while let Some(argument) = arguments.next()? {
        match argument {
            Short('h') | Long("help") => return Ok(None),
            Long("database") => options.database = Engine::parse(&arguments.value()?.string()?)?,
            Long("rounds") => options.rounds = arguments.value()?.parse()?,
            Long("seconds") => options.turn = seconds(&arguments.value()?.string()?)?,
            Long("warmup") => options.warmup = seconds(&arguments.value()?.string()?)?,
            Long("connections") => {
                let numbers = arguments.value()?.string()?;
                options.connections = numbers.split(',').map(str::parse).collect::<Result<_, _>>()?;
            }
            Long("records") => options.records = arguments.value()?.parse()?,
            Long("output") => options.output = Some(arguments.value()?.into()),
            Long("cases") => {
                options.cases = arguments.value()?.string()?.split(',').map(Case::parse).collect::<Result<_, _>>()?;
            }
            Long("log") => options.log = on_or_off(&arguments.value()?.string()?)?,
            Long("directory") => options.directory = arguments.value()?.into(),
            Long("peers") => {
                options.peers = arguments.value()?.string()?.split(',').map(Peer::parse).collect::<Result<_, _>>()?;
            }
            Long("max-ratio") => options.max_ratio = Some(arguments.value()?.parse()?),
            Long("max-best-ratio") => options.limit = Some((ServerKind::Best, arguments.value()?.parse()?)),
            Long("max-single-ratio") => options.limit = Some((ServerKind::Single, arguments.value()?.parse()?)),
            Long("changes") => options.changes = arguments.value()?.parse()?,
            Long("streams") => options.streams = arguments.value()?.parse()?,
            Long("long-reader") => options.long_reader = true,
            Long("max-growth") => options.max_growth = Some(arguments.value()?.parse()?),
            Value(word) => words.push(word.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    if options.cases.is_empty() {
        options.cases = Case::ALL.to_vec();
    }
    ensure!(options.rounds > 0, "--rounds must be at least 1");
    ensure!(options.connections.iter().all(|number| *number > 0), "--connections must be at least 1");
    if options.database == Engine::Memory {
        options.records = 1_000;
    }
    ensure!(options.records >= 1_000, "--records must be at least 1000");
    ensure!(!options.turn.is_zero(), "--seconds must be more than 0");
    Ok(Some((options, words)))
}

fn seconds(text: &str) -> anyhow::Result<Duration> {
    let seconds: f64 = text.parse().with_context(|| format!("expected a number of seconds, found `{text}`"))?;
    Duration::try_from_secs_f64(seconds).with_context(|| format!("expected a duration in seconds, found `{text}`"))
}

fn on_or_off(text: &str) -> anyhow::Result<bool> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => anyhow::bail!("--log: expected `on` or `off`, found `{text}`"),
    }
}
