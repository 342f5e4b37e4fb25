//! The results as Markdown.

use std::process::Command;

use crate::generate::{Leaf, Workspace};
use crate::measure::Step;
use crate::options::Options;
use crate::run::{Failed, Measured};
use crate::shape::Shape;
use crate::subject::Subject;

/// Maximum user seconds of `cargo check` for each resource of eight fields.
const MAX_CHECK: f64 = 0.02;
/// Maximum expanded lines for each resource of eight fields.
const MAX_LINES: f64 = 520.0;
/// Maximum ratio of a resource's cost at the largest size to that at the smallest.
const MAX_GROWTH: f64 = 1.25;

impl Measured {
    /// The user seconds of an additional resource: the difference to the crate of one resource in the same round,
    /// divided by the number of additional resources; the median of the rounds.
    fn seconds(&self, subject: Subject, leaf: Leaf, step: Step) -> Option<f64> {
        let times = |leaf: Leaf| {
            let case = self.cases.iter().find(|case| (case.subject, case.leaf, case.step) == (subject, leaf, step))?;
            Some(case.times.iter().map(std::time::Duration::as_secs_f64))
        };
        let (many, one) = (times(leaf)?, times(Leaf { size: 1, ..leaf })?);
        let mut each: Vec<f64> = many.zip(one).map(|(many, one)| (many - one) / additional_resources(leaf)).collect();
        each.sort_by(f64::total_cmp);
        each.get(each.len() / 2).copied()
    }

    /// The expanded lines of an additional resource.
    #[allow(clippy::cast_precision_loss)] // far below 2^52 lines
    fn lines(&self, subject: Subject, leaf: Leaf) -> Option<f64> {
        let lines = |wanted: Leaf| {
            let found = self.lines.iter().find(|(of, leaf, _)| (*of, *leaf) == (subject, wanted))?;
            Some(found.2 as f64)
        };
        Some((lines(leaf)? - lines(Leaf { size: 1, ..leaf })?) / additional_resources(leaf))
    }
}

/// The number of resources in a crate besides the first.
#[allow(clippy::cast_precision_loss)] // some hundreds
fn additional_resources(leaf: Leaf) -> f64 {
    (leaf.size - 1) as f64
}

/// Prints the report; returns whether this crate's derive is within its bounds.
pub(crate) fn print(measured: &Measured, versions: &str, failed: &[Failed], options: &Options) -> bool {
    println!("{}", machine(options));
    if !versions.is_empty() {
        println!("{versions}");
    }
    print_comparison(measured, options);
    for Failed { subject, error } in failed {
        println!("\n{} does not compile here:\n\n```\n{error}\n```", subject.name());
    }
    if measured.cases.iter().any(|case| case.subject == Subject::Ours) {
        print_growth(measured, options);
        return print_verdict(measured, options);
    }
    true
}

fn print_comparison(measured: &Measured, options: &Options) {
    println!("\nFor each resource of a crate with {}:\n", options.compared_at());
    println!(
        "| | check, 8 fields | build, 8 fields | lines, 8 fields | check, 12 fields | build, 12 fields | lines, 12 fields |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|");
    for subject in Subject::ALL {
        if measured.cases.iter().any(|case| case.subject == subject) {
            println!("| {} {}", subject.title(), cells(measured, subject, options.compared_at()));
        }
    }
}

fn print_growth(measured: &Measured, options: &Options) {
    println!("\nFor each resource of `#[derive(Resource)]`, by how many the crate has:\n");
    println!(
        "| resources | check, 8 fields | build, 8 fields | lines, 8 fields | check, 12 fields | build, 12 fields | lines, 12 fields |"
    );
    println!("|--:|--:|--:|--:|--:|--:|--:|");
    for &size in &options.sizes {
        println!("| {size} {}", cells(measured, Subject::Ours, size));
    }
}

fn cells(measured: &Measured, subject: Subject, size: usize) -> String {
    let mut cells = String::from("|");
    for shape in Shape::ALL {
        let leaf = Leaf { shape, size };
        for step in Step::ALL {
            cells.push_str(&cell(measured.seconds(subject, leaf, step), |seconds| format!("{seconds:.4} s")));
        }
        cells.push_str(&cell(measured.lines(subject, leaf), |lines| format!("{lines:.0}")));
    }
    cells
}

fn cell(figure: Option<f64>, format: impl Fn(f64) -> String) -> String {
    format!(" {} |", figure.map_or_else(String::new, format))
}

fn print_verdict(measured: &Measured, options: &Options) -> bool {
    let ours = |size| Leaf { shape: Shape::Eight, size };
    let checks: Vec<f64> =
        options.sizes.iter().filter_map(|&size| measured.seconds(Subject::Ours, ours(size), Step::Check)).collect();
    let lines = options.sizes.iter().filter_map(|&size| measured.lines(Subject::Ours, ours(size)));
    let growth = checks.last().zip(checks.first()).map_or(f64::NAN, |(last, first)| last / first);
    println!("\nThe bounds, for resources of 8 fields:\n");
    let check = print_bound("user seconds of `cargo check`", checks.iter().copied().fold(0.0, f64::max), MAX_CHECK);
    let lines = print_bound("expanded lines", lines.fold(0.0, f64::max), MAX_LINES);
    let growth = print_bound("cost at the largest size as a multiple of that at the smallest", growth, MAX_GROWTH);
    check && lines && growth
}

fn print_bound(what: &str, figure: f64, bound: f64) -> bool {
    let holds = figure <= bound;
    println!("- {what}: {figure:.4}, at most {bound}: {}", if holds { "holds" } else { "DOES NOT HOLD" });
    holds
}

fn machine(options: &Options) -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or("unknown processor", |(_, name)| name);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let tool = |name| {
        let output = Command::new(name).arg("--version").output().ok();
        output.map_or_else(String::new, |output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    format!("{model}, {cores} cores; {}; {}; median of {} rounds.", tool("rustc"), tool("cargo"), options.rounds)
}

/// The versions that cargo resolved.
pub(crate) fn versions(workspaces: &[Workspace]) -> anyhow::Result<String> {
    let mut versions = Vec::new();
    for workspace in workspaces {
        for package in workspace.subject.packages() {
            versions.push(format!("{package} {}", workspace.version(package)?));
        }
    }
    Ok(if versions.is_empty() { String::new() } else { format!("{}.", versions.join(", ")) })
}
