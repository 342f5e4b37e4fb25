//! [`Project`]: the project that the command works on.

use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, Result, bail};
use toml_edit::DocumentMut;

use crate::database::Database;

/// A project that depends on the runtime.
#[derive(Debug)]
pub(crate) struct Project {
    root: PathBuf,
    name: String,
    database: Database,
}

impl Project {
    /// The project of the working directory or of the nearest directory above.
    pub(crate) fn find() -> Result<Self> {
        let here = env::current_dir().context("there is no working directory")?;
        for directory in here.ancestors() {
            if let Some(project) = Self::at(directory)? {
                return Ok(project);
            }
        }
        bail!(
            "there is no project here: no Cargo.toml, here or above, depends on crud-runtime; `crud init` creates one"
        )
    }

    fn at(directory: &Path) -> Result<Option<Self>> {
        let Ok(text) = fs::read_to_string(directory.join("Cargo.toml")) else { return Ok(None) };
        let manifest: DocumentMut = text
            .parse()
            .ok()
            .with_context(|| format!("`{}` is not valid TOML", directory.join("Cargo.toml").display()))?;
        let runtime = manifest.get("dependencies").and_then(|table| table.get("crud-runtime"));
        let features = runtime.and_then(|runtime| runtime.get("features")).and_then(|features| features.as_array());
        let features: Vec<&str> = features.into_iter().flatten().filter_map(|feature| feature.as_str()).collect();
        let database = Database::of_features(&features);
        let name = manifest.get("package").and_then(|package| package.get("name")).and_then(|name| name.as_str());
        Ok(match (runtime.is_some(), name) {
            (true, Some(name)) => Some(Self { root: directory.to_owned(), name: name.to_owned(), database }),
            _ => None,
        })
    }

    /// The project's directory.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The database that the project runs on.
    pub(crate) fn database(&self) -> Database {
        self.database
    }

    /// The project's name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}
