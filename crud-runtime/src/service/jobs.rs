//! The jobs of a service.

use super::builder::Service;
use crate::storage::error::Result;
use crate::store::jobs::job::Job;
use crate::store::jobs::worker::Worker;

/// # Jobs
///
/// Types of jobs that the service runs, and schedules.
impl Service {
    /// Runs the jobs of a type ([`Tx::enqueue`](crate::Tx::enqueue)).
    ///
    /// [`serve`](Self::serve) and [`Background::run`](crate::Background::run) run them, on every server of the service.
    /// Another server takes over a job only when the first one has not ended it within
    /// [`job_timeout`](crate::Limits::job_timeout).
    ///
    /// Errors at start: two types with one [`KIND`](Job::KIND).
    ///
    /// ```
    /// use crud_runtime::prelude::*;
    /// use crud_runtime::{BoxError, Job};
    ///
    /// #[derive(serde::Serialize, serde::Deserialize)]
    /// struct Mail {
    ///     ticket: i64,
    /// }
    ///
    /// impl Job for Mail {
    ///     const KIND: &str = "mail";
    ///
    ///     async fn run(self, _: App) -> Result<(), BoxError> {
    ///         println!("ticket {} is done", self.ticket);
    ///         Ok(())
    ///     }
    /// }
    ///
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let service = Service::connect("sqlite::memory:").await?.job::<Mail>().migrate().await?;
    /// service.app().enqueue(Mail { ticket: 7 }).await?;
    /// service.serve("127.0.0.1:8000").await
    /// # }
    /// ```
    pub fn job<J: Job>(mut self) -> Self {
        self.jobs.add::<J>();
        self
    }

    /// Enqueues a job at the times of a cron pattern, in UTC: minute, hour, day of the month, month, day of the week,
    /// such as `0 3 * * *`. Each time gives one job for all servers; times missed while no server ran give one job
    /// together. This also registers the job's type, as [`job`](Self::job) does.
    ///
    /// ```
    /// use crud_runtime::prelude::*;
    /// use crud_runtime::{BoxError, Job};
    ///
    /// #[derive(serde::Serialize, serde::Deserialize)]
    /// struct Purge {
    ///     days: i64,
    /// }
    ///
    /// impl Job for Purge {
    ///     const KIND: &str = "purge";
    ///
    ///     async fn run(self, app: App) -> Result<(), BoxError> {
    ///         println!("removes what was there {} days before {}", self.days, app.now());
    ///         Ok(())
    ///     }
    /// }
    ///
    /// # async fn build() -> crud_runtime::Result<()> {
    /// let service = Service::connect("sqlite::memory:").await?.schedule("0 3 * * *", Purge { days: 30 })?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`Error::Setup`](crate::Error::Setup) when the pattern is malformed, or the job's fields are not JSON.
    #[allow(clippy::needless_pass_by_value, reason = "as the jobs that are enqueued")]
    pub fn schedule<J: Job>(mut self, pattern: &str, job: J) -> Result<Self> {
        self.jobs.schedule(pattern, &job)?;
        Ok(self)
    }

    /// The worker of the jobs, if there are any.
    pub(super) fn worker(&self) -> Option<Worker> {
        (!self.jobs.is_empty()).then(|| Worker::new(self.app(), self.jobs.clone(), self.limits.job))
    }
}
