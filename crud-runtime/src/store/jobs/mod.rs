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
use self::record::{JobRecord, NewJobRecord};
use super::app::App;
use super::hooks::context::HookContext;
use super::transaction::Tx;
use crate::model::problem::{Code, Problem};
use crate::storage::adapter::BoxFuture;
use crate::storage::error::{Error, Result};

impl Tx<'_> {
    /// Enqueues a [`Job`](crate::Job): it is durable with the transaction, and never runs if that is rolled back. Returns
    /// false when its [unique key](crate::Job::unique_key) is taken.
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
        let is_unique = unique_key.is_some();
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
        match self.store::<JobRecord>().create(new).await {
            Ok(_) => {}
            Err(Error::Problem(problem)) if is_unique && problem.code() == Code::Conflict => return Ok(false),
            Err(error) => return Err(error),
        }
        let signal = self.app().job_signal().clone();
        self.after_commit(async move { signal.notify_one() });
        Ok(true)
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
