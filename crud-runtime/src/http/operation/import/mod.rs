//! Import: `POST {prefix}/import`, records from a file.

mod cells;
mod lines;
mod request;

use std::future::{Future, ready};
use std::time::Duration;

use axum::body::Bytes;
use axum::http::HeaderMap;
use tokio::sync::OwnedSemaphorePermit;

use self::cells::Header;
use self::lines::{Line, Lines};
pub(super) use self::request::route;
pub(crate) use self::request::{PreparedImport, require_whole, turn};
use crate::http::body::{self, BodyKind, BodyRules, RecordBody};
use crate::http::handler::authorization::RequestIdentity;
use crate::http::handler::precondition::{self, Precondition};
use crate::http::param::export::Format;
use crate::http::param::upsert::Target;
use crate::model::changes::Changes;
use crate::model::problem::{Code, FieldErrors, Part, Problem};
use crate::model::value::{Value, value_size};
use crate::storage::write::{Mode, Work};
use crate::store::mounted::resource::MountedResource;
use crate::store::writer::no_sink::NoSink;
use crate::store::writer::record_values;
use crate::store::writer::upsert::{Done, OnConflict, Upsert};
use crate::store::writer::{RecordWriter, Results};

/// Number of records of a partial import that are written at a time.
const CHUNK: usize = 500;

/// Number of records that are written at a time where storage writes them one by one: all share the time limit of one
/// write.
const CHUNK_OF_SINGLES: usize = 50;

/// Number of bytes of a partial import that are written at a time.
const CHUNK_BYTES: usize = 1024 * 1024;

/// Number of copies of a record's values in memory while they are written: as they were read, as the writer has them,
/// and as storage returns them.
const COPIES: usize = 3;

/// Limit of failed records that an answer lists.
const LISTED: usize = 100;

/// Options for the write of a file's records.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) format: Format,
    /// Whether each record is written by itself, instead of all or none.
    pub(crate) partial: bool,
    /// Whether nothing is written: the result is what it would be.
    pub(crate) dry_run: bool,
    /// The unique fields of an upsert: a record changes the stored one that has its values in them. Only in a partial
    /// import.
    pub(crate) upsert: Option<Target>,
    /// Maximum number of records in an all-or-none import.
    pub(crate) max_rows: u64,
    pub(crate) max_bytes: usize,
    /// Limit of bytes in a record.
    pub(crate) max_record: usize,
}

/// Source of the bytes of a file.
pub(crate) trait Source: Send {
    /// The bytes that follow; `None` at the end.
    fn next(&mut self) -> impl Future<Output = Result<Option<Bytes>, Problem>> + Send;

    /// Counts the memory, in bytes, of records that are not written yet and of bytes that are not read yet.
    ///
    /// # Errors
    /// Where that exceeds the memory of requests.
    fn keep(&mut self, _: usize) -> impl Future<Output = Result<(), Problem>> + Send {
        ready(Ok(()))
    }

    /// Waits until an all-or-none file may be written, which is while the permit is held.
    ///
    /// # Errors
    /// Where other files are written for too long.
    fn turn(&mut self) -> impl Future<Output = Result<Option<OwnedSemaphorePermit>, Problem>> + Send {
        ready(Ok(None))
    }

    /// Called after records were written: the next ones have the whole time of a request again.
    fn proceed(&mut self) {}
}

/// Outcomes of the records of a file.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) created: u64,
    pub(crate) updated: u64,
    /// Number of records that existed already, and were kept.
    pub(crate) skipped: u64,
    pub(crate) failed: u64,
    /// The problems of the first failed records, by line.
    pub(crate) problems: Vec<(u64, Problem)>,
}

impl Report {
    fn fail(&mut self, line: u64, problem: Problem) {
        self.failed += 1;
        // A chunk's problems come in two parts: malformed lines, then refusals of storage.
        if self.problems.len() < LISTED + CHUNK {
            self.problems.push((line, problem));
        }
    }

    /// Adds the outcomes of creates.
    fn add(&mut self, lines: &[u64], results: Results) {
        for (line, result) in lines.iter().zip(results) {
            match result {
                Ok(()) => self.created += 1,
                Err(error) => self.fail(*line, error.unguarded()),
            }
        }
    }

