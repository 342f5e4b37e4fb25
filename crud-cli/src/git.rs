//! The repository of a new project.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Result;

use crate::output;

/// Makes a repository of git of a directory, unless git is not installed, or the directory is in one already.
pub(crate) fn init(directory: &Path) -> Result<()> {
    if directory.ancestors().any(|directory| directory.join(".git").exists()) {
        return Ok(());
    }
    let mut command = Command::new("git");
    command.args(["init", "--quiet"]).current_dir(directory).stdin(Stdio::null()).stdout(Stdio::null());
    // git's advice about the name of the first branch is not about this project.
    match command.stderr(Stdio::null()).status() {
        Ok(status) if !status.success() => output::print("`git init` failed: the project is not a repository.\n"),
        _ => Ok(()),
    }
}
