//! Compares the cost of a derived service with that of a hand-written twin: see README.md.

#[cfg(target_os = "linux")]
mod best;
#[cfg(target_os = "linux")]
mod capability;
#[cfg(target_os = "linux")]
mod case;
#[cfg(target_os = "linux")]
mod changes;
#[cfg(target_os = "linux")]
mod chart;
#[cfg(target_os = "linux")]
mod compare;
#[cfg(target_os = "linux")]
mod database;
#[cfg(target_os = "linux")]
mod events;
#[cfg(target_os = "linux")]
mod fixed;
#[cfg(target_os = "linux")]
mod growth;
#[cfg(target_os = "linux")]
mod http;
#[cfg(target_os = "linux")]
mod judge;
#[cfg(target_os = "linux")]
mod load;
#[cfg(target_os = "linux")]
mod machine;
#[cfg(target_os = "linux")]
mod options;
#[cfg(target_os = "linux")]
mod ours;
#[cfg(target_os = "linux")]
mod peer;
#[cfg(target_os = "linux")]
mod process;
#[cfg(target_os = "linux")]
mod report;
#[cfg(target_os = "linux")]
mod run;
#[cfg(target_os = "linux")]
mod seed;
#[cfg(target_os = "linux")]
mod server;
#[cfg(target_os = "linux")]
mod statements;
#[cfg(target_os = "linux")]
mod streams;
#[cfg(target_os = "linux")]
mod twin;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    execute().unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        std::process::ExitCode::FAILURE
    })
}

#[cfg(target_os = "linux")]
fn execute() -> anyhow::Result<std::process::ExitCode> {
    use options::{Command, USAGE};

    match options::parse()? {
        Command::Help => print!("{USAGE}"),
        Command::Run(options) => return run::run(&options),
        Command::Growth(options) => return growth::run(&options),
        Command::Events(options) => return events::run(&options),
        Command::Statements(options) => return statements::run(&options),
        Command::Prepare { kind, url, records } => run::block_on(server::prepare(kind, &url, records, true))?,
        Command::Serve { kind, url, log } => server::serve_process(kind, &url, log)?,
        Command::Load { case, address, options } => run::load_only(case, &address, &options)?,
    }
    Ok(std::process::ExitCode::SUCCESS)
}

#[cfg(not(target_os = "linux"))]
fn main() -> std::process::ExitCode {
    eprintln!("crud-benches needs Linux: it reads CPU clocks and /proc");
    std::process::ExitCode::FAILURE
}
