//! The number of lines of a crate after macro expansion.

use std::process::{Command, Stdio};

use anyhow::{Context, ensure};

use crate::generate::{Leaf, Workspace};
use crate::measure::{Step, cargo, finish, touch};

/// The number of non-blank lines after expansion (rustc's `-Zunpretty=expanded`) and formatting (prettyplease).
pub(crate) fn expanded(workspace: &Workspace, leaf: Leaf) -> anyhow::Result<usize> {
    let text = expand(workspace, leaf)?;
    let file = syn::parse_file(&text).context("rustc's expansion cannot be parsed")?;
    Ok(prettyplease::unparse(&file).lines().filter(|line| !line.trim().is_empty()).count())
}

// Only the crate's own rustc may have the unstable flag: with RUSTC_BOOTSTRAP in cargo's environment, build scripts of
// dependencies would run again and choose other features. So cargo prints its command, which the shell then runs.
fn expand(workspace: &Workspace, leaf: Leaf) -> anyhow::Result<String> {
    touch(workspace, leaf)?;
    let mut command = cargo(workspace, leaf, Step::Check);
    command.args(["--offline", "-vv"]);
    let printed = String::from_utf8(finish(command)?.stderr)?;
    let crate_name = format!("--crate-name {} ", leaf.name().replace('-', "_"));
    let mut commands = printed.lines().filter_map(|line| line.trim().strip_prefix("Running `")?.strip_suffix('`'));
    let rustc = commands.find(|command| command.contains(&crate_name)).context("cargo ran no rustc")?;
    let output = Command::new("sh")
        .args(["-c", &format!("{rustc} -Zunpretty=expanded")])
        .current_dir(&workspace.directory)
        .env("RUSTC_BOOTSTRAP", "1")
        .stdin(Stdio::null())
        .output()?;
    ensure!(output.status.success(), "rustc: {}", String::from_utf8_lossy(&output.stderr).trim_end());
    Ok(String::from_utf8(output.stdout)?)
}
