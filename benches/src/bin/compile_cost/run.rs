//! Generates, compiles and reports.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::Context;

use crate::generate::{Leaf, Workspace};
use crate::options::Options;
use crate::shape::Shape;
use crate::subject::Subject;
use crate::{lines, measure, report};

/// One crate compiled by one command, with its time in each round.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) subject: Subject,
    pub(crate) leaf: Leaf,
    pub(crate) step: measure::Step,
    pub(crate) times: Vec<Duration>,
}

/// All results.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) cases: Vec<Case>,
    /// The expanded lines of each crate.
    pub(crate) lines: Vec<(Subject, Leaf, usize)>,
}

/// A subject that does not compile on this machine, with its error.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) subject: Subject,
    pub(crate) error: String,
}

/// Measures and prints; returns whether this crate's derive is within its bounds.
pub(crate) fn run(options: &Options) -> anyhow::Result<bool> {
    match &options.directory {
        Some(directory) => {
            fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
            // Cargo runs in this directory, so its path must be absolute.
            run_in(&directory.canonicalize()?, options)
        }
        None => run_in(tempfile::tempdir()?.path(), options),
    }
}

fn run_in(directory: &Path, options: &Options) -> anyhow::Result<bool> {
    let (workspaces, failed) = prepare(directory, options)?;
    let lines = count_lines(&workspaces, options)?;
    let cases = compile(&workspaces, options)?;
    let versions = report::versions(&workspaces)?;
    Ok(report::print(&Measured { cases, lines }, &versions, &failed, options))
}

/// The numbers of resources that a subject is measured with.
fn sizes(subject: Subject, options: &Options) -> Vec<usize> {
    let mut sizes = vec![1];
    match subject {
        Subject::Ours => sizes.extend(&options.sizes),
        _ => sizes.push(options.compared_at()),
    }
    sizes
}

fn leaves(subject: Subject, options: &Options) -> Vec<Leaf> {
    let sizes = sizes(subject, options);
    Shape::ALL.into_iter().flat_map(|shape| sizes.iter().map(move |&size| Leaf { shape, size })).collect()
}

/// Writes every subject's crates and builds their dependencies.
fn prepare(directory: &Path, options: &Options) -> anyhow::Result<(Vec<Workspace>, Vec<Failed>)> {
    let (mut workspaces, mut failed) = (Vec::new(), Vec::new());
    for &subject in &options.subjects {
        eprintln!("building the dependencies of {}", subject.name());
        let workspace = Workspace::write(directory, subject, &sizes(subject, options))?;
        match compile_all(&workspace, options) {
            Ok(()) => workspaces.push(workspace),
            Err(error) => failed.push(Failed { subject, error: format!("{error:#}") }),
        }
    }
    Ok((workspaces, failed))
}

/// Compiles every crate once, including its dependencies.
fn compile_all(workspace: &Workspace, options: &Options) -> anyhow::Result<()> {
    for step in measure::Step::ALL {
        for leaf in leaves(workspace.subject, options) {
            measure::finish(measure::cargo(workspace, leaf, step))?;
        }
    }
    Ok(())
}

fn count_lines(workspaces: &[Workspace], options: &Options) -> anyhow::Result<Vec<(Subject, Leaf, usize)>> {
    let mut counts = Vec::new();
    for workspace in workspaces {
        eprintln!("expanding {}", workspace.subject.name());
        for leaf in leaves(workspace.subject, options) {
            let count = lines::expanded(workspace, leaf)
                .with_context(|| format!("{} of {}", leaf.name(), workspace.subject.name()))?;
            counts.push((workspace.subject, leaf, count));
        }
    }
    Ok(counts)
}

/// Compiles every crate once in each round; each round starts with another crate, so that other load on the machine
/// affects all of them.
fn compile(workspaces: &[Workspace], options: &Options) -> anyhow::Result<Vec<Case>> {
    let mut cases = Vec::new();
    for step in measure::Step::ALL {
        for workspace in workspaces {
            for leaf in leaves(workspace.subject, options) {
                cases.push((workspace, Case { subject: workspace.subject, leaf, step, times: Vec::new() }));
            }
        }
    }
    let count = cases.len();
    for round in 0..options.rounds {
        eprintln!("round {} of {}", round + 1, options.rounds);
        for turn in 0..count {
            let (workspace, case) = &mut cases[(turn + round * count / options.rounds) % count];
            let time = measure::user_time(workspace, case.leaf, case.step)
                .with_context(|| format!("{} of {}", case.leaf.name(), case.subject.name()))?;
            case.times.push(time);
        }
    }
    Ok(cases.into_iter().map(|(_, case)| case).collect())
}
