//! [`JobQueue`]: the jobs that wait, run or are dead, for people.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Utc};

use super::record::{JobRecord, JobRecordPatch};
use crate::model::column::Column;
use crate::model::column_error::ColumnError;
use crate::model::problem::{Code, Problem};
use crate::model::resource::{enum_error, enum_text, enum_value};
use crate::model::value::{Kind, Value, ValueRef};
use crate::query::{Condition, Select};
use crate::storage::error::Result;
use crate::store::app::App;
use crate::store::typed::page::Page;

/// The jobs of a service that are not done, from [`App::jobs`].
///
/// ```
/// use crud_runtime::{BoxError, Job};
/// use crud_runtime::jobs::JobState;
/// # use crud_runtime::prelude::*;
/// # #[derive(serde::Serialize, serde::Deserialize)]
/// # struct Mail;
/// # impl Job for Mail {
/// #     const KIND: &str = "mail";
/// #     async fn run(self, _: App) -> Result<(), BoxError> { Ok(()) }
/// # }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> crud_runtime::Result<()> {
/// # let service = Service::connect("sqlite::memory:").await?.job::<Mail>().migrate().await?;
/// let app = service.app();
/// app.enqueue(Mail).await?;
/// let waiting = app.jobs().list(Some(Mail::KIND), Some(JobState::Waiting), 0, 20).await?;
/// app.jobs().cancel(waiting.data[0].id).await?;
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct JobQueue<'a>(&'a App);

/// A job that is not done.
///
/// ```
/// use crud_runtime::jobs::{JobState, QueuedJob};
/// # use crud_runtime::prelude::*;
///
/// # async fn of(app: App) -> crud_runtime::Result<()> {
/// let dead: Vec<QueuedJob> = app.jobs().list(None, Some(JobState::Dead), 0, 20).await?.data;
/// for job in dead {
///     println!("{} {}", job.id, job.kind);
/// }
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct QueuedJob {
    /// The job's key.
    pub id: i64,
    /// The job's [kind](crate::Job::KIND).
    pub kind: String,
    /// State of the job.
    pub state: JobState,
    /// The job's fields, as JSON.
    pub payload: serde_json::Value,
    /// The time of the next run.
    pub run_at: DateTime<Utc>,
    /// The job's unique key.
    pub unique_key: Option<String>,
    /// Number of runs that were begun.
    pub attempts: i32,
    /// Error of the last attempt.
    pub last_error: Option<String>,
    /// The time at which the job was enqueued.
    pub created_at: DateTime<Utc>,
    /// The tenant of the principal that enqueued the job.
    pub tenant: Option<String>,
}

/// State of a job.
///
/// ```
/// use crud_runtime::jobs::JobState;
/// # use crud_runtime::prelude::*;
///
/// # async fn of(app: App) -> crud_runtime::Result<()> {
/// let dead = app.jobs().list(None, Some(JobState::Dead), 0, 20).await?;
/// println!("{} jobs are dead", dead.total);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum JobState {
    /// A job that is to run, now or later.
    Waiting,
    /// A job that a server runs.
    Running,
    /// A job that failed too often, and runs again when it is retried.
    Dead,
}

impl JobState {
    /// Every state.
    pub const ALL: [Self; 3] = [Self::Waiting, Self::Running, Self::Dead];

    /// The state's name: `waiting`, `running` or `dead`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Dead => "dead",
        }
    }
}

impl FromStr for JobState {
    type Err = &'static str;

    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|state| state.as_str() == text).ok_or("must be `waiting`, `running` or `dead`")
    }
}

impl fmt::Display for JobState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A field of the query of `/_service/jobs`. Written by hand: a derived implementation would be among the types that
/// the compiler suggests for a field of a user's struct.
#[diagnostic::do_not_recommend]
impl Column for JobState {
    const KIND: Kind = Kind::Enum(&["waiting", "running", "dead"]);

    fn into_value(self) -> Value {
        enum_value(self.as_str())
    }

    fn from_value(value: ValueRef<'_>) -> std::result::Result<Self, ColumnError> {
        let text = enum_text(value)?;
        text.parse().or_else(|_| enum_error(Self::KIND, Ok(text)))
    }
}

impl App {
    /// The jobs that are not done, of a service that has jobs.
    pub const fn jobs(&self) -> JobQueue<'_> {
        JobQueue(self)
    }
}

