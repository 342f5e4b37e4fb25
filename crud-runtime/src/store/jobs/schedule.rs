//! [`Schedule`]: jobs at the times of a cron pattern.

use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use croner::Cron;

use super::job::{Job, NewJob};
use crate::Resource;
use crate::storage::error::{Error, Result};
use crate::store::app::App;

/// Difference of two servers' clocks from which one of them is wrong.
const SKEW: TimeDelta = TimeDelta::minutes(5);

/// The time of a schedule's last job, in the table `crud_schedules`.
#[derive(Debug, Clone, Resource)]
#[crud(table("crud_schedules", new), prefix = "/_service/schedules")]
pub(crate) struct ScheduleRecord {
    /// The schedule's pattern and the kind of its jobs.
    #[crud(length(max = 255))]
    id: String,
    last_run: DateTime<Utc>,
}

/// Enqueues a job at the times of a cron pattern, in UTC.
#[derive(Debug, Clone)]
pub(crate) struct Schedule {
    pattern: String,
    cron: Cron,
    pub(super) kind: &'static str,
    payload: serde_json::Value,
    /// The last time for which this process has enqueued a job.
    own: Arc<Mutex<Option<DateTime<Utc>>>>,
}

impl Schedule {
    /// The schedule of a pattern of five fields: minute, hour, day of the month, month, day of the week.
    ///
    /// # Errors
    /// [`Error::Setup`] when the pattern is malformed, or the job's fields are not JSON.
    pub(crate) fn new<J: Job>(pattern: &str, job: &J) -> Result<Self> {
        Self::of(pattern, J::KIND, serde_json::to_value(job))
    }

    fn of(pattern: &str, kind: &'static str, payload: serde_json::Result<serde_json::Value>) -> Result<Self> {
        let invalid = |error: &dyn fmt::Display| Error::Setup(format!("the schedule `{pattern}` of {kind}: {error}"));
        let cron = Cron::from_str(pattern).map_err(|error| invalid(&error))?;
        let payload = payload.map_err(|error| invalid(&error))?;
        Ok(Self { pattern: pattern.to_owned(), cron, kind, payload, own: Arc::default() })
    }

    /// The key of the schedule's record.
    pub(super) fn id(&self) -> String {
        format!("{} {}", self.pattern, self.kind)
    }

    /// Enqueues a job if a time of the pattern has passed since the last one; whichever server comes first does.
    pub(super) async fn run(&self, app: &App, now: DateTime<Utc>) -> Result<()> {
        let records = app.store::<ScheduleRecord>();
        let id = self.id();
        let Some(record) = records.find(id.as_str()).await? else {
            // Times before the schedule was first seen are skipped.
            return records.create_if_absent(NewScheduleRecord { id, last_run: now }).await.map(drop);
        };
        let Some(time) = self.latest(self.last(record.last_run, now), now) else { return Ok(()) };
        let is_claimed = app.transaction(async |tx| {
            let claim = ScheduleRecordPatch::default().last_run(time);
            let unclaimed = ScheduleRecord::FIELDS.last_run.eq(record.last_run);
            let is_claimed = tx.store::<ScheduleRecord>().update_if(id.as_str(), unclaimed, claim).await?.is_some();
            if is_claimed {
                tx.enqueue(NewJob::new(self.kind, Ok(self.payload.clone()))).await?;
            }
            Ok::<_, Error>(is_claimed)
        });
        if is_claimed.await? {
            *self.own() = Some(time);
        }
        Ok(())
    }

    fn own(&self) -> MutexGuard<'_, Option<DateTime<Utc>>> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The time of the last job. A stored time in the future is of a server whose clock is ahead: the times of the
    /// pattern since this process has first seen that count then.
    fn last(&self, stored: DateTime<Utc>, now: DateTime<Utc>) -> DateTime<Utc> {
        let mut own = self.own();
        if stored > now + SKEW { *own.get_or_insert(now) } else { own.map_or(stored, |own| own.max(stored)) }
    }

    /// The latest time of the pattern after `last` and not after `now`: what a service missed is run once.
    fn latest(&self, last: DateTime<Utc>, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        self.cron.find_previous_occurrence(&now, true).ok().filter(|time| *time > last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pattern: &str) -> Result<Schedule> {
        Schedule::of(pattern, "purge", Ok(serde_json::Value::Null))
    }

    fn time(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn times_that_were_missed_are_one() {
        let nightly = of("0 3 * * *").unwrap();
        let (last, now) = (time("2026-11-20T03:00:00Z"), time("2026-11-22T12:00:00Z"));
        assert_eq!(nightly.latest(last, now), Some(time("2026-11-22T03:00:00Z")));
        assert_eq!(nightly.latest(time("2026-11-22T03:00:00Z"), now), None);
        assert_eq!(nightly.latest(last, time("2026-11-21T03:00:00Z")), Some(time("2026-11-21T03:00:00Z")));
        assert_eq!(nightly.latest(last, time("2026-11-21T02:59:59Z")), None);
    }

    #[test]
    fn pattern_that_is_none_is_refused() {
        for pattern in ["", "0 3 * *", "61 3 * * *", "every night"] {
            assert!(of(pattern).is_err(), "{pattern}");
        }
    }
}