    /// Keeps the first problems, in the order of their lines.
    fn settle(&mut self) {
        self.problems.sort_by_key(|(line, _)| *line);
        self.problems.truncate(LISTED);
    }

    /// The problem of an all-or-none import in which records failed.
    fn refusal(&mut self) -> Problem {
        self.settle();
        let problems = std::mem::take(&mut self.problems);
        Problem::from_parts(problems.into_iter().map(|(line, problem)| (Part::Line(line), problem)))
    }

    /// Number of records that are done: created, updated, skipped or failed.
    pub(crate) const fn done(&self) -> u64 {
        self.created + self.updated + self.skipped + self.failed
    }
}

/// A record that is valid.
struct Parsed {
    line: u64,
    record: Vec<Value>,
    /// Reason why the record cannot be created: an enum's text is unknown, and legal only in a stored record that has
    /// it.
    refusal: Option<Problem>,
    /// Changes to an existing record that has its unique values.
    changes: Changes,
}

impl Parsed {
    /// The memory that the record takes until it is written, in bytes.
    fn size(&self) -> usize {
        let record: usize = self.record.iter().map(value_size).sum();
        let changes: usize = self.changes.iter().map(|(_, value)| value_size(value)).sum();
        size_of::<Self>() + COPIES * (record + changes)
    }
}

/// An all-or-none file whose records are read and whose references are checked.
pub(crate) struct Whole {
    lines: Vec<u64>,
    records: Vec<Vec<Value>>,
    /// The report of invalid records.
    report: Report,
}

/// Writes the records of a file.
pub(crate) struct Import<'a> {
    pub(crate) mounted: &'a MountedResource,
    pub(crate) identity: &'a RequestIdentity,
    pub(crate) writer: RecordWriter<'a>,
    pub(crate) options: Options,
    /// Time limit of one write of a partial import.
    pub(crate) limit: Duration,
}

