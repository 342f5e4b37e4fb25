//! Runs cargo, and reads the CPU time of its processes.

use std::fs::File;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

use anyhow::{Context, ensure};
use nix::sys::resource::{UsageWho, getrusage};

use crate::generate::{Leaf, Workspace};

/// The cargo command to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    Check,
    Build,
}

impl Step {
    pub(crate) const ALL: [Self; 2] = [Self::Check, Self::Build];

    const fn name(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Build => "build",
        }
    }
}

/// `cargo check` or `cargo build` of one crate, without environment variables that would change the cost.
pub(crate) fn cargo(workspace: &Workspace, leaf: Leaf, step: Step) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command
        .args([step.name(), "--jobs=1", "--package", &leaf.name(), "--target-dir", "target"])
        .current_dir(&workspace.directory)
        // A full compilation each time, without incremental compilation.
        .env("CARGO_INCREMENTAL", "0")
        .stdin(Stdio::null());
    for variable in ["RUSTFLAGS", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "RUSTC_BOOTSTRAP"] {
        command.env_remove(variable);
    }
    command
}

/// Runs a command to its end; its error contains the command's first error.
pub(crate) fn finish(mut command: Command) -> anyhow::Result<Output> {
    let output = command.output().context("cannot run cargo")?;
    ensure!(output.status.success(), "{}", errors(&String::from_utf8_lossy(&output.stderr)));
    Ok(output)
}

/// The first lines of a text, from its first error on.
fn errors(printed: &str) -> String {
    let lines: Vec<&str> = printed.lines().skip_while(|line| !line.starts_with("error")).take(40).collect();
    if lines.is_empty() { printed.to_owned() } else { lines.join("\n") }
}

/// The user CPU time to compile a crate with built dependencies: cargo's and that of all its processes.
pub(crate) fn user_time(workspace: &Workspace, leaf: Leaf, step: Step) -> anyhow::Result<Duration> {
    touch(workspace, leaf)?;
    let mut command = cargo(workspace, leaf, step);
    command.args(["--offline", "--quiet"]);
    let before = children_user_time()?;
    finish(command)?;
    Ok(children_user_time()?.saturating_sub(before))
}

/// Makes cargo recompile this crate only.
pub(crate) fn touch(workspace: &Workspace, leaf: Leaf) -> anyhow::Result<()> {
    let file = File::options().write(true).open(workspace.source(leaf))?;
    Ok(file.set_modified(SystemTime::now())?)
}

/// The user CPU time of all ended child processes and their descendants.
fn children_user_time() -> anyhow::Result<Duration> {
    let time = getrusage(UsageWho::RUSAGE_CHILDREN)?.user_time();
    Ok(Duration::new(time.tv_sec().try_into()?, 0) + Duration::from_micros(time.tv_usec().try_into()?))
}
