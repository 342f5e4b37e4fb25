//! The `crud` command: scaffolds a service, generates its resources, and asks the service about itself.

mod add;
mod changes;
mod cli;
mod config;
mod database;
mod field;
mod generate;
mod init;
mod marks;
mod model;
mod names;
mod output;
mod program;
mod project;
mod prompt;
mod render;
mod runtime;
mod tests_file;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use clap::{CommandFactory, Parser};

use crate::cli::{Audit, Cli, Command};

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(code) => code,
        Err(error) => {
            output::error(&error);
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<ExitCode> {
    match command {
        Command::Init(options) => init::run(&options)?,
        Command::Generate(options) => generate::run(&options)?,
        Command::Config(options) => config::run(&options)?,
        Command::Check { indexes: None } => return program::run(&["check"]),
        Command::Check { indexes: Some(None) } => return program::run(&["check", "--indexes"]),
        Command::Check { indexes: Some(Some(log)) } => return program::run(&check_log(&log)?),
        Command::Openapi => return program::run(&["openapi"]),
        Command::Routes => return program::run(&["routes"]),
        Command::Audit { task: Audit::Erase { resource, id } } => {
            return program::run(&["audit", "erase", &resource, &id]);
        }
        Command::Backup { file } => {
            let file = std::path::absolute(file)?.display().to_string();
            return program::run(&["backup".to_owned(), file]);
        }
        Command::User { task } => return program::run(&task.arguments()),
        Command::Import(import) => return program::run(&import.arguments()?),
        Command::Move { from, to } => return program::run(&["move", "--from", &from, "--to", &to]),
        Command::Jobs { task } => return program::run(&task.arguments()),
        Command::Migrate { task } => return program::run(&task.arguments()),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "crud", &mut script);
            output::print(&String::from_utf8_lossy(&script))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The arguments of the project's program, which runs in the project's directory, for a log.
fn check_log(log: &Path) -> Result<Vec<String>> {
    let log = if log == Path::new("-") { log.to_owned() } else { std::path::absolute(log)? };
    Ok(vec!["check".to_owned(), "--indexes".to_owned(), log.display().to_string()])
}
