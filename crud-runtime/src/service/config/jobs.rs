//! The commands `jobs list`, `retry` and `cancel`.

use super::output::print;
use crate::service::builder::Service;
use crate::storage::error::{Error, Result};
use crate::store::jobs::queue::{JobState, QueuedJob};

/// Maximum number of jobs that a list prints.
const LIMIT: u64 = 100;

/// A subcommand of `jobs`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum JobsCommand {
    /// Prints the jobs that are not done: of a kind, in a state.
    List(Option<String>, Option<JobState>),
    /// Runs a job as soon as possible.
    Retry(i64),
    /// Removes a job.
    Cancel(i64),
}

impl JobsCommand {
    /// The command that arguments name: `list`, `list kind=mail state=dead`, `retry 7`, `cancel 7`.
    pub(super) fn parse(arguments: &[&str]) -> Option<Self> {
        match arguments {
            ["list", filters @ ..] => {
                let (mut kind, mut state) = (None, None);
                for filter in filters {
                    match filter.split_once('=')? {
                        ("kind", name) => kind = Some(name.to_owned()),
                        ("state", name) => state = Some(name.parse().ok()?),
                        _ => return None,
                    }
                }
                Some(Self::List(kind, state))
            }
            ["retry", id] => id.parse().ok().map(Self::Retry),
            ["cancel", id] => id.parse().ok().map(Self::Cancel),
            _ => None,
        }
    }
}

/// Runs a command, and prints its result.
pub(super) async fn run(service: &Service, command: JobsCommand) -> Result<()> {
    if !service.has_jobs() {
        return Err(Error::Setup(
            "the service has no jobs: it handles none, and none of its resources has hooks".to_owned(),
        ));
    }
    let app = service.app();
    match command {
        JobsCommand::List(kind, state) => {
            let page = app.jobs().list(kind.as_deref(), state, 0, LIMIT).await?;
            let more = page.total.saturating_sub(LIMIT);
            let more = (more > 0).then(|| format!("and {more} more"));
            let lines: Vec<String> = page.data.iter().map(line).chain(more).collect();
            print(&if lines.is_empty() { "There are no such jobs.".to_owned() } else { lines.join("\n") })
        }
        JobsCommand::Retry(id) => {
            app.jobs().retry(id).await?;
            print(&format!("Job {id} is to run."))
        }
        JobsCommand::Cancel(id) => {
            app.jobs().cancel(id).await?;
            print(&format!("Job {id} is removed."))
        }
    }
}

/// A job on a line: `7  dead     mail  2026-01-31T12:00:00Z  10 attempts  the mail server is away`.
fn line(job: &QueuedJob) -> String {
    let QueuedJob { id, kind, state, run_at, attempts, .. } = job;
    let time = run_at.format("%Y-%m-%dT%H:%M:%SZ");
    let error = job.last_error.as_deref().map(|error| format!("  {}", error.escape_debug()));
    format!("{id}  {state:<7}  {kind}  {time}  {attempts} attempts{}", error.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_name_a_command() {
        let parse = |arguments: &[&str]| JobsCommand::parse(arguments);
        assert_eq!(parse(&["list"]), Some(JobsCommand::List(None, None)));
        let dead = JobsCommand::List(Some("mail".to_owned()), Some(JobState::Dead));
        assert_eq!(parse(&["list", "state=dead", "kind=mail"]), Some(dead));
        assert_eq!(parse(&["retry", "7"]), Some(JobsCommand::Retry(7)));
        assert_eq!(parse(&["cancel", "7"]), Some(JobsCommand::Cancel(7)));
        for wrong in [&[][..], &["list", "state=done"], &["list", "x"], &["retry"], &["retry", "x"], &["stop"]] {
            assert_eq!(parse(wrong), None, "{wrong:?}");
        }
    }
}
