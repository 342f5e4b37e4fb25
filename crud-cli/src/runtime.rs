//! [`Runtime`]: the crud-runtime that a project depends on.

use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::project::{Project, Source};

/// The runtime of the source tree that this command was built from.
const BUILT_WITH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crud-runtime");

/// The file with the whole book, in the repository.
const BOOK: &str = "docs/llms.txt";

/// The source of a project's runtime.
#[derive(Debug)]
pub(crate) enum Runtime {
    /// A version in the registry.
    Version(String),
    /// The paths of the crate and its workspace from the project's directory, and the project's path.
    Path { runtime: PathBuf, workspace: PathBuf, project: PathBuf },
}

/// Lines and paths that a `Dockerfile` needs for the runtime.
#[derive(Debug)]
pub(crate) struct Image {
    /// The project's directory in the image that builds it.
    pub(crate) place: String,
    /// The line that copies the runtime into the image, unless the runtime comes from the registry.
    pub(crate) copy: String,
    /// The option of `docker build` that gives the build the runtime's directory.
    pub(crate) context: String,
}

impl Runtime {
    /// The runtime that `--runtime` names, for a project in this directory: a path where there is a crate, otherwise a
    /// version. The default is the source tree that the command was built from, or else the command's version.
    pub(crate) fn find(option: Option<&str>, project: &Path) -> Result<Self> {
        let Some(option) = option else {
            let built_with = Path::new(BUILT_WITH);
            let is_published = !built_with.exists();
            return if is_published { Ok(Self::of_command()) } else { Self::at(built_with, project) };
        };
        if !Path::new(option).exists() && option.starts_with(|c: char| c.is_ascii_digit() || "=^~<>*".contains(c)) {
            return Ok(Self::Version(option.to_owned()));
        }
        Self::at(Path::new(option), project)
            .with_context(|| format!("`{option}` is neither a version nor the path of crud-runtime"))
    }

    /// The runtime that a project depends on. Where the workspace states the dependency, it has the command's version.
    pub(crate) fn of_project(project: &Project) -> Result<Self> {
        match &project.runtime {
            Some(Source::Path(path)) => Self::at(&project.root.join(path), &project.root),
            Some(Source::Version(version)) => Ok(Self::Version(version.clone())),
            None => Ok(Self::of_command()),
        }
    }

    /// The runtime of the command's version: all crates have one version.
    fn of_command() -> Self {
        Self::Version(env!("CARGO_PKG_VERSION").to_owned())
    }

    fn at(path: &Path, project: &Path) -> Result<Self> {
        let path = path.canonicalize()?;
        let manifest = fs::read_to_string(path.join("Cargo.toml"))?;
        let manifest: toml_edit::DocumentMut = manifest.parse().ok().context("its Cargo.toml is not valid TOML")?;
        let name = manifest.get("package").and_then(|package| package.get("name")).and_then(|name| name.as_str());
        if name != Some("crud-runtime") {
            bail!("its Cargo.toml is not that of crud-runtime");
        }
        // A crate of a workspace does not build without the workspace.
        let workspace = path.ancestors().find(|path| is_workspace(path)).unwrap_or(&path).to_owned();
        let project = resolved(project)?;
        let from_project =
            |target: &Path| relative(target, &project).context("it is on another drive than the project");
        Ok(Self::Path { runtime: from_project(&path)?, workspace: from_project(&workspace)?, project })
    }

    /// The line of `Cargo.toml`. A path is relative, so that it is right wherever the two directories are copied to.
    pub(crate) fn dependency(&self, features: &[&str]) -> String {
        let (key, value) = match self {
            Self::Version(version) => ("version", version.clone()),
            Self::Path { runtime, .. } => ("path", slashed(runtime)),
        };
        let value = toml_edit::Value::from(value);
        let features: toml_edit::Array = features.iter().copied().collect();
        format!("crud-runtime = {{ {key} = {value}, features = {features} }}")
    }

    /// The dependency on a plugin's crate, which is of the same version.
    pub(crate) fn plugin(&self, name: &str) -> toml_edit::InlineTable {
        self.crate_in("plugins", name)
    }

