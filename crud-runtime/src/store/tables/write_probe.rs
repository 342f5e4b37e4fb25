//! [`WriteProbe`]: a write that shows whether storage takes changes.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, Utc};
use futures_util::future::{BoxFuture, FutureExt as _, Shared};
use tokio::time::{Instant, timeout, timeout_at};

use crate::Resource;
use crate::model::problem::{Code, chain};
use crate::storage::error::{Error, Result};
use crate::store::app::App;

/// Record of the probe, in the table `crud_probes`: one, which all servers of the database update, without an
/// audit entry.
#[derive(Debug, Clone, Resource)]
#[crud(table("crud_probes", new), prefix = "/_service/probes")]
pub(crate) struct Probe {
    /// Subject of the probe.
    #[crud(length(max = 255))]
    id: String,
    written_at: DateTime<Utc>,
}

/// The key of the one record.
const WRITES: &str = "writes";

/// Time for which an outcome holds: a load balancer that asks often does not write as often.
const FRESH: Duration = Duration::from_secs(1);

/// Failure of a probe.
#[derive(Debug, Clone)]
pub(crate) enum ProbeFailure {
    /// The write has not ended within the limit.
    Hangs,
    /// Storage refused the write, with this error.
    Failed {
        /// The error and its causes.
        error: Arc<str>,
        /// Whether the disk of the database is full or fails.
        is_of_disk: bool,
    },
}

/// A write that shows whether storage takes changes. One is in flight at a time: while it hangs, no other begins.
///
/// It runs in a separate task, so that neither a client that leaves nor the limit of `/ready` ends it.
#[derive(Clone)]
pub(crate) struct WriteProbe {
    /// Time limit of a write.
    limit: Duration,
    latest: Arc<Mutex<Option<Latest>>>,
}

#[derive(Clone)]
struct Latest {
    begin: Instant,
    outcome: Shared<BoxFuture<'static, Result<(), ProbeFailure>>>,
}

impl WriteProbe {
    /// A probe that fails when its write takes longer than this.
    pub(crate) fn new(limit: Duration) -> Self {
        Self { limit, latest: Arc::default() }
    }

    /// Succeeds if a write of the last second, or one that begins now, succeeds within the limit.
    ///
    /// `request`: how long a request may take, after which the write is given up.
    ///
    /// # Errors
    /// [`ProbeFailure`], no later than the limit.
    pub(crate) async fn run(&self, app: &App, request: Duration) -> Result<(), ProbeFailure> {
        let Latest { begin, outcome } = self.latest(app, request);
        timeout_at(begin + self.limit, outcome).await.unwrap_or(Err(ProbeFailure::Hangs))
    }

    /// The write in flight, or that of the last second, or a new one.
    fn latest(&self, app: &App, request: Duration) -> Latest {
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        let holds = |latest: &&Latest| latest.outcome.peek().is_none() || latest.begin.elapsed() < FRESH;
        if let Some(latest) = latest.as_ref().filter(holds) {
            return latest.clone();
        }
        let app = app.clone();
        let task = tokio::spawn(async move { timeout(request, write(&app)).await });
        let outcome = task.map(|ended| match ended {
            Ok(Ok(Ok(()))) => Ok(()),
            Ok(Ok(Err(error))) => {
                let is_of_disk = matches!(&error, Error::Problem(problem) if problem.is_of_disk());
                Err(ProbeFailure::Failed { error: chain(&error).into(), is_of_disk })
            }
            Ok(Err(_)) => Err(ProbeFailure::Hangs),
            Err(error) => Err(ProbeFailure::Failed { error: error.to_string().into(), is_of_disk: false }),
        });
        latest.insert(Latest { begin: Instant::now(), outcome: outcome.boxed().shared() }).clone()
    }
}

/// Writes the record.
async fn write(app: &App) -> Result<()> {
    let (probes, written_at) = (app.own_store::<Probe>(), app.clock().stamp());
    loop {
        match probes.update(WRITES, ProbePatch::default().written_at(written_at)).await {
            Err(Error::Problem(problem)) if problem.code() == Code::NotFound => {}
            updated => return updated.map(drop),
        }
        // `None`: another server has created the record since.
        if probes.create_if_absent(NewProbe { id: WRITES.to_owned(), written_at }).await?.is_some() {
            return Ok(());
        }
    }
}
