//! The command `import`.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::body::Bytes;
use crud_config::command::Import as Arguments;

use super::output::{end_progress, percent, print, progress, setup};
use crate::http::handler::authorization::RequestIdentity;
use crate::http::operation::import::{Import, Options, Report, Source};
use crate::http::param::export::Format;
use crate::http::param::upsert;
use crate::model::descriptor::Descriptor;
use crate::model::problem::{Code, Problem};
use crate::query::record_scope::RecordScope;
use crate::query::visibility::FieldVisibility;
use crate::service::builder::Service;
use crate::storage::error::{Error, Result};
use crate::store::mounted::resource::MountedResource;
use crate::store::writer::RecordWriter;
use crate::store::writer::reference_rule::ReferenceRule;

/// Number of bytes that are read at a time.
const PIECE: usize = 64 * 1024;

/// Maximum number of records in an all-or-none import of a file, unless the resource sets another.
const MAX_ROWS: u64 = 100_000;

/// The format that a file's name ends in.
fn format(command: &Arguments) -> Result<Format> {
    match command.file.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase()).as_deref() {
        Some("csv") => Ok(Format::Csv { raw: command.raw }),
        Some("ndjson" | "jsonl") => Ok(Format::Ndjson),
        _ => setup(format!("the name of {} must end in `.csv`, `.ndjson` or `.jsonl`", command.file.display())),
    }
}

/// Imports a file, and prints the result. No access rule applies: the command is for people who have the database.
pub(super) async fn run(service: &Service, command: Arguments) -> Result<()> {
    let app = service.checked_app()?;
    let mounted = find(app.resources(), &command.resource)?;
    let resource = mounted.resource();
    let target = match command.on_conflict.as_deref() {
        Some(fields) => match upsert::find(resource, resource.offered_upserts(), fields) {
            Some(unique) => Some(upsert::Target { unique, ignore: command.ignore }),
            None => return setup(format!("{} has no `upsert({fields})`", resource.name)),
        },
        None => None,
    };
    let identity = RequestIdentity {
        actor: app.shared_actor().cloned(),
        principal: None,
        view: FieldVisibility::default(),
        records: RecordScope::default(),
        sees_deleted: true,
    };
    let writer = RecordWriter::of_program(&app, mounted, ReferenceRule::Any);
    let options = Options {
        format: format(&command)?,
        partial: command.partial,
        dry_run: command.dry_run,
        upsert: target,
        max_rows: resource.import.map_or(MAX_ROWS, |import| MAX_ROWS.max(import.max_rows.into())),
        max_bytes: usize::MAX,
        max_record: service.limits.body,
    };
    let file = File::open(&command.file);
    let file = file.or_else(|error| setup(format!("cannot open {}: {error}", command.file.display())))?;
    let import = Import { mounted, identity: &identity, writer, options, limit: service.limits.request };
    let share = ReadProgress::of(&file);
    let mut pieces = Pieces { file, share: &share, is_shown: !command.partial };
    let imported = import.run(&mut pieces, |report| progress(&so_far(report, &share))).await;
    end_progress();
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

/// Notice of an import whose keys other records may refer to.
const NEW_KEYS: &str = "Keys are new: references in other files still have the old ones. `crud move` keeps keys.";

/// Whether records get new keys, and refer to others or are referred to.
fn has_new_keys(resources: &[Arc<MountedResource>], resource: &'static Descriptor) -> bool {
    let references = |one: &'static Descriptor| one.columns.iter().filter_map(|column| column.references);
    let refers_here = |one: &Arc<MountedResource>| {
        references(one.resource()).any(|reference| std::ptr::eq((reference.target)(), resource))
    };
    resource.key().iter().any(|column| resource.columns[*column].is_assigned())
        && (references(resource).next().is_some() || resources.iter().any(refers_here))
}

/// The resource that a name is of: the last part of its path, or its own.
fn find<'a>(resources: &'a [Arc<MountedResource>], name: &str) -> Result<&'a MountedResource> {
    let writable = || resources.iter().filter(|mounted| mounted.resource().view.is_none());
    match writable().find(|mounted| mounted.options().is_called(name)) {
        Some(mounted) => Ok(mounted),
        None => {
            let names: Vec<&str> = writable().map(|mounted| mounted.options().path_name()).collect();
            setup(format!("there is no resource `{name}`: expected {}", names.join(", ")))
        }
    }
}

/// The records that are done, and the share of the file that is read.
fn so_far(report: &Report, share: &ReadProgress) -> String {
    format!("{} records, {} refused{share}", report.done(), report.failed)
}

fn print_report(report: &Report, dry_run: bool) -> Result<()> {
    let Report { created, updated, skipped, failed, problems } = report;
    for (line, problem) in problems {
        print(&format!("line {line}: {}", problem.detail()))?;
    }
    let unlisted = failed.saturating_sub(problems.len() as u64);
    if unlisted > 0 {
        print(&format!("and {unlisted} more lines"))?;
    }
    let would = if dry_run { "would be " } else { "" };
    print(&format!("{would}created: {created}, updated: {updated}, skipped: {skipped}, refused: {failed}"))?;
    if *failed > 0 { setup(format!("{failed} records are refused")) } else { Ok(()) }
}

/// The share of a file that is read.
struct ReadProgress {
    read: AtomicU64,
    /// The size of the file; 0 where it is unknown, as of a pipe.
    total: u64,
}

impl ReadProgress {
    fn of(file: &File) -> Self {
        Self { read: AtomicU64::new(0), total: file.metadata().map_or(0, |metadata| metadata.len()) }
    }
}

/// `, 40 % of the file`, or nothing where that is unknown.
impl fmt::Display for ReadProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.total {
            0 => Ok(()),
            total => write!(f, ", {} % of the file", percent(self.read.load(Ordering::Relaxed), total)),
        }
    }
}

/// The bytes of a file.
struct Pieces<'a> {
    file: File,
    share: &'a ReadProgress,
    /// Whether a terminal shows the share: an all-or-none import finishes no record while it reads the file.
    is_shown: bool,
}

impl Source for Pieces<'_> {
    async fn next(&mut self) -> Result<Option<Bytes>, Problem> {
        let mut piece = vec![0; PIECE];
        let read = self.file.read(&mut piece);
        let read = read.map_err(|error| Problem::new(Code::Internal, format!("cannot read the file: {error}")))?;
        piece.truncate(read);
        self.share.read.fetch_add(read as u64, Ordering::Relaxed);
        if self.is_shown {
            progress(&format!("reading{}", self.share));
        }
        Ok((read > 0).then(|| piece.into()))
    }
}
