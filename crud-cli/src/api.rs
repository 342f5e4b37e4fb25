//! `crud api`: the lock of the service's interface, and the changes since.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use crud_contract::{Contract, FILE};

use crate::cli;
use crate::output;
use crate::program;
use crate::project::Project;

pub(crate) fn run(command: &cli::Api) -> Result<ExitCode> {
    let project = Project::find()?;
    let file = project.root.join(FILE);
    match command {
        cli::Api::Lock => lock(&project, &file),
        cli::Api::Diff { against } => diff(&project, against.as_deref().unwrap_or(&file)),
    }
}

/// The interface of the project's program.
fn current(project: &Project) -> Result<Contract> {
    let document = program::output(project, &["openapi"], None)?;
    Contract::parse(&document).context("the program's OpenAPI document")
}

fn lock(project: &Project, file: &Path) -> Result<ExitCode> {
    let contract = current(project)?;
    fs::write(file, contract.to_text()).with_context(|| format!("cannot write `{FILE}`"))?;
    output::print(&format!(
        "{FILE} is written. Routes: {}. Commit it: `cargo test` compares with it.\n",
        contract.routes()
    ))?;
    Ok(ExitCode::SUCCESS)
}

fn diff(project: &Project, file: &Path) -> Result<ExitCode> {
    let text = match fs::read_to_string(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            bail!("`{}` is missing: `crud api lock` writes the interface as it is now", file.display())
        }
        read => read.with_context(|| format!("cannot read `{}`", file.display()))?,
    };
    let locked = Contract::parse(&text).with_context(|| format!("`{}`", file.display()))?;
    let changes = locked.changes_to(&current(project)?);
    let breaking = changes.breaking().count();
    if changes.is_empty() {
        output::print("The interface is the locked one.\n")?;
    } else {
        output::print(&changes.to_string())?;
    }
    if breaking == 0 {
        return Ok(ExitCode::SUCCESS);
    }
    output::print("\nKeep what clients use, or accept the changes by `crud api lock`.\n")?;
    Ok(ExitCode::FAILURE)
}
