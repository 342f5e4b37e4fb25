//! Jobs: work that a transaction leaves for later, and schedules.
//!
//! A [`Job`](job::Job) is a row of the table `crud_jobs`, written in the transaction that enqueues it. [`worker`] runs
//! the jobs that are due, on every server of the service: a server that takes a job holds a lease on it while the job
//! runs. [`schedule`] enqueues a job at the times of a cron pattern, once for all servers.

pub(crate) mod job;
pub(crate) mod queue;
pub(crate) mod record;
pub(crate) mod schedule;
pub(crate) mod worker;

use self::job::NewJob;
use self::record::{JobRecord, JobRecordPatch, NewJobRecord};
use super::app::App;
use super::hooks::context::HookContext;
use super::transaction::Tx;
use crate::model::problem::{Code, Problem};
use crate::storage::adapter::BoxFuture;
use crate::storage::error::{Error, Result};

impl Tx<'_> {
    /// Enqueues a [`Job`](crate::Job): it is durable with the transaction, and never runs if that is rolled back. Returns
    /// false when its [unique key](crate::Job::unique_key) is taken by a job that waits or runs. A dead job loses its key.
    ///
    /// A worker of the service runs it after the commit, at least once: again when it fails, and when the process is killed
    /// meanwhile.
    ///
    /// # Errors
    /// Errors of a change; `internal` when the payload is not JSON, such as a map whose keys are not texts.
    pub async fn enqueue(&mut self, job: impl Into<NewJob>) -> Result<bool> {
        self.enqueue_new(job.into()).await
    }

    async fn enqueue_new(&mut self, job: NewJob) -> Result<bool> {
        let NewJob { kind, payload, run_at, unique_key } = job;
        let new = NewJobRecord {
            kind: kind.to_owned(),
            payload: payload.map_err(Problem::internal)?,
            run_at: run_at.unwrap_or_else(|| self.app().now()),
            unique_key,
            dead: Some(false),
            attempts: Some(0),
            leased_until: None,
            last_error: None,
            tenant: self.app().tenant(),
        };
        let is_new = self.create_job(new.clone()).await?
            || self.take_key(new.unique_key.as_deref()).await? && self.create_job(new).await?;
        if is_new {
            let signal = self.app().job_signal().clone();
            self.after_commit(async move { signal.notify_one() });
        }
        Ok(is_new)
    }

    /// Creates the row of a job; `false` if another job has its unique key.
    async fn create_job(&self, new: NewJobRecord) -> Result<bool> {
        let is_unique = new.unique_key.is_some();
        match self.store::<JobRecord>().create(new).await {
            Err(Error::Problem(problem)) if is_unique && problem.code() == Code::Conflict => Ok(false),
            created => created.map(|_| true),
        }
    }

    /// Takes a unique key from a dead job, which would keep every later job out.
    async fn take_key(&self, key: Option<&str>) -> Result<bool> {
        let Some(key) = key else { return Ok(false) };
        let dead = JobRecord::FIELDS.unique_key.eq(key).and(JobRecord::FIELDS.dead.eq(true));
        let patch = JobRecordPatch::default().unique_key(None::<String>);
        Ok(self.store::<JobRecord>().update_where(dead, patch).await? > 0)
    }
}

impl HookContext<'_> {
    /// Enqueues a job in the transaction of the change: see [`Tx::enqueue`].
    ///
    /// # Errors
    /// Errors of [`Tx::enqueue`].
    pub async fn enqueue(&mut self, job: impl Into<NewJob>) -> Result<bool> {
        let job = job.into();
        self.as_program().enqueue(job).await
    }
}

impl App {
    /// Enqueues a job in a transaction for itself: see [`Tx::enqueue`].
    ///
    /// # Errors
    /// Errors of [`Tx::enqueue`].
    pub async fn enqueue(&self, job: impl Into<NewJob>) -> Result<bool> {
        self.enqueue_new(job.into()).await
    }

    fn enqueue_new(&self, job: NewJob) -> BoxFuture<'_, Result<bool>> {
        Box::pin(async move {
            let mut tx = self.begin().await?;
            let enqueued = tx.enqueue_new(job).await?;
            tx.commit().await?;
            Ok(enqueued)
        })
    }
}
