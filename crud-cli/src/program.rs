//! What only the project's own program knows: it is run with arguments.

use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::project::Project;

/// Builds and runs the program of the project here; its output and its exit code are the command's.
pub(crate) fn run(arguments: &[&str]) -> Result<ExitCode> {
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
