//! `crud prove`: runs the project's proof of its access rules, and prints what it found.

use std::fs;
use std::path::Path;
use std::process::{self, ExitCode, Stdio};

use anyhow::{Context, Result, bail};

use crate::cli::Prove;
use crate::output;
use crate::program::cargo;
use crate::project::Project;

/// The test with the proof, without its extension.
const TEST: &str = "prove";

pub(crate) fn run(options: Prove) -> Result<ExitCode> {
    let project = Project::find()?;
    let file = format!("tests/{TEST}.rs");
    if !project.root.join(&file).exists() {
        bail!("`{file}` is missing: `crud add auth` writes it, and `crud-prove` is a crate for `[dev-dependencies]`");
    }
    // Each process has its directory, so that two commands at once do not collide.
    let directory = std::env::temp_dir().join(format!("crud-prove-{}", process::id()));
    fs::create_dir_all(&directory).with_context(|| format!("cannot create `{}`", directory.display()))?;
    let result = prove(&project, options, &directory);
    fs::remove_dir_all(&directory).ok();
    result
}

fn prove(project: &Project, options: Prove, directory: &Path) -> Result<ExitCode> {
    let (table, report) = (directory.join("table.md"), directory.join("report.txt"));
    let mut command = cargo(&project.root, &["test", "--quiet", "--test", TEST]);
    command.env("CRUD_PROVE_TABLE", &table).env("CRUD_PROVE_REPORT", &report);
    if !options.quick {
        command.env("CRUD_PROVE_FULL", "1");
    }
    let output = command.stderr(Stdio::inherit()).output().context("cannot run cargo")?;
    let Ok(found) = fs::read_to_string(&report) else {
        // The test ended before the proof could write its report.
        output::print(&String::from_utf8_lossy(&output.stdout))?;
        bail!("the proof has failed, for the reason above");
    };
    match (options.table, output.status.success()) {
        (true, true) => output::print(&fs::read_to_string(&table).context("the table is missing")?)?,
        _ => output::print(&found)?,
    }
    Ok(if output.status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
