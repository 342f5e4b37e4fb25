//! The `crud` command: scaffolds a service, generates its resources, and asks the service about itself.

mod add;
mod api;
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
mod prove;
mod registry;
mod render;
mod runtime;
mod rust_layout;
mod tests_file;

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Result;
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser};
use crud_config::command::{ServiceCommand, misspelt};

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
        Command::Api(command) => return api::run(&command),
        Command::Config(options) => config::run(&options)?,
        Command::Prove(options) => return prove::run(options),
        Command::Service(command) => return program::run(&command),
        Command::Plugin(words) => {
            refuse_misspelt(&words);
            return program::run(&ServiceCommand::Plugin(words));
        }
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "crud", &mut script);
            output::print(&String::from_utf8_lossy(&script))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Exits with an error where the first word is nearly the name of a command. Other words may be commands of the
/// project's plugins.
fn refuse_misspelt(words: &[OsString]) {
    let mut cli = Cli::command();
    if let Some(error) = misspelt(words, Cli::command().get_subcommands().map(clap::Command::get_name)) {
        cli.error(ErrorKind::InvalidSubcommand, error).exit();
    }
}
