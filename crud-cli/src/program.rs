//! Commands that the project's program carries out: it is run with arguments.

use std::ffi::OsStr;
use std::io::{self, IsTerminal};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::project::Project;

/// Builds and runs the project's program. Its output and its exit code are those of the command. A build can take minutes:
/// on a terminal, cargo shows how far it is.
pub(crate) fn run(arguments: &[impl AsRef<OsStr>]) -> Result<ExitCode> {
    let project = Project::find()?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let run: &[&str] = if io::stderr().is_terminal() { &["run", "--"] } else { &["run", "--quiet", "--"] };
    let status = Command::new(cargo)
        .args(run)
        .args(arguments)
        .current_dir(project.root())
        .status()
        .context("cannot run cargo")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
