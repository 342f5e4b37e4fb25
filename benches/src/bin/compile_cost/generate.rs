//! The generated crates: a workspace for each subject, with a crate for each shape and number of resources.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::shape::Shape;
use crate::source;
use crate::subject::Subject;

/// A subject's workspace. Its dependencies are resolved and built separately from the others', and once for all its
/// crates.
#[derive(Debug)]
pub(crate) struct Workspace {
    pub(crate) subject: Subject,
    pub(crate) directory: PathBuf,
}

/// A generated crate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Leaf {
    pub(crate) shape: Shape,
    /// The number of resources.
    pub(crate) size: usize,
}

impl Leaf {
    /// The package's name.
    pub(crate) fn name(self) -> String {
        format!("fields{}-resources{}", self.shape.count(), self.size)
    }
}

impl Workspace {
    /// Writes a crate of each shape for every size.
    pub(crate) fn write(parent: &Path, subject: Subject, sizes: &[usize]) -> anyhow::Result<Self> {
        let directory = parent.join(subject.name());
        let leaves = Shape::ALL.into_iter().flat_map(|shape| sizes.iter().map(move |&size| Leaf { shape, size }));
        let mut members = String::new();
        for leaf in leaves {
            let _ = write!(members, "\"{}\", ", leaf.name());
            write_leaf(&directory, subject, leaf)?;
        }
        // Debug information of dependencies is not part of the cost; the crates themselves have cargo's defaults.
        let manifest = format!(
            "[workspace]\nresolver = \"3\"\nmembers = [{members}]\n\n[profile.dev.package.\"*\"]\ndebug = false\n"
        );
        write(&directory.join("Cargo.toml"), &manifest)?;
        if subject == Subject::Ours {
            let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock");
            fs::copy(&lock, directory.join("Cargo.lock")).with_context(|| format!("cannot copy {}", lock.display()))?;
        }
        Ok(Self { subject, directory })
    }

    /// The source file of a crate.
    pub(crate) fn source(&self, leaf: Leaf) -> PathBuf {
        self.directory.join(leaf.name()).join("src/lib.rs")
    }

    /// The resolved version of a package.
    pub(crate) fn version(&self, package: &str) -> anyhow::Result<String> {
        let lock = fs::read_to_string(self.directory.join("Cargo.lock"))?;
        let heading = format!("name = \"{package}\"\nversion = \"");
        let (_, rest) = lock.split_once(&heading).with_context(|| format!("no {package} in Cargo.lock"))?;
        Ok(rest.chars().take_while(|&c| c != '"').collect())
    }
}

fn write_leaf(directory: &Path, subject: Subject, leaf: Leaf) -> anyhow::Result<()> {
    let directory = directory.join(leaf.name());
    fs::create_dir_all(directory.join("src"))?;
    let manifest = format!(
        "[package]\nname = \"{}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n{}",
        leaf.name(),
        source::dependencies(subject),
    );
    write(&directory.join("Cargo.toml"), &manifest)?;
    write(&directory.join("src/lib.rs"), &source::library(subject, leaf.shape, leaf.size))
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
