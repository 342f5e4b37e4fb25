//! The jobs of a service.

use std::fmt;
use std::future::Future;
use std::time::Duration;

use serde::de::DeserializeOwned;

use super::builder::Service;
use crate::storage::error::Result;
use crate::store::app::App;
use crate::store::jobs::schedule::Schedule;
use crate::store::jobs::worker::Worker;

impl Service {
    /// Runs jobs of a kind ([`Tx::enqueue`](crate::Tx::enqueue)) by a handler, which gets the job's payload.
    ///
    /// [`serve`](Self::serve) and [`Background::run`](crate::Background::run) run them, on every server of the service: a job that a server has taken is another's only
    /// when that has not ended it within [`job_timeout`](Self::job_timeout). A job whose handler fails is run again after 1, 4, 9, 16 seconds
    /// and so on, and is dead after ten attempts. A handler can be called twice for one job: when the process is killed
    /// before the end of the job is written.
    ///
    /// ```
    /// use crud_runtime::{App, Job};
    /// # use crud_runtime::prelude::*;
    /// # async fn build() -> crud_runtime::Result<()> {
    /// async fn mail(ticket: i64, app: App) -> crud_runtime::Result<()> {
    ///     println!("ticket {ticket} is done");
    ///     Ok(())
    /// }
    ///
    /// let service = Service::connect("sqlite::memory:").await?.job("mail", mail).migrate().await?;
    /// service.app().enqueue(Job::new("mail", &7)?).await?;
    /// service.serve("127.0.0.1:8000").await
    /// # }
    /// ```
    pub fn job<T, F, Fut, E>(mut self, kind: impl Into<String>, handler: F) -> Self
    where
        T: DeserializeOwned,
        F: Fn(T, App) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: fmt::Display,
    {
        self.jobs.handle(kind.into(), handler);
        self
    }

    /// Sets how long a job may run; five minutes by default. It fails after that, and of a process that was killed another
    /// takes it then.
    pub fn job_timeout(mut self, limit: Duration) -> Self {
        self.jobs.timeout = limit;
        self
    }

    /// Enqueues a job of a kind at the times of a cron pattern, in UTC: minute, hour, day of the month, month, day of the
    /// week, such as `0 3 * * *`. It is once for all servers; times that no server saw are one job. The handler's payload
    /// is `()`.
    ///
    /// # Errors
    /// [`Error::Setup`](crate::Error::Setup) when the pattern is none.
    pub fn every(mut self, pattern: &str, kind: &str) -> Result<Self> {
        self.jobs.schedules.push(Schedule::new(pattern, kind)?);
        Ok(self)
    }

    /// The worker of the jobs, if there are any.
    pub(super) fn worker(&self) -> Option<Worker> {
        (!self.jobs.is_empty()).then(|| Worker::new(self.app(), self.jobs.clone()))
    }
}
