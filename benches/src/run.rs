//! The measurement: the servers take turns, in many rounds.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;

use crate::case::{Case, Content};
use crate::compare::compare;
use crate::database::{Database, Engine};
use crate::judge;
use crate::load::Load;
use crate::options::Options;
use crate::process::Process;
use crate::report::{self, Measured, Report, Turn};
use crate::server::{self, ServerKind};

/// The servers of an engine, the reference first. The second twin shows the noise between equal programs.
fn servers(options: &Options) -> Vec<(&'static str, ServerKind)> {
    let twins = [("twin", ServerKind::Twin), ("twin again", ServerKind::Twin), ("ours", ServerKind::Ours)];
    let mut servers = match options.database {
        Engine::Sqlite => {
            [&twins[..], &[("ours, audit", ServerKind::Audited), ("best, audit", ServerKind::Best)]].concat()
        }
        Engine::Postgres => [&twins[..], &[("best", ServerKind::Best), ("best, single", ServerKind::Single)]].concat(),
        Engine::Memory => vec![("axum, static", ServerKind::Static), ("ours", ServerKind::Ours)],
    };
    for peer in &options.peers {
        match peer.program() {
            Ok(_) if options.database == Engine::Sqlite => servers.push((peer.name(), ServerKind::Peer(*peer))),
            Ok(_) => println!("SKIPPED: {}: it is measured on SQLite", peer.name()),
            Err(reason) => println!("SKIPPED: {}: {reason:#}", peer.name()),
        }
    }
    servers
}

/// A server with its open connections and its database.
struct Contender {
    name: &'static str,
    kind: ServerKind,
    process: Process,
    load: Load,
    database: Database,
}

impl judge::Measured for Vec<Contender> {
    fn cpu_time(&self) -> anyhow::Result<Duration> {
        let time = |one: &Contender| Ok(one.process.cpu_time()? + one.database.cpu_time()?);
        self.iter().map(time).sum()
    }
}

fn content(kind: ServerKind, options: &Options) -> Content {
    let peer = if let ServerKind::Peer(peer) = kind { Some(peer) } else { None };
    Content { records: options.records, peer, ..Content::default() }
}

/// Runs every case and prints the table.
pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    if cfg!(debug_assertions) {
        eprintln!("note: this is a debug build; only `--release` figures mean anything");
    }
    block_on(async {
        let directory =
            tempfile::tempdir_in(&options.directory).context("cannot create a directory for the databases")?;
        let capabilities = options.cases.iter().any(|case| case.is_capability());
        let mut contenders = Vec::new();
        for (name, kind) in servers(options) {
            let database = Database::new(options.database, directory.path(), name).await?;
            server::prepare(kind, database.url(), options.records, capabilities).await?;
            let process = Process::spawn(kind, database.url(), options.log)?;
            let load = Load::connect(process.address(), 1, &content(kind, options)).await?;
            contenders.push(Contender { name, kind, process, load, database });
        }
        // A peer's JSON is unlike the others'.
        let alike = contenders.iter().filter(|server| !matches!(server.kind, ServerKind::Peer(_)));
        let servers: Vec<_> = alike.map(|server| (server.name, server.kind, server.process.address())).collect();
        if options.database != Engine::Memory {
            let requests =
                compare(&servers, options.database, capabilities).await.context("the servers answer differently")?;
            for contender in &contenders[1..] {
                contender.database.compare_logs(&contenders[0].database).await?;
            }
            println!("all servers give the same responses ({requests} requests compared)");
        }
        let is_answered = |case: &Case| contenders.iter().any(|server| server.kind.answers(*case, options.database));
        let cases: Vec<Case> = options.cases.iter().copied().filter(is_answered).collect();
        let (mut report, mut acceptable, mut is_close) = (Report::new(options), true, true);
        let (reference, limit) =
            options.limit.map_or((ServerKind::Best, None), |(reference, limit)| (reference, Some(limit)));
        for connections in &options.connections {
            for contender in &mut contenders {
                let content = content(contender.kind, options);
                contender.load = Load::connect(contender.process.address(), *connections, &content).await?;
            }
            report.print_heading(options, *connections);
            for case in &cases {
                let measure = async |contenders: &mut Vec<Contender>| {
                    let measured = measure(*case, contenders, options).await?;
                    acceptable &= report.add(*case, *connections, &measured, options.max_ratio);
                    Ok(report::against(reference, &measured).unwrap_or_default())
                };
                is_close &= judge::is_within(&mut contenders, limit, measure).await?;
            }
        }
        if let Some(output) = &options.output {
            report.write(output)?;
        }
        Ok(if acceptable && is_close { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    })
}

async fn measure(case: Case, contenders: &mut [Contender], options: &Options) -> anyhow::Result<Vec<Measured>> {
    let mut contenders: Vec<&mut Contender> =
        contenders.iter_mut().filter(|contender| contender.kind.answers(case, options.database)).collect();
    let mut measured: Vec<Measured> =
        contenders.iter().map(|contender| Measured::new(contender.name, contender.kind)).collect();
    for contender in &mut contenders {
        contender.load.learn(case).await?;
        contender.database.vacuum().await?;
        contender.process.reset_peak()?;
    }
    for round in 0..options.rounds {
        for turn in 0..contenders.len() {
            // Each round starts with another server, so that no server always follows the same one.
            let index = (turn + round) % contenders.len();
            measured[index].turns.push(take_turn(case, contenders[index], options).await?);
        }
    }
    for (measured, contender) in measured.iter_mut().zip(contenders) {
        measured.peak_memory = contender.process.peak_memory()?;
    }
    Ok(measured)
}

async fn take_turn(case: Case, contender: &mut Contender, options: &Options) -> anyhow::Result<Turn> {
    contender.load.reconnect().await?;
    contender.load.run(case, options.warmup).await?;
    let before = (contender.process.cpu_time()?, contender.database.cpu_time()?);
    let sample = contender.load.run(case, options.turn).await?;
    let units = case.units(options.records);
    let server = contender.process.cpu_time()?.saturating_sub(before.0);
    let database = contender.database.cpu_time()?.saturating_sub(before.1);
    Ok(Turn { server, database, units, sample })
}

/// Sends one case's requests to a running server.
pub(crate) fn load_only(case: Case, address: &str, options: &Options) -> anyhow::Result<()> {
    block_on(async {
        let content = Content { records: options.records, ..Content::default() };
        let mut load = Load::connect(address, options.connections[0], &content).await?;
        load.learn(case).await?;
        report::print_sample(load.run(case, options.turn).await?);
        Ok(())
    })
}

/// Runs a future on one thread: the load uses at most one core, and leaves the others to the servers.
pub(crate) fn block_on<T>(future: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(future)
}
