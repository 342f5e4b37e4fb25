//! `crud generate --from-database`: resources for the tables and views of a database that exists already.

mod address;
mod enum_file;
mod field_type;
mod merge;
mod mysql_types;
mod naming;
mod postgres_types;
mod present;
mod relations;
mod report;
mod resource;
mod secrets;
mod spelling;
mod sqlite_types;
mod writer;

use anyhow::{Context, Result, bail};
use crud_shared::catalogue::{Catalogue, Kind};

use self::present::Present;
use self::report::Report;
use self::resource::{ResourceFile, SharedEnums};
use crate::changes::Changes;
use crate::cli;
use crate::output;
use crate::program;
use crate::project::Project;
use crate::registry::{RESOURCES, register};
use crate::{marks, names};

/// Runs the command. `url`: the URL of the database; without it, the configured one.
pub(crate) fn run(url: Option<&str>, options: &cli::Generate) -> Result<()> {
    let project = Project::find()?;
    let catalogue = read(&project, url, options)?;
    for table in &options.table {
        let is_named = |name: &String| resource::is_same(name, table);
        let is_there = catalogue.tables.iter().any(|other| is_named(&other.name));
        if !is_there && !catalogue.left_out.iter().any(|left_out| is_named(&left_out.table)) {
            bail!("the database has no table or view `{table}`");
        }
    }
    let (present, others) = present::read(&project)?;
    let (changes, report, summary) = write(&catalogue, &present, others, Changes::new(project.root))?;
    if options.dry_run {
        output::print(&changes.diff())?;
    } else {
        changes.apply()?;
        output::print(&summary)?;
    }
    output::print(&report.to_string())
}

/// The catalogue of the database, as the project's program prints it.
fn read(project: &Project, url: Option<&str>, options: &cli::Generate) -> Result<Catalogue> {
    let mut arguments = vec!["describe".to_owned()];
    if let Some(schema) = &options.schema {
        arguments.extend(["--schema".to_owned(), schema.clone()]);
    }
    for table in &options.table {
        arguments.extend(["--table".to_owned(), table.clone()]);
    }
    // A URL may have a password, which the arguments of a process show.
    let environment = url.map(|url| ("DATABASE_URL", url));
    let printed = program::output(project, &arguments, environment)?;
    // The program may print other lines before the description.
    let line = printed.lines().rev().find(|line| line.starts_with('{')).unwrap_or_default();
    serde_json::from_str(line).context("the project's program printed no description of its database")
}

/// Adds the files of a catalogue's resources to the changes; returns the report on them, and a summary of the written
/// files.
fn write(
    catalogue: &Catalogue,
    present: &[Present],
    others: Vec<(String, String)>,
    mut changes: Changes,
) -> Result<(Changes, Report, String)> {
    let mut report = Report::default();
    for left_out in &catalogue.left_out {
        report.left_out(&left_out.table, &left_out.reason);
    }
    let mut enums = SharedEnums { files: others, ..SharedEnums::default() };
    let mut files = resource::of_catalogue(catalogue, present, &mut enums, &mut report);
    relations::add(&mut files, &mut report);
    let mut registry =
        changes.read(RESOURCES)?.with_context(|| format!("`{RESOURCES}` is missing: `crud init` creates it"))?;
    for (ty, enumeration) in &enums.found {
        let module = names::snake(&enumeration.name);
        let path = format!("{}/{module}.rs", present::DIRECTORY);
        let text = match changes.read(&path)? {
            None => enum_file::text(ty, enumeration),
            Some(text) => {
                enum_file::with_missing(&text, enumeration).with_context(|| format!("cannot add to `{path}`"))?
            }
        };
        changes.write(path, text)?;
        let line = format!("pub mod {};", names::identifier(&module));
        registry =
            marks::add(&registry, "modules", &line).with_context(|| format!("cannot add `{line}` to `{RESOURCES}`"))?;
    }
    let (mut created, mut changed) = (Vec::new(), Vec::new());
    for file in &files {
        let path = format!("{}/{}.rs", present::DIRECTORY, file.module);
        match file.present {
            None => {
                changes.write(path, writer::text(file))?;
                created.push(file);
            }
            Some(present) => {
                let text = merge::with_missing(file, present, &present.text, &mut report);
                if let Some(text) = text.with_context(|| format!("cannot add to `{path}`"))? {
                    changes.write(path, text)?;
                    changed.push(file);
                }
            }
        }
        registry = register(&registry, &names::identifier(&file.module), &file.name.name)?;
    }
    changes.write(RESOURCES, registry)?;
    if !created.is_empty() {
        address::close(&mut changes, present, &mut report)?;
    }
    let summary = summary(&files, &created, &changed);
    Ok((changes, report, summary))
}

/// Lines on what was written.
fn summary(files: &[ResourceFile<'_>], created: &[&ResourceFile<'_>], changed: &[&ResourceFile<'_>]) -> String {
    let created_line = |file: &&ResourceFile<'_>| {
        let prefix = file.name.prefix.clone().unwrap_or_else(|| names::plural(&file.name.name));
        let kind = if file.table.kind == Kind::View { "view" } else { "table" };
        let (name, table, module) = (&file.name.name, &file.table.name, &file.module);
        format!("{name}: the {kind} `{table}`, in {}/{module}.rs, served at /{prefix}\n", present::DIRECTORY)
    };
    let changed_line = |file: &&ResourceFile<'_>| {
        format!("{}: new fields in {}/{}.rs\n", file.name.name, present::DIRECTORY, file.module)
    };
    let lines: String = created.iter().map(created_line).chain(changed.iter().map(changed_line)).collect();
    match (created.is_empty(), changed.is_empty()) {
        (true, true) if files.is_empty() => "There are no tables or views to write resources for.\n".to_owned(),
        (true, true) => "Every table and view has its resource already: nothing changed.\n".to_owned(),
        _ => lines,
    }
}
