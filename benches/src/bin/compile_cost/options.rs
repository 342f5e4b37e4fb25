//! Command-line arguments.

use std::path::PathBuf;

use anyhow::ensure;
use lexopt::prelude::*;

use crate::subject::Subject;

pub(crate) const USAGE: &str = "\
Measures the compile-time cost of a resource, in comparison with serde and with other derives.

usage: compile-cost [options]

options:
  --quick             few resources and few rounds: a test run without usable figures
  --sizes A,B,C       resources in a crate; all subjects are compared at the first size, ours is
                      measured at every size (20,100,200)
  --rounds N          how often each crate is compiled (5)
  --subjects A,B      of plain, serde, crud-runtime (all of them)
  --directory PATH    the directory of the crates, which is kept (a temporary directory, removed at the end)
  --help              print this
";

#[derive(Debug)]
pub(crate) enum Command {
    Help,
    Run(Options),
}

#[derive(Debug)]
pub(crate) struct Options {
    /// Resources in a crate, ascending; each more than one.
    pub(crate) sizes: Vec<usize>,
    pub(crate) rounds: usize,
    pub(crate) subjects: Vec<Subject>,
    pub(crate) directory: Option<PathBuf>,
}

impl Options {
    /// The number of resources at which all subjects are compared.
    pub(crate) fn compared_at(&self) -> usize {
        self.sizes.first().copied().unwrap_or(2)
    }
}

pub(crate) fn parse() -> anyhow::Result<Command> {
    let mut options =
        Options { sizes: vec![20, 100, 200], rounds: 5, subjects: Subject::ALL.to_vec(), directory: None };
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Short('h') | Long("help") => return Ok(Command::Help),
            Long("quick") => (options.sizes, options.rounds) = (vec![5, 20], 2),
            Long("sizes") => options.sizes = list(&arguments.value()?.string()?, |size| Ok(size.parse()?))?,
            Long("rounds") => options.rounds = arguments.value()?.parse()?,
            Long("subjects") => options.subjects = list(&arguments.value()?.string()?, Subject::parse)?,
            Long("directory") => options.directory = Some(arguments.value()?.into()),
            other => return Err(other.unexpected().into()),
        }
    }
    ensure!(options.rounds > 0, "--rounds must be at least 1");
    ensure!(options.sizes.is_sorted_by(|a, b| a < b), "--sizes must ascend");
    ensure!(options.sizes.first().is_some_and(|&size| size > 1), "--sizes must be more than 1 each");
    Ok(Command::Run(options))
}

fn list<T>(text: &str, item: impl Fn(&str) -> anyhow::Result<T>) -> anyhow::Result<Vec<T>> {
    text.split(',').map(item).collect()
}
