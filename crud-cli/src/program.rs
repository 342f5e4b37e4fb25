//! What only the project's own program knows: it is run with an argument.

use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::project::Project;

/// Builds and runs the program of the project here; its output and its exit code are the command's.
pub(crate) fn run(argument: &str) -> Result<ExitCode> {
    let project = Project::find()?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["run", "--quiet", "--", argument])
        .current_dir(project.root())
        .status()
        .context("cannot run cargo")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
