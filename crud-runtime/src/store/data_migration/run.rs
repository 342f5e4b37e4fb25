//! The batches of a data migration.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crud_core::retry;
use tokio::time::sleep;

use super::definition::DataMigration;
use super::progress::{MigrationProgress, ProgressRecord, ProgressRecordPatch};
use super::work::{Batch, Work};
use crate::model::adapter_error::AdapterError;
use crate::model::key::Key;
use crate::model::problem::chain;
use crate::query::Predicate;
use crate::storage::adapter::Adapter;
use crate::storage::back_off;
use crate::storage::error::Error;
use crate::storage::migrate_error::MigrateError;
use crate::storage::migrations::{Direction, MigrationFile};
use crate::store::app::App;
use crate::store::transaction::Tx;
use crate::store::transaction::shared::{End, SharedTransaction};

/// Pause between two batches where other writers wait for each: longer than the interval in which `SQLite` polls for its
/// lock at first.
const ONE_WRITER_PAUSE: Duration = Duration::from_millis(25);

/// Time within which a batch is tried again after conflicts with other transactions.
const PATIENCE: Duration = Duration::from_mins(1);

/// Interval between two reports.
const REPORT_INTERVAL: Duration = Duration::from_secs(2);

/// Receives the name of a data migration, its progress and the records per second, every two seconds and at the end.
pub(crate) type Report = fn(&str, &MigrationProgress, u64);

impl DataMigration {
    /// Runs the remaining batches.
    ///
    /// # Errors
    /// [`MigrateError::Failed`] with the key and the reason; [`MigrateError::Interrupted`] while another process runs it in
    /// the other direction.
    pub(crate) async fn run(
        &self,
        app: &App,
        file: &MigrationFile,
        direction: Direction,
        report: Report,
    ) -> Result<(), MigrateError> {
        let failed = |reason| MigrateError::Failed { name: file.name.clone(), reason };
        let work = self.work(direction).ok_or_else(|| failed(format!("`{}` has no way back", self.name())))?;
        if let Some(resource) = work.resource().filter(|resource| resource.soft_delete.is_some()) {
            let name = resource.name;
            let reason = format!(
                "{name} has `soft_delete`, so that its store does not change deleted records: give the migration a struct \
                 without it"
            );
            return Err(failed(reason));
        }
        let app = app.of_migration(self.audited);
        let default = if app.adapter().capabilities().one_writer { ONE_WRITER_PAUSE } else { Duration::ZERO };
        let pause = self.pause.unwrap_or(default);
        let run = Run { app, id: file.version.to_string(), work, direction, size: self.batch_size };
        let (start, mut reported) = (Instant::now(), Instant::now());
        let mut done = 0;
        loop {
            let batch = run.batch().await.map_err(|stop| match stop {
                Stop::Failed(reason) => failed(reason),
                Stop::Interrupted => MigrateError::Interrupted(file.name.clone()),
            })?;
            done += u64::from(batch.records);
            if batch.is_last || reported.elapsed() >= REPORT_INTERVAL {
                let milliseconds = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX).max(1);
                report(self.name(), &batch.progress, done.saturating_mul(1_000) / milliseconds);
                reported = Instant::now();
            }
            if batch.is_last {
                return Ok(());
            }
            sleep(pause).await;
        }
    }
}

/// A run of a data migration.
struct Run<'a> {
    app: App,
    /// The version.
    id: String,
    work: &'a Work,
    direction: Direction,
    size: u32,
}

/// A batch that is committed.
struct Batched {
    /// Number of the batch's records.
    records: u32,
    progress: MigrationProgress,
    is_last: bool,
}

/// Reason why a run stops.
enum Stop {
    Failed(String),
    /// The migration runs in the other direction.
    Interrupted,
}

impl Run<'_> {
    /// Runs the next batch; again, after a conflict with another transaction.
    async fn batch(&self) -> Result<Batched, Stop> {
        let batch = async {
            retry!(
                async {
                    let transaction = self.app.start_transaction().await?;
                    let result = self.within(&transaction).await;
                    let ended = match &result {
                        Ok(_) => transaction.commit().await,
                        // This error says more than that of the rollback would.
                        Err(_) => {
                            drop(transaction.roll_back().await);
                            Ok(())
                        }
                    };
                    Ok::<_, Stop>((transaction.end().await, (ended, result)))
                },
                End::is_conflict
            )
        };
        match back_off::until(Instant::now() + PATIENCE, batch).await? {
            (Some(End::TimedOut), _) => {
                let reason = "a batch took too long, and was rolled back: make it smaller by `batch_size`";
                Err(Stop::Failed(reason.to_owned()))
            }
            (_, (ended, result)) => {
                ended?;
                result
            }
        }
    }

    async fn within(&self, transaction: &Arc<SharedTransaction>) -> Result<Batched, Stop> {
        let tx = Tx::joined(&self.app, transaction.clone());
        let records = tx.store::<ProgressRecord>();
        let record = records.lock(self.id.as_str()).await?;
        if !record.is_of(self.direction) {
            return Err(Stop::Interrupted);
        }
        if record.finished {
            return Ok(Batched { records: 0, progress: record.progress(), is_last: true });
        }
        let mut patch = ProgressRecordPatch::default();
        if let (None, Some(resource)) = (record.total, self.work.resource()) {
            let total = transaction.count(resource, &Predicate::All).await?;
            patch = patch.total(i64::try_from(total).unwrap_or(i64::MAX));
        }
        let after = match (&record.last_key, self.work.resource()) {
            (Some(key), Some(resource)) => {
                let parsed = Key::parse_stored(resource, key);
                Some(parsed.map_err(|error| Stop::Failed(format!("the last key `{key}`: {error}")))?)
            }
            _ => None,
        };
        let batch = Batch { app: self.app.clone(), transaction: transaction.clone(), after, size: self.size };
        let worked = self.work.run(batch).await.map_err(Stop::Failed)?;
        let is_last = worked.records < self.size;
        if let Some(key) = worked.last {
            patch = patch.last_key(key.to_string());
        }
        patch = patch.done(record.done + i64::from(worked.records)).finished(is_last);
        let record = records.update(self.id.as_str(), patch).await?;
        Ok(Batched { records: worked.records, progress: record.progress(), is_last })
    }
}

impl From<AdapterError> for Stop {
    fn from(error: AdapterError) -> Self {
        Self::Failed(chain(&error))
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(chain(&error))
    }
}
