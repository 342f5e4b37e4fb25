//! The command `import`.

use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::sync::Arc;

use axum::body::Bytes;

use super::output::print;
use crate::http::handler::authorization::RequestIdentity;
use crate::http::operation::import::{Format, Import, Options, Report, Source};
use crate::http::param::upsert;
use crate::model::descriptor::Descriptor;
use crate::model::problem::{Code, Problem};
use crate::query::record_scope::RecordScope;
use crate::query::visibility::FieldVisibility;
use crate::service::builder::Service;
use crate::storage::error::{Error, Result};
use crate::store::mounted_resource::MountedResource;
use crate::store::record_writer::RecordWriter;
use crate::store::reference_rule::ReferenceRule;
use crate::store::state_change::StateChange;

/// Number of bytes that are read at a time.
const PIECE: usize = 64 * 1024;

/// Maximum number of records in an all-or-none import of a file, unless the resource sets another.
const MAX_ROWS: u64 = 100_000;

/// The arguments of `import`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // Each is an argument for itself.
pub(super) struct ImportCommand {
    resource: String,
    file: String,
    partial: bool,
    dry_run: bool,
    raw: bool,
    on_conflict: Option<String>,
    ignore: bool,
}

impl ImportCommand {
    /// The command that arguments name: `products products.csv mode=partial on_conflict=sku`.
    pub(super) fn parse(arguments: &[&str]) -> Option<Self> {
        let [resource, file, options @ ..] = arguments else { return None };
        let mut command = Self { resource: (*resource).to_owned(), file: (*file).to_owned(), ..Self::default() };
        for option in options {
            match option.split_once('=')? {
                ("mode", mode @ ("atomic" | "partial")) => command.partial = mode == "partial",
                ("dry_run", flag) => command.dry_run = flag.parse().ok()?,
                ("raw", flag) => command.raw = flag.parse().ok()?,
                ("on_conflict", fields) => command.on_conflict = Some(fields.to_owned()),
                ("conflict", conflict @ ("update" | "ignore")) => command.ignore = conflict == "ignore",
                _ => return None,
            }
        }
        Some(command)
    }

    /// The format that the file's name ends in.
    fn format(&self) -> Result<Format> {
        match self.file.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase()).as_deref() {
            Some("csv") => Ok(Format::Csv { raw: self.raw }),
            Some("ndjson" | "jsonl") => Ok(Format::Ndjson),
            _ => setup(format!("the name of {} must end in `.csv`, `.ndjson` or `.jsonl`", self.file)),
        }
    }
}

/// Imports a file, and prints the result. It restricts nothing: the command is for those who have the database.
pub(super) async fn run(service: &Service, command: ImportCommand) -> Result<()> {
    let app = service.checked_app()?;
    let mounted = find(app.resources(), &command.resource)?;
    let resource = mounted.resource();
    let target = match command.on_conflict.as_deref() {
        Some(_) if !command.partial => {
            return setup("`on_conflict` needs `mode=partial`: each record is created or changed by itself".to_owned());
        }
        Some(fields) => match upsert::find(resource, resource.offered_upserts(), fields) {
            Some(unique) => Some(upsert::Target { unique, ignore: command.ignore }),
            None => return setup(format!("{} has no `upsert({fields})`", resource.name)),
        },
        None => None,
    };
    let identity = RequestIdentity {
        actor: app.actor().cloned(),
        principal: None,
        view: FieldVisibility::default(),
        records: RecordScope::default(),
        sees_deleted: true,
    };
    let writer = RecordWriter {
        app: &app,
        mounted,
        transaction: None,
        actor: app.actor(),
        caller: None,
        state_change: StateChange::default(),
        references: ReferenceRule::Any,
        most_failures: None,
    };
    let options = Options {
        format: command.format()?,
        partial: command.partial,
        dry_run: command.dry_run,
        upsert: target,
        max_rows: resource.import.map_or(MAX_ROWS, |import| import.max_rows.into()),
        max_bytes: usize::MAX,
        max_record: service.limits.body,
    };
    let file = File::open(&command.file);
    let file = file.or_else(|error| setup(format!("cannot open {}: {error}", command.file)))?;
    let import = Import { mounted, identity: &identity, writer, options, limit: service.limits.request };
    let imported = import.run(&mut Pieces(file), progress).await;
    if io::stderr().is_terminal() {
        eprintln!();
    }
    match imported {
        Ok(report) => {
            if report.created > 0 && has_new_keys(app.resources(), resource) {
                print(NEW_KEYS)?;
            }
            print_report(&report, command.dry_run)
        }
        Err(problem) if problem.errors().is_empty() => Err(Error::Setup(problem.detail().to_owned())),
        Err(problem) => {
            let lines: Vec<String> = problem.errors().iter().map(ToString::to_string).collect();
            setup(format!("nothing is imported:\n{}", lines.join("\n")))
        }
    }
}

