//! [`Job`]: a type of jobs, and [`NewJob`]: a job to enqueue.

use std::future::Future;

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::model::adapter_error::BoxError;
use crate::store::app::App;

/// A type of jobs: work that a transaction leaves for later ([`Tx::enqueue`](crate::Tx::enqueue)), such as a mail.
///
/// A value is a job: its fields are the payload, as JSON in the table `crud_jobs`. [`Service::job`](crate::Service::job)
/// says that a service runs the jobs of a type, and [`Service::schedule`](crate::Service::schedule) enqueues one at the times
/// of a cron pattern.
///
/// ```
/// use crud_runtime::prelude::*;
/// use crud_runtime::{BoxError, Job};
/// use serde::{Deserialize, Serialize};
/// # use std::sync::Mutex;
///
/// /// Mails a finished ticket.
/// #[derive(Serialize, Deserialize)]
/// struct Mail {
///     ticket: i64,
/// }
///
/// impl Job for Mail {
///     const KIND: &str = "mail";
///
///     async fn run(self, app: App) -> Result<(), BoxError> {
///         let outbox = app.extension::<Mutex<Vec<String>>>()?;
///         outbox.lock().map_err(|error| error.to_string())?.push(format!("ticket {} is done", self.ticket));
///         Ok(())
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> crud_runtime::Result<()> {
/// let outbox: Mutex<Vec<String>> = Mutex::default();
/// let service = Service::connect("sqlite::memory:").await?.extension(outbox).job::<Mail>().migrate().await?;
/// service.app().enqueue(Mail { ticket: 7 }).await?;
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a job",
    label = "expected a type that implements `crud_runtime::Job`",
    note = "`impl Job for {Self} {{ const KIND: &str = \"…\"; async fn run(self, app: App) -> Result<(), BoxError> {{ … }} }}`"
)]
pub trait Job: Serialize + DeserializeOwned + Send + 'static {
    /// The name of the type in the table of jobs, in at most 100 characters. It must stay the same when the type is
    /// renamed.
    const KIND: &'static str;

    /// Former names of the type. Jobs that a former version of the program enqueues by them are run too.
    const FORMER_KINDS: &'static [&'static str] = &[];

    /// Runs the job: after the commit of the transaction that enqueued it, and at least once.
    ///
    /// A job that fails is run again after 1, 4, 9, 16 seconds and so on, and is dead after ten attempts. It can run twice:
    /// when the process is killed before the end of the job is written.
    fn run(self, app: App) -> impl Future<Output = Result<(), BoxError>> + Send;

    /// Runs the job at this time at the earliest.
    fn run_at(self, time: DateTime<Utc>) -> NewJob {
        NewJob::from(self).run_at(time)
    }

    /// Enqueues the job unless one with this key is waiting or running.
    fn unique_key(self, key: impl Into<String>) -> NewJob {
        NewJob::from(self).unique_key(key)
    }
}

/// A job to enqueue, with its options: see [`Tx::enqueue`](crate::Tx::enqueue). A [`Job`] is one without options.
///
/// ```
/// use crud_runtime::{BoxError, Job};
/// # use crud_runtime::prelude::*;
///
/// #[derive(serde::Serialize, serde::Deserialize)]
/// struct Mail { to: String }
///
/// impl Job for Mail {
///     const KIND: &str = "mail";
///
///     async fn run(self, _: App) -> Result<(), BoxError> {
///         Ok(())
///     }
/// }
///
/// # async fn of(app: App) -> crud_runtime::Result<()> {
/// let mail = Mail { to: "ann@example.com".into() };
/// app.enqueue(mail.run_at(app.now() + TimeDelta::hours(1)).unique_key("ann")).await?;
/// # Ok(()) }
/// ```
#[derive(Debug)]
#[must_use = "a job does nothing until it is enqueued"]
pub struct NewJob {
    pub(super) kind: &'static str,
    /// The payload, unless it is not JSON.
    pub(super) payload: Result<serde_json::Value, serde_json::Error>,
    pub(super) run_at: Option<DateTime<Utc>>,
    pub(super) unique_key: Option<String>,
}

impl NewJob {
    /// A job of a kind with this payload.
    pub(super) const fn new(kind: &'static str, payload: Result<serde_json::Value, serde_json::Error>) -> Self {
        Self { kind, payload, run_at: None, unique_key: None }
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

impl<J: Job> From<J> for NewJob {
    fn from(job: J) -> Self {
        Self::new(J::KIND, serde_json::to_value(&job))
    }
}
