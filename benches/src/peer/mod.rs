//! Peers: other programs that serve the same records, measured beside if they are there.

pub(crate) mod pocketbase;

use std::path::PathBuf;

use anyhow::{Context, bail};

/// Another program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Peer {
    /// `PocketBase`, whose records have keys of 15 characters and whose log is a second database.
    PocketBase,
}

impl Peer {
    pub(crate) fn parse(name: &str) -> anyhow::Result<Self> {
        match name {
            "pocketbase" => Ok(Self::PocketBase),
            _ => bail!("expected a peer (`pocketbase`), found `{name}`"),
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::PocketBase => "pocketbase",
        }
    }

    /// The program, which a variable names.
    ///
    /// # Errors
    /// When it is not there.
    pub(crate) fn program(self) -> anyhow::Result<PathBuf> {
        let variable = match self {
            Self::PocketBase => "CRUD_BENCH_POCKETBASE",
        };
        let path = std::env::var_os(variable).with_context(|| format!("{variable} is not set"))?;
        let path = PathBuf::from(path);
        if !path.is_file() {
            bail!("{variable}: {} is no file", path.display());
        }
        Ok(path)
    }
}
