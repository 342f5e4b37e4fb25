//! [`Worker`]: runs the jobs that are due.

use std::any::TypeId;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::FutureExt;
use futures_util::future::join_all;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::job::Job;
use super::queue::free;
use super::record::{JobRecord, JobRecordPatch};
use super::schedule::Schedule;
use crate::model::problem::Code;
use crate::query::Condition;
use crate::storage::error::{Error, Result};
use crate::storage::future::BoxFuture;
use crate::store::app::App;
use crate::store::typed::increment::Increment;
use crate::store::typed::store::Store;

/// Number of jobs that a server runs at a time.
const MAX_RUNNING: usize = 8;

/// Interval at which a server looks for jobs that other servers enqueued, and for those whose time has come.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Time after which no lease ends, unless the time of a job is longer than half of it.
const LONGEST_LEASE: TimeDelta = TimeDelta::days(1);

/// Number of attempts before a job is dead.
const MAX_ATTEMPTS: i32 = 10;

/// Time for running jobs to end when the service stops.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);

/// Time to release the jobs that are cut off after it.
const RELEASE_TIMEOUT: Duration = Duration::from_secs(1);

/// Error of a job whose last attempt neither succeeded nor failed.
const NOT_ENDED: &str = "the last attempt has not ended: its server crashed or was stopped";

/// The longest text that is kept of an error, in characters.
const MAX_ERROR: usize = 2_000;

/// Runs a job; returns the text of its error when it fails.
type Handler = Arc<dyn Fn(serde_json::Value, App) -> BoxFuture<'static, Result<(), String>> + Send + Sync>;

/// A type of jobs that a service runs.
#[derive(Clone)]
struct Registered {
    job: TypeId,
    run: Handler,
}

/// The jobs that a service runs: their types and schedules.
#[derive(Clone, Default)]
pub(crate) struct Jobs {
    handlers: HashMap<&'static str, Registered>,
    /// A kind that two types have.
    ambiguous: Option<&'static str>,
    schedules: Vec<Schedule>,
}

impl fmt::Debug for Jobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = self.handlers.keys();
        f.debug_struct("Jobs").field("kinds", &kinds).field("schedules", &self.schedules).finish_non_exhaustive()
    }
}

impl Jobs {
    /// Whether there is nothing to run.
    pub(crate) fn is_empty(&self) -> bool {
        self.handlers.is_empty() && self.schedules.is_empty()
    }

    /// Adds a type of jobs.
    pub(crate) fn add<J: Job>(&mut self) {
        let run = |payload, app| -> BoxFuture<'static, Result<(), String>> {
            match serde_json::from_value::<J>(payload) {
                Ok(job) => Box::pin(async move { job.run(app).await.map_err(|error| error.to_string()) }),
                Err(error) => Box::pin(std::future::ready(Err(format!("the payload does not fit the job: {error}")))),
            }
        };
        let registered = Registered { job: TypeId::of::<J>(), run: Arc::new(run) };
        for &kind in [J::KIND].iter().chain(J::FORMER_KINDS) {
            let other = self.handlers.insert(kind, registered.clone());
            if other.is_some_and(|other| other.job != registered.job) {
                self.ambiguous = Some(kind);
            }
        }
    }

    /// Adds a schedule, and the type of its job.
    ///
    /// # Errors
    /// [`Error::Setup`] when the pattern is malformed, or the job's fields are not JSON.
    pub(crate) fn schedule<J: Job>(&mut self, pattern: &str, job: &J) -> Result<()> {
        self.add::<J>();
        self.schedules.push(Schedule::new(pattern, job)?);
        Ok(())
    }

    /// Checks that each kind is of one type, and that a pattern schedules one job of a kind.
    ///
    /// # Errors
    /// [`Error::Setup`] for the first violation.
    pub(crate) fn check(&self) -> Result<()> {
        if let Some(kind) = self.ambiguous {
            return Err(Error::Setup(format!("two types of jobs have the kind `{kind}`: `Job::KIND` must differ")));
        }
        let mut known = HashSet::new();
        match self.schedules.iter().map(Schedule::id).find(|id| !known.insert(id.clone())) {
            Some(id) => Err(Error::Setup(format!("the schedule `{id}` is registered twice"))),
            None => Ok(()),
        }
    }
}

/// Runs the jobs of a service.
#[derive(Debug)]
pub(crate) struct Worker {
    app: App,
    jobs: Jobs,
    /// Time limit of a job, which is the lease on it: another server takes it after that.
    timeout: Duration,
    stage: watch::Sender<Stage>,
}

/// The stages of a worker, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Running,
    /// No job is claimed any more.
    Stopping,
    /// Jobs that still run are cut off.
    Over,
}

