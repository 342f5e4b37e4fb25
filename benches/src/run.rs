//! The measurement: servers take turns, round after round.

use std::process::ExitCode;

use anyhow::Context;

use crate::case::Case;
use crate::compare::compare;
use crate::database::Database;
use crate::load::Load;
use crate::options::Options;
use crate::process::Process;
use crate::report::{self, Measured, Turn};
use crate::server::{self, Kind};

/// The servers: the twin is the measure, the second twin shows how far two equal programs differ.
const SERVERS: [(&str, Kind); 3] = [("twin", Kind::Twin), ("twin again", Kind::Twin), ("ours", Kind::Ours)];

/// A server with its open connections.
struct Contender {
    name: &'static str,
    kind: Kind,
    process: Process,
    load: Load,
    database: Database,
}

/// Runs every case and prints the table.
pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    if cfg!(debug_assertions) {
        eprintln!("note: this is a debug build; only `--release` figures mean anything");
    }
    block_on(async {
        let directory = tempfile::tempdir_in(&options.directory).context("cannot make a directory for databases")?;
        let mut contenders = Vec::new();
        for (name, kind) in SERVERS {
            let database = Database::new(options.database, directory.path(), name).await?;
            server::prepare(kind, database.url()).await?;
            let process = Process::spawn(kind, database.url(), options.log)?;
            let load = Load::connect(process.address(), options.connections, 1).await?;
            contenders.push(Contender { name, kind, process, load, database });
        }
        let servers: Vec<_> = contenders.iter().map(|server| (server.name, server.process.address())).collect();
        let requests = compare(&servers, options.database).await.context("the servers answer differently")?;
        for contender in &contenders[1..] {
            contender.database.compare_logs(&contenders[0].database).await?;
        }
        println!("all servers answer alike ({requests} requests compared)");
        report::print_heading(options);
        let mut acceptable = true;
        for case in &options.cases {
            let measured = measure(*case, &mut contenders, options).await?;
            acceptable &= report::print_case(*case, &measured, options.max_ratio);
        }
        Ok(if acceptable { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    })
}

async fn measure(case: Case, contenders: &mut [Contender], options: &Options) -> anyhow::Result<Vec<Measured>> {
    let mut measured: Vec<Measured> =
        contenders.iter().map(|contender| Measured::new(contender.name, contender.kind)).collect();
    for contender in contenders.iter() {
        contender.database.settle().await?;
        contender.process.forget_peak()?;
    }
    for round in 0..options.rounds {
        for turn in 0..contenders.len() {
            // Each round starts with another server, so that none always follows the same one.
            let index = (turn + round) % contenders.len();
            measured[index].turns.push(take_turn(case, &mut contenders[index], options).await?);
        }
    }
    for (measured, contender) in measured.iter_mut().zip(contenders) {
        measured.peak_memory = contender.process.peak_memory()?;
    }
    Ok(measured)
}

async fn take_turn(case: Case, contender: &mut Contender, options: &Options) -> anyhow::Result<Turn> {
    contender.load.run(case, options.warmup).await?;
    let before = (contender.process.cpu_time()?, contender.database.cpu_time()?);
    let stretch = contender.load.run(case, options.turn).await?;
    let server = contender.process.cpu_time()?.saturating_sub(before.0);
    let database = contender.database.cpu_time()?.saturating_sub(before.1);
    Ok(Turn { server, database, stretch })
}

/// Sends one case's requests to a server that someone else started.
pub(crate) fn load_only(case: Case, address: &str, options: &Options) -> anyhow::Result<()> {
    block_on(async {
        let mut load = Load::connect(address, options.connections, 1).await?;
        report::print_stretch(load.run(case, options.turn).await?);
        Ok(())
    })
}

/// Runs a future on one thread: the load then takes one core at most, and leaves the rest to the servers.
pub(crate) fn block_on<T>(future: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(future)
}
