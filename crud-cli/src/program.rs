//! Commands that the project's program carries out when it is run with arguments.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};
use crud_config::command::ServiceCommand;

use crate::project::Project;

/// Builds the project's program and runs it with the arguments of this command. The command has the program's output
/// and exit code. A build can take minutes: on a terminal, cargo shows how far it is.
pub(crate) fn run(command: &ServiceCommand) -> Result<ExitCode> {
    let arguments = arguments(command, env::args_os().skip(1))?;
    let status = program(&Project::find()?, &arguments).status().context("cannot run cargo")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The arguments of the program. It runs in the project's directory, so that paths of files become absolute.
fn arguments(command: &ServiceCommand, given: impl Iterator<Item = OsString>) -> Result<Vec<OsString>> {
    let Some(file) = command.file() else { return Ok(given.collect()) };
    let path = std::path::absolute(file)?;
    let flag = OsString::from_iter([OsStr::new("--indexes="), file.as_os_str()]);
    let absolute = |argument: OsString| match argument {
        argument if argument == file.as_os_str() => path.clone().into_os_string(),
        argument if argument == flag => OsString::from_iter([OsStr::new("--indexes="), path.as_os_str()]),
        argument => argument,
    };
    Ok(given.map(absolute).collect())
}

/// The standard output of the project's program, with a variable of its environment. Its errors are on standard error.
pub(crate) fn output(
    project: &Project,
    arguments: &[impl AsRef<OsStr>],
    variable: Option<(&str, &str)>,
) -> Result<String> {
    let mut program = program(project, arguments);
    program.envs(variable).stderr(Stdio::inherit());
    let output = program.output().context("cannot run cargo")?;
    if !output.status.success() {
        bail!("the project's program has failed, for the reason above");
    }
    String::from_utf8(output.stdout).context("the output of the project's program is not UTF-8")
}

fn program(project: &Project, arguments: &[impl AsRef<OsStr>]) -> Command {
    let run: &[&str] = if io::stderr().is_terminal() { &["run", "--"] } else { &["run", "--quiet", "--"] };
    let mut command = cargo(&project.root, run);
    command.args(arguments);
    command
}

/// Cargo with these arguments, in a directory.
pub(crate) fn cargo(directory: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(directory);
    command
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn files_are_named_from_the_directory_of_the_command() {
        let here = env::current_dir().unwrap();
        let backup = ServiceCommand::Backup { file: PathBuf::from("copy.db") };
        let given = ["backup", "copy.db"].map(OsString::from);
        let expected = [OsString::from("backup"), here.join("copy.db").into_os_string()];
        assert_eq!(arguments(&backup, given.into_iter()).unwrap(), expected);
        let check = ServiceCommand::Check { all: false, indexes: Some(Some(PathBuf::from("a.log"))) };
        let given = ["check", "--indexes=a.log"].map(OsString::from);
        let last = arguments(&check, given.into_iter()).unwrap().pop().unwrap();
        assert_eq!(last, OsString::from(format!("--indexes={}", here.join("a.log").display())));
        let routes = ["routes"].map(OsString::from);
        assert_eq!(arguments(&ServiceCommand::Routes { roles: Vec::new() }, routes.into_iter()).unwrap(), ["routes"]);
    }
}
