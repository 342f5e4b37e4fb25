//! The `crud` command: scaffolds a service, generates its resources, and asks the service about itself.

mod add;
mod carry;
mod changes;
mod cli;
mod config;
mod config_file;
mod database;
mod destroy;
mod dev;
mod field;
mod generate;
mod init;
mod introspection;
mod item_text;
mod marks;
mod model;
mod names;
mod output;
mod part;
mod parts;
mod program;
mod project;
mod prompt;
mod registry;
mod render;
mod runtime;
mod rust_layout;
mod tests_file;

use std::process::ExitCode;

use anyhow::Result;
use clap::{CommandFactory, Parser};

use crate::cli::{Cli, Command};

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
        Command::Destroy(options) => destroy::run(&options)?,
        Command::Add(options) => parts::run(&options)?,
        Command::Dev => dev::run()?,
        Command::Config(options) => config::run(&options)?,
        Command::Service(command) => return program::run(&command),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "crud", &mut script);
            output::print(&String::from_utf8_lossy(&script))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
