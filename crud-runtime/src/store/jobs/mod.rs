//! Jobs: work that a transaction leaves for later, and schedules.
//!
//! A [`Job`] is a row of the table `crud_jobs`, written in the transaction that enqueues it. [`worker`] runs the jobs that
//! are due, on every server of the service: one that takes a job holds a lease on it for as long as it runs. [`schedule`]
//! enqueues a job at the times of a cron pattern, once for all servers.

pub(crate) mod queue;
pub(crate) mod record;
pub(crate) mod schedule;
pub(crate) mod worker;

use chrono::{DateTime, Utc};
use serde::Serialize;

use self::record::{JobRecord, NewJobRecord};
use super::app::App;
use super::hooks::context::HookContext;
use super::transaction::Tx;
use crate::model::problem::{Code, Problem};
use crate::storage::error::{Error, Result};

/// Work for later: see [`Tx::enqueue`].
#[derive(Debug, Clone)]
#[must_use = "a job does nothing until it is enqueued"]
pub struct Job {
    kind: String,
    payload: serde_json::Value,
    run_at: Option<DateTime<Utc>>,
    unique_key: Option<String>,
}

impl Job {
    /// A job for the handler of this kind ([`Service::job`](crate::Service::job)), to run as soon as it is committed.
    ///
    /// # Errors
    /// `internal` when the payload is not JSON, such as a map whose keys are no texts.
    pub fn new(kind: impl Into<String>, payload: &impl Serialize) -> Result<Self> {
        let payload = serde_json::to_value(payload).map_err(Problem::internal)?;
        Ok(Self { kind: kind.into(), payload, run_at: None, unique_key: None })
    }

    /// Runs the job at this time at the earliest.
    pub fn run_at(mut self, time: DateTime<Utc>) -> Self {
        self.run_at = Some(time);
        self
    }

    /// Enqueues the job unless one with this key is waiting or running.
    pub fn unique_key(mut self, key: impl Into<String>) -> Self {
        self.unique_key = Some(key.into());
        self
    }
}

impl Tx<'_> {
    /// Enqueues a job: it is durable with the transaction, and never runs if that is rolled back. Returns false when its
    /// [unique key](Job::unique_key) is taken.
    ///
    /// A worker of the service runs it after the commit, at least once: again when the handler fails, and when the
    /// process is killed meanwhile.
    ///
    /// # Errors
    /// Errors of a change.
    pub async fn enqueue(&mut self, job: Job) -> Result<bool> {
        let Job { kind, payload, run_at, unique_key } = job;
        let is_unique = unique_key.is_some();
        let new = NewJobRecord {
            kind,
            payload,
            run_at: run_at.unwrap_or_else(|| self.app().now()),
            unique_key,
            dead: Some(false),
            attempts: Some(0),
            leased_until: None,
            last_error: None,
            tenant: self.app().tenant(),
        };
        match self.internal_store::<JobRecord>().create(new).await {
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
    /// Enqueues a job in the transaction of the change: see [`Tx::enqueue`]. The hook needs `other_writes`.
    ///
    /// # Errors
    /// Errors of [`Tx::enqueue`]; `internal` without `other_writes`.
    pub async fn enqueue(&mut self, job: Job) -> Result<bool> {
        self.check_other_writes("enqueues a job")?;
        self.tx().as_program().enqueue(job).await
    }
}

impl App {
    /// Enqueues a job in a transaction for itself: see [`Tx::enqueue`].
    ///
    /// # Errors
    /// Errors of [`Tx::enqueue`].
    pub async fn enqueue(&self, job: Job) -> Result<bool> {
        let mut tx = self.begin().await?;
        let enqueued = tx.enqueue(job).await?;
        tx.commit().await?;
        Ok(enqueued)
    }
}