impl Import<'_> {
    /// Reads the file and writes its records. `progress` is called after each write.
    ///
    /// # Errors
    /// The problems of the records, by line, where an all-or-none import fails. Where storage fails or the file cannot
    /// be read, the detail says what has been written before.
    pub(crate) async fn run(
        &self,
        source: &mut impl Source,
        mut progress: impl FnMut(&Report) + Send,
    ) -> Result<Report, Problem> {
        let mut report = Report::default();
        if !self.options.partial {
            let mut file = self.prepare(source).await?;
            let turn = source.turn().await?;
            let report = self.write_whole(&mut file).await?;
            drop(turn);
            progress(&report);
            return Ok(report);
        }
        match self.write_partially(source, &mut report, &mut progress).await {
            Ok(()) => Ok(report),
            Err(problem) if !self.options.dry_run && report.done() > 0 => {
                let (done, failed) = (report.done(), report.failed);
                let so_far = format!("the import stopped after {done} records, of which {failed} failed");
                let mut details = problem.into_details();
                details.detail = format!("{so_far}: {}", details.detail);
                Err(details.into())
            }
            Err(problem) => Err(problem),
        }
    }

    async fn write_partially(
        &self,
        source: &mut impl Source,
        report: &mut Report,
        progress: &mut (impl FnMut(&Report) + Send),
    ) -> Result<(), Problem> {
        let last = self.read(source, report, progress).await?;
        self.write(last, report).await?;
        report.settle();
        progress(report);
        Ok(())
    }

    /// Reads an all-or-none file and writes nothing, so that the writer of storage is not held meanwhile.
    ///
    /// # Errors
    /// The problems of the records, by line, where no record is valid or the answer can list no more problems.
    pub(crate) async fn prepare(&self, source: &mut impl Source) -> Result<Whole, Problem> {
        let mut report = Report::default();
        let parsed = self.read(source, &mut report, &mut |_| {}).await?;
        let (mut lines, mut records): (Vec<u64>, Vec<Vec<Value>>) =
            parsed.into_iter().map(|record| (record.line, record.record)).unzip();
        if records.len() > CHUNK {
            let remaining = LISTED.saturating_sub(report.problems.len());
            let missing = self.writer.missing_references(&records, remaining).await?;
            // From the end, so that earlier indexes stay valid.
            for (index, problem) in missing.into_iter().rev() {
                records.remove(index);
                report.fail(lines.remove(index), problem);
            }
        }
        if report.failed > 0 && (records.is_empty() || report.failed >= LISTED as u64) {
            return Err(report.refusal());
        }
        Ok(Whole { lines, records, report })
    }

    /// Reads the records and returns those that are not written. A partial import writes all but the last ones
    /// meanwhile.
    async fn read(
        &self,
        source: &mut impl Source,
        report: &mut Report,
        progress: &mut (impl FnMut(&Report) + Send),
    ) -> Result<Vec<Parsed>, Problem> {
        let Options { format, partial, max_rows, max_bytes, max_record, .. } = self.options;
        let rules = self.identity.body_rules(self.mounted.resource(), BodyKind::Create)?;
        let (mut lines, mut header) = (Lines::new(format, max_record), None);
        let (mut parsed, mut searches, mut is_last) = (Vec::new(), FieldErrors::SEARCHES, false);
        let at_a_time = if self.writer.app.adapter().capabilities().transactions { CHUNK } else { CHUNK_OF_SINGLES };
        // Bytes of the file so far, bytes of the unwritten records as text, and the memory that those records hold.
        let (mut bytes, mut kept, mut held) = (0, 0, 0);
        while !is_last {
            match source.next().await? {
                Some(next) => {
                    bytes += next.len();
                    // Counted before the bytes are kept: refused files would take that memory too.
                    source.keep(held + lines.memory_with(next.len())).await?;
                    lines.push(&next);
                }
                None => is_last = true,
            }
            while let Some(line) = if is_last { lines.last()? } else { lines.next()? } {
                if format != Format::Ndjson && header.is_none() {
                    let read = Header::read(self.mounted.resource(), &self.identity.view, &line.text);
                    header = Some(read.map_err(|problem| lines::at(line.number, problem))?);
                    continue;
                }
                kept += line.text.len();
                match self.parse(&line, header.as_ref(), &rules, &mut searches) {
                    Ok(record) => {
                        held += record.size();
                        source.keep(held).await?;
                        parsed.push(record);
                    }
                    Err(problem) => report.fail(line.number, problem),
                }
                if !partial && report.failed >= LISTED as u64 {
                    // Nothing is written in any case, and the answer can list no more problems.
                    return Err(report.refusal());
                }
                if partial && (parsed.len() >= at_a_time || kept >= CHUNK_BYTES) {
                    self.write(std::mem::take(&mut parsed), report).await?;
                    report.settle();
                    (kept, held) = (0, 0);
                    source.proceed();
                    progress(report);
                }
            }
            if !partial {
                check_size(parsed.len() as u64 + report.failed, bytes, max_rows, max_bytes)?;
            }
        }
        Ok(parsed)
    }

    fn parse(
        &self,
        line: &Line,
        header: Option<&Header>,
        rules: &BodyRules<'_>,
        searches: &mut usize,
    ) -> Result<Parsed, Problem> {
        let object;
        let json = match (header, self.options.format) {
            (Some(header), Format::Csv { raw }) => {
                object = header.object(&line.text, raw)?;
                &object[..]
            }
            _ => line.text.as_bytes(),
        };
        let mut parse = |rules: &BodyRules<'_>| body::parse_line(self.mounted, rules, json, searches);
        let (RecordBody { changes, .. }, refusal, present) = match self.options.upsert {
            // An upsert changes only the fields of the file in a record that exists.
            Some(_) => {
                let (new, refusal) = body::parse_kept(rules.clone(), &mut parse)?;
                let rules = self.identity.body_rules(self.mounted.resource(), BodyKind::Update)?;
                (new, refusal, parse(&rules)?.changes)
            }
            None => (parse(rules)?, None, Changes::new()),
        };
        let record = record_values::with_defaults(self.mounted.resource(), changes);
        Ok(Parsed { line: line.number, record, refusal, changes: present })
    }

    /// Writes records of a partial import, and adds their outcomes to the report.
    async fn write(&self, parsed: Vec<Parsed>, report: &mut Report) -> Result<(), Problem> {
        if let Some(target) = &self.options.upsert {
            for record in parsed {
                self.write_one(target, record, report).await?;
            }
            return Ok(());
        }
        if parsed.is_empty() {
            return Ok(());
        }
        let mode = if self.options.dry_run { Mode::Rehearsal } else { Mode::Partial };
        let (lines, records): (Vec<u64>, Vec<Vec<Value>>) =
            parsed.into_iter().map(|record| (record.line, record.record)).unzip();
        let written = self.in_time(self.writer.write(Work::Insert(&records), mode, &mut NoSink)).await?;
        report.add(&lines, written);
        Ok(())
    }

    /// Writes the records of an all-or-none file.
    ///
    /// # Errors
    /// The problems of the records, by line.
    pub(crate) async fn write_whole(&self, file: &mut Whole) -> Result<Report, Problem> {
        let mut report = Report { failed: file.report.failed, ..Report::default() };
        report.problems.append(&mut file.report.problems);
        if !file.records.is_empty() {
            // A rehearsal finds the other errors.
            let is_rehearsal = self.options.dry_run || report.failed > 0;
            let mode = if is_rehearsal { Mode::Rehearsal } else { Mode::Atomic };
            let most_failures = usize::try_from((LISTED as u64).saturating_sub(report.failed)).ok();
            let writer = RecordWriter { most_failures, ..self.writer.clone() };
            report.add(&file.lines, writer.write(Work::Insert(&file.records), mode, &mut NoSink).await?);
        }
        report.settle();
        if report.failed > 0 { Err(report.refusal()) } else { Ok(report) }
    }

    /// Creates a record, or changes the one that has its unique values.
    async fn write_one(&self, target: &Target, parsed: Parsed, report: &mut Report) -> Result<(), Problem> {
        let Parsed { line, record, refusal, mut changes } = parsed;
        let resource = self.mounted.resource();
        let guard = Precondition::new(resource, self.identity, &HeaderMap::new(), &mut changes);
        let on_conflict = if target.ignore {
            OnConflict::Ignore
        } else {
            OnConflict::Update(&changes, precondition::as_guard(guard.as_ref()))
        };
        let key = target.unique.columns.iter().map(|column| record[*column].clone()).collect();
        let mode = if self.options.dry_run { Mode::Rehearsal } else { Mode::Atomic };
        let records = &self.identity.records;
        let may_restore = self.identity.sees_deleted;
        let record = refusal.map_or(Ok(record), Err);
        let upsert = Upsert { unique: &target.unique, key, record, on_conflict, records, may_restore, mode };
        let written = async { Ok(self.writer.upsert(upsert, &mut NoSink).await) };
        match self.in_time(written).await? {
            Ok(Done::Created) => report.created += 1,
            Ok(Done::Found) if target.ignore => report.skipped += 1,
            Ok(Done::Found) => report.updated += 1,
            Err(error) => {
                let problem = precondition::problem_of(error, guard);
                // The next records would fail in the same way.
                if problem.code().status().is_server_error() {
                    return Err(problem);
                }
                report.fail(line, problem);
            }
        }
        Ok(())
    }

    async fn in_time<T>(&self, write: impl Future<Output = Result<T, Problem>>) -> Result<T, Problem> {
        let written = tokio::time::timeout(self.limit, write).await;
        written.unwrap_or_else(|_| Err(Problem::new(Code::Timeout, "a write took too long")))
    }
}

/// Refuses a file that is too large to be written all or none.
fn check_size(rows: u64, bytes: usize, max_rows: u64, max_bytes: usize) -> Result<(), Problem> {
    let advice = "import it in parts, or with `mode=partial`";
    if rows > max_rows {
        let detail = format!("all or none of a file must have at most {max_rows} records: {advice}");
        return Err(Problem::new(Code::BatchTooLarge, detail));
    }
    if bytes > max_bytes {
        let detail = format!("all or none of a file must have at most {max_bytes} bytes: {advice}");
        return Err(Problem::new(Code::BodyTooLarge, detail));
    }
    Ok(())
}
