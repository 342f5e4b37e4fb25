//! The command `check --indexes`: indexes that slow lists lack, and those that nothing uses.

mod log;
mod slow;
mod unused;

use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

use self::log::Log;
use super::output::print;
use crate::model::descriptor::Descriptor;
use crate::service::builder::Service;
use crate::service::tables::internal_tables;
use crate::storage::error::{Error, Result};

/// The name of standard input as a log.
const STANDARD_INPUT: &str = "-";

/// Prints the advice for a log, if there is one, and for the service's database.
pub(super) async fn run(service: &Service, log: Option<&Path>) -> Result<()> {
    let log = log.map(read).transpose()?;
    let internal = internal_tables();
    let mut resources: Vec<&'static Descriptor> = service.tables();
    resources.retain(|resource| !internal.iter().any(|own| own.table == resource.table));
    let mut lines = log.as_ref().map_or_else(Vec::new, |log| slow::lines(&log.slow_lists(), &resources));
    let mut tables: Vec<&'static str> = resources.iter().map(|resource| resource.table).collect();
    tables.sort_unstable();
    tables.dedup();
    let mut found = service.administration.index_use(&tables).await.map_err(Error::Database)?;
    // Each replica counts its own reads.
    for (_, replica) in &service.replicas {
        found.add(&replica.index_use(&tables).await.map_err(Error::Database)?);
    }
    lines.extend(unused::lines(&found, log.as_ref(), &resources));
    print(&lines.join("\n"))
}

fn read(name: &Path) -> Result<Log> {
    let read = if name == Path::new(STANDARD_INPUT) {
        Log::read(io::stdin().lock())
    } else {
        File::open(name).and_then(|file| Log::read(BufReader::new(file)))
    };
    read.map_err(|error| Error::Setup(format!("cannot read the log `{}`: {error}", name.display())))
}