impl JobQueue<'_> {
    /// A page of the jobs of a kind, in a state, the next to run first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list(
        &self,
        kind: Option<&str>,
        state: Option<JobState>,
        offset: u64,
        limit: u64,
    ) -> Result<Page<QueuedJob>> {
        self.list_of(None, kind, state, offset, limit).await
    }

    /// Lists the jobs of one tenant; of all, where it is `None`.
    pub(crate) async fn list_of(
        &self,
        tenant: Option<&str>,
        kind: Option<&str>,
        state: Option<JobState>,
        offset: u64,
        limit: u64,
    ) -> Result<Page<QueuedJob>> {
        let (fields, now) = (JobRecord::FIELDS, self.0.now());
        let mut query = Select::all().order_by(fields.run_at.asc()).offset(offset).limit(limit);
        if let Some(kind) = kind {
            query = query.filter(fields.kind.eq(kind));
        }
        if let Some(tenant) = tenant {
            query = query.filter(fields.tenant.eq(tenant));
        }
        query = match state {
            Some(JobState::Waiting) => query.filter(fields.dead.eq(false).and(free(now))),
            Some(JobState::Running) => query.filter(fields.dead.eq(false).and(fields.leased_until.gte(now))),
            Some(JobState::Dead) => query.filter(fields.dead.eq(true)),
            None => query,
        };
        Ok(self.0.store::<JobRecord>().page(query).await?.map(|record| queued(record, now)))
    }

    /// Checks that there is a job, of this tenant if it is not `None`.
    ///
    /// # Errors
    /// `not_found`.
    pub(crate) async fn require(&self, tenant: Option<&str>, id: i64) -> Result<()> {
        let fields = JobRecord::FIELDS;
        let of_id = fields.id.eq(id);
        let condition = match tenant {
            Some(tenant) => of_id.and(fields.tenant.eq(tenant)),
            None => of_id,
        };
        match self.0.store::<JobRecord>().count(condition).await? {
            0 => Err(Problem::new(Code::NotFound, format!("there is no job {id}")).into()),
            _ => Ok(()),
        }
    }

    /// Lets a dead or waiting job run as soon as possible, with all its attempts.
    ///
    /// # Errors
    /// `not_found` when there is no such job, `conflict` while it runs.
    pub async fn retry(&self, id: i64) -> Result<()> {
        let now = self.0.now();
        let patch = JobRecordPatch::default().dead(false).attempts(0).run_at(now).leased_until(None::<DateTime<Utc>>);
        let retried = self.0.store::<JobRecord>().update_if(id, free(now), patch).await?;
        self.0.job_signal().notify_one();
        Ok(retried.map(drop).ok_or_else(running)?)
    }

    /// Removes a job that does not run.
    ///
    /// # Errors
    /// `not_found` when there is no such job, `conflict` while it runs.
    pub async fn cancel(&self, id: i64) -> Result<()> {
        let of_id = JobRecord::FIELDS.id.eq(id);
        if self.0.store::<JobRecord>().delete_where(of_id.and(free(self.0.now()))).await? == 0 {
            self.0.store::<JobRecord>().get(id).await?;
            return Err(running().into());
        }
        Ok(())
    }
}

/// The condition that no server runs the job.
pub(super) fn free(now: DateTime<Utc>) -> Condition<JobRecord> {
    let fields = JobRecord::FIELDS;
    fields.leased_until.is_null().or(fields.leased_until.lt(now))
}

fn running() -> Problem {
    Problem::new(Code::Conflict, "the job is running")
}

fn queued(record: JobRecord, now: DateTime<Utc>) -> QueuedJob {
    let is_leased = record.leased_until.is_some_and(|until| until >= now);
    let state = match (record.dead, is_leased) {
        (true, _) => JobState::Dead,
        (false, true) => JobState::Running,
        (false, false) => JobState::Waiting,
    };
    let JobRecord { id, kind, payload, run_at, unique_key, attempts, last_error, created_at, tenant, .. } = record;
    // In a sharded service, a row without a tenant has an empty text.
    let tenant = tenant.filter(|tenant| !tenant.is_empty());
    QueuedJob { id, kind, state, payload, run_at, unique_key, attempts, last_error, created_at, tenant }
}