/// Waits for a stage or a later one; `false` if the worker is dropped before.
async fn reached(mut stages: watch::Receiver<Stage>, stage: Stage) -> bool {
    stages.wait_for(|now| *now >= stage).await.is_ok()
}

/// Waits for the end of all tasks.
async fn all_ended(running: &mut JoinSet<()>) {
    while running.join_next().await.is_some() {}
}

impl Worker {
    pub(crate) fn new(app: App, jobs: Jobs, timeout: Duration) -> Self {
        Self { app, jobs, timeout, stage: watch::Sender::new(Stage::Running) }
    }

    /// Runs jobs until `stop` resolves, then waits a while for those that run. One that has not ended then is released
    /// to other servers.
    pub(crate) async fn run(self, stop: impl Future<Output = ()>) {
        let queues = self.app.each_shard();
        let mut running: Vec<JoinSet<()>> = queues.iter().map(|_| JoinSet::new()).collect();
        let stop = async {
            stop.await;
            self.stage.send_replace(Stage::Stopping);
            sleep(STOP_TIMEOUT).await;
        };
        let work = async {
            self.work(&queues, &mut running).await;
            join_all(running.iter_mut().map(all_ended)).await;
        };
        tokio::select! {
            () = work => return,
            () = stop => {}
        }
        self.stage.send_replace(Stage::Over);
        let _ = timeout(RELEASE_TIMEOUT, join_all(running.iter_mut().map(all_ended))).await;
    }

    /// Runs the jobs of the queue, or of each shard's queue, until the stop: a shard that does not answer does not stop
    /// the others. A claim is not dropped at the stop: nothing would run its job until the end of the lease.
    async fn work(&self, queues: &[App], running: &mut [JoinSet<()>]) {
        if let ([queue], [running]) = (queues, &mut *running) {
            while !self.is_stopping() {
                self.run_schedules().await;
                self.run_queue(queue, running, MAX_RUNNING, self.app.job_signal().notified()).await;
            }
            return;
        }
        let (limit, (signal, _)) = ((MAX_RUNNING / queues.len()).max(1), watch::channel(()));
        let each = queues.iter().zip(running).map(async |(queue, running)| {
            let mut signalled = signal.subscribe();
            while !self.is_stopping() {
                let signalled = signalled.changed().map(drop);
                self.run_queue(queue, running, limit, signalled).await;
            }
        });
        let schedules = async {
            while !self.is_stopping() {
                self.run_schedules().await;
                // A job may be in any shard.
                let _ = timeout(POLL_INTERVAL, self.app.job_signal().notified()).await;
                signal.send_replace(());
            }
        };
        tokio::join!(join_all(each), schedules);
    }

    fn is_stopping(&self) -> bool {
        *self.stage.borrow() != Stage::Running
    }

    /// Enqueues the due jobs of the schedules.
    async fn run_schedules(&self) {
        for schedule in &self.jobs.schedules {
            let run = schedule.run(&self.app, self.app.now()).await;
            run.unwrap_or_else(|error| tracing::error!(?error, kind = schedule.kind, "a schedule failed"));
        }
    }

    /// Starts the due jobs of a queue, and waits for a signal, the next poll, or the end of a job.
    async fn run_queue(
        &self,
        queue: &App,
        running: &mut JoinSet<()>,
        limit: usize,
        signalled: impl Future<Output = ()>,
    ) {
        let claimed = self.claim(queue, limit.saturating_sub(running.len())).await;
        for job in claimed.unwrap_or_else(|error| {
            tracing::error!(?error, "jobs cannot be read");
            Vec::new()
        }) {
            running.spawn(self.execution(queue, job));
        }
        tokio::select! {
            _ = reached(self.stage.subscribe(), Stage::Stopping) => {}
            () = signalled => {}
            () = sleep(POLL_INTERVAL) => {}
            Some(_) = running.join_next(), if !running.is_empty() => {}
        }
    }

    /// Enqueues the due jobs of the schedules, and runs every due job, one after the other.
    ///
    /// # Errors
    /// When the jobs cannot be read.
    #[cfg(feature = "testing")]
    pub(crate) async fn run_due(&self) -> Result<usize> {
        for schedule in &self.jobs.schedules {
            schedule.run(&self.app, self.app.now()).await?;
        }
        let mut count = 0;
        for queue in self.app.each_shard() {
            while let Some(job) = self.claim(&queue, 1).await?.pop() {
                self.execution(&queue, job).await;
                count += 1;
            }
        }
        Ok(count)
    }

    /// Runs a job of a queue.
    fn execution(&self, queue: &App, job: JobRecord) -> impl Future<Output = ()> + Send + use<> {
        execute(
            self.app.clone(),
            queue.clone(),
            self.jobs.handlers.get(&*job.kind).map(|registered| registered.run.clone()),
            (self.timeout, self.stage.subscribe()),
            job,
        )
    }