/// Notice of an import whose keys other records may name.
const NEW_KEYS: &str = "Keys are new: references in other files still have the old ones. `crud move` keeps keys.";

/// Whether records get new keys, and refer to others or are referred to.
fn has_new_keys(resources: &[Arc<MountedResource>], resource: &'static Descriptor) -> bool {
    let references = |one: &'static Descriptor| one.columns.iter().filter_map(|column| column.references);
    let refers_here = |one: &Arc<MountedResource>| {
        references(one.resource()).any(|reference| std::ptr::eq((reference.target)(), resource))
    };
    resource.id_column().is_assigned() && (references(resource).next().is_some() || resources.iter().any(refers_here))
}

/// The resource that a name is of: the last part of its path, or its own.
fn find<'a>(resources: &'a [Arc<MountedResource>], name: &str) -> Result<&'a MountedResource> {
    let path = |mounted: &MountedResource| mounted.options().prefix.rsplit('/').next().map(str::to_owned);
    let is = |mounted: &&Arc<MountedResource>| {
        path(mounted).as_deref() == Some(name) || mounted.resource().name.eq_ignore_ascii_case(name)
    };
    let writable = || resources.iter().filter(|mounted| mounted.resource().view.is_none());
    match writable().find(is) {
        Some(mounted) => Ok(mounted),
        None => {
            let names: Vec<String> = writable().filter_map(|mounted| path(mounted)).collect();
            setup(format!("there is no resource `{name}`: expected {}", names.join(", ")))
        }
    }
}

fn setup<T>(text: String) -> Result<T> {
    Err(Error::Setup(text))
}

/// Prints how far the import is, to a terminal.
fn progress(report: &Report) {
    if io::stderr().is_terminal() {
        eprint!("\r{} records, {} refused", report.done(), report.failed);
        // What a terminal does not show is not an error.
        drop(io::stderr().flush());
    }
}

fn print_report(report: &Report, dry_run: bool) -> Result<()> {
    let Report { created, updated, skipped, failed, problems } = report;
    for (line, problem) in problems {
        print(&format!("line {line}: {}", problem.detail()))?;
    }
    let would = if dry_run { "would be " } else { "" };
    print(&format!("{would}created: {created}, updated: {updated}, skipped: {skipped}, refused: {failed}"))?;
    if *failed > 0 { setup(format!("{failed} records are refused")) } else { Ok(()) }
}

/// The bytes of a file.
struct Pieces(File);

impl Source for Pieces {
    async fn next(&mut self) -> Result<Option<Bytes>, Problem> {
        let mut piece = vec![0; PIECE];
        let read = self.0.read(&mut piece);
        let read = read.map_err(|error| Problem::new(Code::Internal, format!("cannot read the file: {error}")))?;
        piece.truncate(read);
        Ok((read > 0).then(|| piece.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_name_a_file_and_how_it_is_imported() {
        let plain =
            ImportCommand { resource: "books".to_owned(), file: "b.csv".to_owned(), ..ImportCommand::default() };
        assert_eq!(ImportCommand::parse(&["books", "b.csv"]), Some(plain.clone()));
        let partial = ImportCommand { partial: true, on_conflict: Some("isbn".to_owned()), ignore: true, ..plain };
        let arguments = ["books", "b.csv", "mode=partial", "on_conflict=isbn", "conflict=ignore"];
        assert_eq!(ImportCommand::parse(&arguments), Some(partial));
        for wrong in [&["books"][..], &["books", "b.csv", "mode=all"], &["books", "b.csv", "dry"]] {
            assert_eq!(ImportCommand::parse(wrong), None, "{wrong:?}");
        }
    }
}
