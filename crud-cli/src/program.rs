//! Commands that the project's program carries out: it is run with arguments.

use std::ffi::OsStr;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::project::Project;

/// Builds and runs the project's program. Its output and its exit code are those of the command.
pub(crate) fn run(arguments: &[impl AsRef<OsStr>]) -> Result<ExitCode> {
    let project = Project::find()?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["run", "--quiet", "--"])
        .args(arguments)
        .current_dir(project.root())
        .status()
        .context("cannot run cargo")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
