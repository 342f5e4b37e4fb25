//! The commands `jobs list`, `retry` and `cancel`.

use crud_config::command::JobTask;

use super::output::{print, setup};
use crate::model::adapter_error::AdapterError;
use crate::model::problem::Problem;
use crate::service::builder::Service;
use crate::storage::error::{Error, Result};
use crate::store::jobs::queue::{JobState, QueuedJob};

/// Maximum number of jobs that a list prints.
const LIMIT: u64 = 100;

/// Runs a command, and prints its result.
pub(super) async fn run(service: &Service, task: JobTask) -> Result<()> {
    if !service.has_jobs() {
        return setup("the service has no jobs: no job is registered, and no resource has hooks");
    }
    let app = service.app();
    match task {
        JobTask::List { kind, state } => {
            // The arguments are read with the names of the states alone.
            let state: Option<JobState> = state.and_then(|state| state.parse().ok());
            let page = match app.jobs().list(kind.as_deref(), state, 0, LIMIT).await {
                Err(Error::Problem(problem)) if is_of_missing_table(&problem) => {
                    return print(
                        "There are no jobs yet: a start of the service, or a migration, creates their table.",
                    );
                }
                page => page?,
            };
            let more = page.total.saturating_sub(LIMIT);
            let more = (more > 0).then(|| format!("and {more} more"));
            let lines: Vec<String> = page.data.iter().map(line).chain(more).collect();
            print(&if lines.is_empty() { "There are no such jobs.".to_owned() } else { lines.join("\n") })
        }
        JobTask::Retry { id } => {
            app.jobs().retry(id).await?;
            print(&format!("Job {id} is queued."))
        }
        JobTask::Cancel { id } => {
            app.jobs().cancel(id).await?;
            print(&format!("Job {id} is removed."))
        }
    }
}

/// Whether the database has no table of jobs yet.
fn is_of_missing_table(problem: &Problem) -> bool {
    let source = std::error::Error::source(problem).and_then(|source| source.downcast_ref::<AdapterError>());
    matches!(source, Some(AdapterError::MissingTable(_)))
}

/// A job on a line: `7  dead     mail  2026-01-31T12:00:00Z  10 attempts  the mail server is away`.
fn line(job: &QueuedJob) -> String {
    let QueuedJob { id, kind, state, run_at, attempts, .. } = job;
    let time = run_at.format("%Y-%m-%dT%H:%M:%SZ");
    let error = job.last_error.as_deref().map(|error| format!("  {}", error.escape_debug()));
    format!("{id}  {state:<7}  {kind}  {time}  {attempts} attempts{}", error.unwrap_or_default())
}
