//! [`Project`]: where the command works.

use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, Result, bail};
use toml_edit::DocumentMut;

/// A project that depends on the runtime.
#[derive(Debug)]
pub(crate) struct Project {
    root: PathBuf,
    name: String,
}

impl Project {
    /// The nearest one, here or above.
    pub(crate) fn find() -> Result<Self> {
        let here = env::current_dir().context("there is no working directory")?;
        for directory in here.ancestors() {
            if let Some(project) = Self::at(directory)? {
                return Ok(project);
            }
        }
        bail!("there is no project here: no Cargo.toml, here or above, depends on crud-runtime; `crud init` makes one")
    }

    fn at(directory: &Path) -> Result<Option<Self>> {
        let Ok(text) = fs::read_to_string(directory.join("Cargo.toml")) else { return Ok(None) };
        let manifest: DocumentMut =
            text.parse().ok().with_context(|| format!("`{}` is no TOML", directory.join("Cargo.toml").display()))?;
        let depends = manifest.get("dependencies").and_then(|table| table.get("crud-runtime")).is_some();
        let name = manifest.get("package").and_then(|package| package.get("name")).and_then(|name| name.as_str());
        Ok(match (depends, name) {
            (true, Some(name)) => Some(Self { root: directory.to_owned(), name: name.to_owned() }),
            _ => None,
        })
    }

    /// Its directory.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// What it is called.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}
