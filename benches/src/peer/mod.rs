//! Peers: other programs that serve the same records, measured beside if they are there.

mod crudcrate;
mod pocketbase;

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, bail};
use fastrand::Rng;

use crate::case::Case;

/// Another program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Peer {
    /// `PocketBase`, whose records have keys of 15 characters and whose log is a second database.
    PocketBase,
    /// crudcrate on `SeaORM`, with the twin's tables.
    Crudcrate,
}

impl Peer {
    pub(crate) fn parse(name: &str) -> anyhow::Result<Self> {
        let found = [Self::PocketBase, Self::Crudcrate].into_iter().find(|peer| peer.name() == name);
        found.with_context(|| format!("expected a peer (`pocketbase` or `crudcrate`), found `{name}`"))
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::PocketBase => "pocketbase",
            Self::Crudcrate => "crudcrate",
        }
    }

    /// The program, which a variable names.
    ///
    /// # Errors
    /// When it is not there.
    pub(crate) fn program(self) -> anyhow::Result<PathBuf> {
        let variable = match self {
            Self::PocketBase => "CRUD_BENCH_POCKETBASE",
            Self::Crudcrate => "CRUD_BENCH_CRUDCRATE",
        };
        let path = std::env::var_os(variable).with_context(|| format!("{variable} is not set"))?;
        let path = PathBuf::from(path);
        if !path.is_file() {
            bail!("{variable}: {} is no file", path.display());
        }
        Ok(path)
    }

    /// Creates its tables and fills them with the records of the other servers.
    pub(crate) async fn prepare(self, url: &str, records: usize) -> anyhow::Result<()> {
        match self {
            Self::PocketBase => pocketbase::prepare(url, records).await,
            Self::Crudcrate => crudcrate::prepare(url, records).await,
        }
    }

    /// The command that serves them at an address.
    pub(crate) fn serve(self, url: &str, address: &str) -> anyhow::Result<Command> {
        match self {
            Self::PocketBase => pocketbase::serve(url, address),
            Self::Crudcrate => crudcrate::serve(url, address),
        }
    }

    /// Whether it has what a case asks for.
    pub(crate) const fn answers(self, case: Case) -> bool {
        match self {
            Self::PocketBase => pocketbase::answers(case),
            Self::Crudcrate => crudcrate::answers(case),
        }
    }

    /// The next request of a case, with the values of the other servers' requests.
    pub(crate) fn request(self, case: Case, rng: &mut Rng, records: usize) -> Vec<u8> {
        match self {
            Self::PocketBase => pocketbase::request(case, rng, records),
            Self::Crudcrate => crudcrate::request(case, rng, records),
        }
    }

    /// The status of every response to a case.
    pub(crate) const fn status(self, case: Case) -> u16 {
        match (self, case) {
            (Self::Crudcrate, Case::Create | Case::Batch) => 201,
            _ => 200,
        }
    }
}
