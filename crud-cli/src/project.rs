//! [`Project`]: the project that the command works on.

use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, Result, bail};
use toml_edit::{DocumentMut, Item};

use crate::database::{self, Database};

/// A project that depends on the runtime.
#[derive(Debug)]
pub(crate) struct Project {
    pub(crate) root: PathBuf,
    pub(crate) name: String,
    pub(crate) database: Database,
    /// Features of crud-runtime that the manifest names; `None` where a workspace states them.
    features: Option<Vec<String>>,
    has_default_features: bool,
    /// The version or the path of crud-runtime, where the manifest has one.
    pub(crate) runtime: Option<Source>,
}

/// The source of a dependency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    Version(String),
    /// From the project's directory.
    Path(PathBuf),
}

/// The default features of crud-runtime.
const DEFAULT_FEATURES: [&str; 3] = ["sqlite", "auth", "docs"];

/// Features that other features turn on.
const IMPLIED: [(&str, &str); 4] = [
    ("sqlite-pool", "sqlite"),
    ("auth-asymmetric", "auth"),
    ("auth-issuers", "auth"),
    ("auth-issuers", "auth-asymmetric"),
];

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
        let Some(runtime) = manifest.get("dependencies").and_then(|table| table.get("crud-runtime")) else {
            return Ok(None);
        };
        let name = manifest.get("package").and_then(|package| package.get("name")).and_then(|name| name.as_str());
        let Some(name) = name else { return Ok(None) };
        let flag = |key: &str| runtime.get(key).and_then(Item::as_bool);
        let listed = runtime.get("features").and_then(Item::as_array);
        let listed: Vec<String> =
            listed.into_iter().flatten().filter_map(|feature| feature.as_str().map(str::to_owned)).collect();
        let database = database::of_features(&listed.iter().map(String::as_str).collect::<Vec<_>>());
        let text = |key: &str| runtime.get(key).and_then(Item::as_str).map(str::to_owned);
        let source = text("path").map(|path| Source::Path(path.into()));
        let version = runtime.as_str().map(str::to_owned).or_else(|| text("version"));
        Ok(Some(Self {
            root: directory.to_owned(),
            name: name.to_owned(),
            database,
            features: (flag("workspace") != Some(true)).then_some(listed),
            has_default_features: flag("default-features") != Some(false),
            runtime: source.or_else(|| version.map(Source::Version)),
        }))
    }

    /// Whether crud-runtime has a feature; `None` where the manifest does not say.
    pub(crate) fn has_feature(&self, feature: &str) -> Option<bool> {
        let features = self.features.as_ref()?;
        let is_listed = |name: &str| features.iter().any(|other| other == name);
        let is_implied = IMPLIED.iter().any(|(other, implied)| *implied == feature && is_listed(other));
        let is_default = self.has_default_features && DEFAULT_FEATURES.contains(&feature);
        Some(is_listed(feature) || is_implied || is_default)
    }
}
