//! `crud init`: a project that runs and passes its tests as it is.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use crud_config::{DATABASES, nearest};

use crate::changes::Changes;
use crate::cli;
use crate::names;
use crate::output::{self, STRONG};
use crate::prompt::option_or_ask;

/// The runtime that this command was built with.
const BUILT_WITH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crud-runtime");

/// Every file of a project, and what it says.
const FILES: &[(&str, &str)] = &[
    ("Cargo.toml", include_str!("templates/Cargo.toml.txt")),
    ("README.md", include_str!("templates/README.md.txt")),
    ("crud.toml", include_str!("templates/crud.toml.txt")),
    (".env.example", include_str!("templates/env.example.txt")),
    (".gitignore", include_str!("templates/gitignore.txt")),
    (".dockerignore", include_str!("templates/dockerignore.txt")),
    ("Dockerfile", include_str!("templates/Dockerfile.txt")),
    ("docs/README.md", include_str!("templates/docs.md.txt")),
    ("src/main.rs", include_str!("templates/main.rs.txt")),
    ("src/resources/mod.rs", include_str!("templates/resources.rs.txt")),
    ("tests/api.rs", include_str!("templates/api.rs.txt")),
];

/// Runs the command.
pub(crate) fn run(options: &cli::Init) -> Result<()> {
    check_database(&options.database)?;
    let runtime = Runtime::find(options.runtime.as_deref())?;
    let name = option_or_ask(options.name.as_deref(), "--name", "Project name", names::project)?;
    let root = std::path::absolute(&options.path)?.components().collect::<PathBuf>().join(&name);
    check_place(&root, options.force)?;
    let mut changes = Changes::new(&root);
    let mut kept = Vec::new();
    for (file, template) in FILES {
        if root.join(file).exists() {
            kept.push(*file);
        } else {
            changes.write(file, fill(&choose(template, options.auth), &name, &runtime))?;
        }
    }
    changes.apply()?;
    output::print(&format!("Project {STRONG}{name}{STRONG:#} created at {}.\n", root.display()))?;
    let kept: Vec<String> = kept.iter().map(|file| format!("Kept as it was: {file}\n")).collect();
    output::print(&kept.concat())?;
    if options.auth {
        output::print("It starts with a secret in JWT_SECRET_KEY: its README.md says more.\n")?;
    }
    Ok(())
}

/// What `crud.toml` of a project says at first.
pub(crate) fn configuration(name: &str) -> String {
    fill_database(include_str!("templates/crud.toml.txt"), name)
}

fn check_database(name: &str) -> Result<()> {
    if DATABASES.iter().any(|database| database.name == name) {
        return Ok(());
    }
    let known = nearest::list(DATABASES.iter().map(|database| database.name));
    bail!("this build of crud-runtime does not know the database `{name}` yet: it knows {known}")
}

fn check_place(root: &Path, force: bool) -> Result<()> {
    let shown = root.display();
    if !root.exists() {
        return Ok(());
    }
    if !root.is_dir() {
        bail!("`{shown}` is there and is no directory");
    }
    let mut entries = fs::read_dir(root).with_context(|| format!("cannot read `{shown}`"))?;
    if entries.next().is_some() && !force {
        bail!("`{shown}` is not empty: `--force` adds what is missing and leaves what is there");
    }
    Ok(())
}

/// Where a project gets its runtime from.
#[derive(Debug)]
enum Runtime {
    Version(String),
    /// The crate's directory.
    Path(PathBuf),
}

impl Runtime {
    /// What the option says: a path where there is a crate, otherwise a version.
    fn find(option: Option<&str>) -> Result<Self> {
        let Some(option) = option else {
            return Self::at(Path::new(BUILT_WITH)).with_context(
                || "the source tree that this command was built from is gone: say `--runtime <VERSION OR PATH>`",
            );
        };
        if !Path::new(option).exists() && option.starts_with(|c: char| c.is_ascii_digit() || "=^~<>*".contains(c)) {
            return Ok(Self::Version(option.to_owned()));
        }
        Self::at(Path::new(option))
            .with_context(|| format!("`{option}` is neither a version nor the path of crud-runtime"))
    }

    fn at(path: &Path) -> Result<Self> {
        let path = path.canonicalize()?;
        let manifest = fs::read_to_string(path.join("Cargo.toml"))?;
        let manifest: toml_edit::DocumentMut = manifest.parse().ok().context("its Cargo.toml is no TOML")?;
        let name = manifest.get("package").and_then(|package| package.get("name")).and_then(|name| name.as_str());
        if name != Some("crud-runtime") {
            bail!("its Cargo.toml is not that of crud-runtime");
        }
        Ok(Self::Path(path))
    }

    /// The line of `Cargo.toml`.
    fn dependency(&self) -> String {
        let (key, value) = match self {
            Self::Version(version) => ("version", version.clone()),
            Self::Path(path) => ("path", path.display().to_string()),
        };
        let value = toml_edit::Value::from(value);
        format!("crud-runtime = {{ {key} = {value}, features = [\"config\"] }}")
    }

    /// The line of the `Dockerfile` that brings it into the image, and how that is called.
    fn docker(&self, name: &str) -> (String, String) {
        match self {
            Self::Version(_) => (String::new(), format!("docker build -t {name} .")),
            Self::Path(path) => {
                // A crate of a workspace is nothing without it.
                let root = path.ancestors().find(|path| is_workspace(path)).unwrap_or(path).display().to_string();
                let copy = format!("COPY --from=crud --exclude=target --exclude=.git [\".\", {root:?}]\n");
                (copy, format!("docker build --build-context crud='{root}' -t {name} ."))
            }
        }
    }
}

fn is_workspace(directory: &Path) -> bool {
    let manifest = fs::read_to_string(directory.join("Cargo.toml")).ok();
    let manifest = manifest.and_then(|text| text.parse::<toml_edit::DocumentMut>().ok());
    manifest.is_some_and(|manifest| manifest.contains_key("workspace"))
}

/// A template with what stands after the line `{{if auth}}`, or with what stands after `{{else}}`, up to `{{end}}`.
fn choose(template: &str, auth: bool) -> String {
    let mut chosen = true;
    let mut text = String::new();
    for line in template.split_inclusive('\n') {
        match line.trim_end() {
            "{{if auth}}" => chosen = auth,
            "{{else}}" => chosen = !auth,
            "{{end}}" => chosen = true,
            _ if chosen => text += line,
            _ => {}
        }
    }
    text
}

fn fill(template: &str, name: &str, runtime: &Runtime) -> String {
    let (copy, build) = runtime.docker(name);
    fill_database(template, name)
        .replace("{{runtime}}", &runtime.dependency())
        .replace("{{docker_runtime}}", &copy)
        .replace("{{docker_build}}", &build)
        .replace("{{title}}", &names::title(name))
        .replace("{{name}}", name)
}

fn fill_database(template: &str, name: &str) -> String {
    template
        .replace("{{database_url}}", &format!("sqlite://{name}.db"))
        .replace("{{docker_database_url}}", &format!("sqlite:///data/{name}.db"))
}