    /// Takes due jobs of a queue, up to a limit.
    async fn claim(&self, queue: &App, limit: usize) -> Result<Vec<JobRecord>> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        let fields = JobRecord::FIELDS;
        let (jobs, now) = (queue.store::<JobRecord>(), self.app.now());
        let kinds = self.jobs.handlers.keys().copied();
        // A lease that ends later is of a server whose clock was ahead.
        let longest = LONGEST_LEASE.max(TimeDelta::from_std(self.timeout).unwrap_or_default() * 2);
        let is_free = free(now).or(fields.leased_until.gt(now + longest));
        let due = fields.dead.eq(false).and(fields.run_at.lte(now)).and(is_free);
        let of_kinds = due.clone().and(fields.kind.is_in(kinds));
        let mut claimed = Vec::new();
        for job in jobs.list(of_kinds.order_by(fields.run_at.asc()).limit(limit as u64)).await? {
            // The jobs that are leased already run all the same.
            match self.lease(&jobs, &job, due.clone(), now).await {
                Ok(leased) => claimed.extend(leased),
                Err(error) => tracing::error!(?error, id = job.id, kind = job.kind, "a job cannot be taken"),
            }
        }
        Ok(claimed)
    }

    /// Leases a job that is still due. One whose last attempt has not ended is dead: it may end its process each time.
    async fn lease(
        &self,
        jobs: &Store<JobRecord>,
        job: &JobRecord,
        due: Condition<JobRecord>,
        now: DateTime<Utc>,
    ) -> Result<Option<JobRecord>> {
        let is_spent = job.attempts >= MAX_ATTEMPTS;
        let patch = if is_spent {
            JobRecordPatch::default().dead(true).last_error(NOT_ENDED.to_owned())
        } else {
            let until = now + TimeDelta::from_std(self.timeout).unwrap_or_default();
            JobRecordPatch::default().leased_until(until).add(JobRecord::FIELDS.attempts, 1)
        };
        match jobs.update_if(job.id, due, patch).await {
            Ok(Some(_)) if is_spent => {
                tracing::warn!(
                    id = job.id,
                    kind = job.kind,
                    attempt = job.attempts,
                    dead = true,
                    error = NOT_ENDED,
                    "a job failed"
                );
                Ok(None)
            }
            Ok(leased) => Ok(leased),
            // The job is done: another server ran it.
            Err(Error::Problem(problem)) if problem.code() == Code::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Runs a job and removes it from its queue, or leaves it for another attempt.
async fn execute(
    app: App,
    queue: App,
    handler: Option<Handler>,
    (limit, stages): (Duration, watch::Receiver<Stage>),
    job: JobRecord,
) {
    let Some(handler) = handler else { return };
    // The handler is called in the future: reading the payload may panic too.
    let run = AssertUnwindSafe(async { handler(job.payload, app.clone()).await }).catch_unwind();
    let jobs = queue.store::<JobRecord>();
    // Another server has begun the next attempt where this one took longer than its lease.
    let same = JobRecord::FIELDS.attempts.eq(job.attempts);
    let ended = tokio::select! {
        ended = timeout(limit, run) => ended,
        true = reached(stages, Stage::Over) => {
            // The attempt does not count: many servers that stop one after another would make the job dead.
            let patch = JobRecordPatch::default().leased_until(None::<DateTime<Utc>>).attempts(job.attempts - 1);
            let released = jobs.update_if(job.id, same, patch).await;
            released.map_or_else(|error| tracing::warn!(?error, id = job.id, "a job was not released"), drop);
            return;
        }
    };
    let error = match ended {
        Ok(Ok(Ok(()))) => None,
        Ok(Ok(Err(error))) => Some(error),
        Ok(Err(_)) => Some("the job panicked".to_owned()),
        Err(_) => Some(format!("the job took longer than {} s", limit.as_secs())),
    };
    let ended = match error {
        None => jobs.delete_permanently(job.id).await.map(drop),
        Some(error) => {
            let dead = job.attempts >= MAX_ATTEMPTS;
            tracing::warn!(id = job.id, kind = job.kind, attempt = job.attempts, dead, error, "a job failed");
            let text: String = error.chars().filter(|c| *c != '\0').take(MAX_ERROR).collect();
            let patch = JobRecordPatch::default().last_error(text).dead(dead).leased_until(None::<DateTime<Utc>>);
            jobs.update_if(job.id, same, patch.run_at(app.now() + back_off(job.attempts))).await.map(drop)
        }
    };
    ended.unwrap_or_else(|error| tracing::error!(?error, id = job.id, "a job's end cannot be written: it runs again"));
}

/// The wait before the next attempt: 1, 4, 9, 16 seconds and so on.
fn back_off(attempts: i32) -> TimeDelta {
    TimeDelta::seconds(i64::from(attempts).pow(2))
}