    /// The dependency on a crate beside the runtime's.
    pub(crate) fn beside(&self, name: &str) -> toml_edit::InlineTable {
        self.crate_in("", name)
    }

    /// The location of the book's single file, in Markdown.
    pub(crate) fn book(&self) -> String {
        match self {
            Self::Version(_) => format!("`{BOOK}` of {}", env!("CARGO_PKG_REPOSITORY")),
            Self::Path { workspace, .. } => format!("`{}`", slashed(&workspace.join(BOOK))),
        }
    }

    fn crate_in(&self, directory: &str, name: &str) -> toml_edit::InlineTable {
        let (key, value) = match self {
            Self::Version(version) => ("version", version.clone()),
            Self::Path { workspace, .. } => ("path", slashed(&workspace.join(directory).join(name))),
        };
        toml_edit::InlineTable::from_iter([(key, value)])
    }

    /// Lines and paths for the `Dockerfile`. In the image, the two directories lie relative to each other as they do
    /// here.
    pub(crate) fn image(&self) -> Image {
        let Self::Path { workspace, project, .. } = self else {
            return Image { place: "/build".to_owned(), copy: String::new(), context: String::new() };
        };
        let ups = workspace.components().filter(|part| *part == Component::ParentDir).count();
        let down: PathBuf = workspace.components().filter(|part| *part != Component::ParentDir).collect();
        let parts: Vec<Component<'_>> = project.components().collect();
        let own: PathBuf = parts[parts.len().saturating_sub(ups)..].iter().collect();
        let copied = slashed(&Path::new("/build").join(down));
        let context = slashed(workspace);
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "./-_".contains(c);
        let context = if context.chars().all(is_plain) { context } else { format!("'{context}'") };
        Image {
            place: slashed(&Path::new("/build").join(own)),
            copy: format!(
                "COPY --from=crud --exclude=target --exclude=.git [\".\", {:?}]\n",
                copied.trim_end_matches('/')
            ),
            context: format!("--build-context crud={context} "),
        }
    }
}

fn is_workspace(directory: &Path) -> bool {
    let manifest = fs::read_to_string(directory.join("Cargo.toml")).ok();
    let manifest = manifest.and_then(|text| text.parse::<toml_edit::DocumentMut>().ok());
    manifest.is_some_and(|manifest| manifest.contains_key("workspace"))
}

/// An absolute path without links, whose last directories need not exist.
fn resolved(path: &Path) -> Result<PathBuf> {
    let existing = path.ancestors().find(|ancestor| ancestor.exists()).context("it has no directory")?;
    let rest = path.strip_prefix(existing)?;
    Ok(existing.canonicalize()?.join(rest))
}

/// A path from one directory to another, such as `../../crud`; both are absolute. `None` between drives.
fn relative(target: &Path, from: &Path) -> Option<PathBuf> {
    let (targets, froms): (Vec<_>, Vec<_>) = (target.components().collect(), from.components().collect());
    let common = targets.iter().zip(&froms).take_while(|(one, other)| one == other).count();
    let up = froms[common..].iter().map(|_| Component::ParentDir);
    (common > 0).then(|| up.chain(targets[common..].iter().copied()).collect())
}

/// A path with the separator that TOML, Docker and every system's Cargo take.
fn slashed(path: &Path) -> String {
    path.display().to_string().replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_from_the_project() {
        for (target, from, expected) in [
            ("/a/crud", "/a/demo", "../crud"),
            ("/a/crud", "/a/b/demo", "../../crud"),
            ("/a/crud", "/a/crud/demo", ".."),
            ("/a", "/b/demo", "../../a"),
        ] {
            assert_eq!(relative(Path::new(target), Path::new(from)), Some(expected.into()), "{target} from {from}");
        }
    }

    #[test]
    fn the_version_of_a_published_command_is_that_of_its_crate() {
        let line = Runtime::of_command().dependency(&["config"]);
        assert_eq!(
            line,
            format!("crud-runtime = {{ version = \"{}\", features = [\"config\"] }}", env!("CARGO_PKG_VERSION"))
        );
    }
}
