//! [`Sequencer`]: numbers the entries of the log after their commits.
//!
//! A database with several writers takes an entry's id before the transaction commits. A reader that remembers the last
//! id would skip an entry that commits late. So entries get a second number, once they are committed: one transaction
//! locks the head, finds the committed entries without a number, and numbers them in the order of their ids. A late
//! entry gets a later number. Entries of one record keep their order: the second change waits for the first one's row
//! lock, and takes its id after that.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crud_runtime::Result;
use crud_runtime::audit::AuditRecord;
use crud_runtime::error::Problem;
use crud_runtime::prelude::*;
use crud_runtime::query::Condition;
use serde_json::json;

use super::head::{Head, Interval, packed, unpacked};
use super::table::{BatchRecord, HEAD, HeadRecord, HeadRecordPatch, NewBatchRecord, NewHeadRecord};

/// Limit of entries that are numbered at once.
const MOST: u64 = 1_000;

/// Number of intervals, the newest ones, that each check reads.
const NEWEST: usize = 32;

/// Time between two checks of all intervals.
const WIDE: Duration = Duration::from_secs(5);

/// The time for which a process watches an interval: longer than any transaction of a service. It is measured by the
/// monotonic clock, so that a step of the system's clock does not end a watch.
const WATCHED: Duration = Duration::from_hours(1);

/// Watch time in a database that skips many ids, such as a cluster whose nodes take ids from separate ranges.
const WATCHED_OF_MANY: Duration = Duration::from_mins(2);

/// Number of intervals from which `WATCHED_OF_MANY` applies.
const MANY: usize = 128;

/// Number of ids before the greatest one that the first numbering includes, for transactions that are still open.
const OPEN_AT_FIRST: i64 = 1_000;

/// Numbers the entries of the log.
#[derive(Debug, Default)]
pub(crate) struct Sequencer {
    watch: Mutex<Watch>,
}

/// The intervals that this process watches, and the time of the last check of all intervals.
#[derive(Debug, Default)]
struct Watch {
    since: HashMap<Interval, Instant>,
    wide: Option<Instant>,
}

impl Sequencer {
    /// Numbers committed entries without a number. Returns the last number, and whether there may be more entries.
    ///
    /// # Errors
    /// Errors of the database.
    pub(crate) async fn number(&self, app: &App) -> Result<(i64, bool)> {
        let head = match app.store::<HeadRecord>().find(HEAD).await? {
            Some(head) => head,
            None => begin(app).await?,
        };
        let most = self.intervals(Instant::now());
        if !any_unnumbered(app, &read(&head)?, most).await? {
            if most == usize::MAX {
                self.end_watch(app, &read(&head)?).await?;
            }
            return Ok((head.last, false));
        }
        let now = app.now();
        app.transaction(async |tx: &mut Tx<'_>| number_in(tx, now).await).await
    }

    /// Number of intervals that the next check reads.
    fn intervals(&self, now: Instant) -> usize {
        let mut watch = self.watch.lock().unwrap_or_else(PoisonError::into_inner);
        if watch.wide.is_some_and(|last| now.duration_since(last) < WIDE) {
            return NEWEST;
        }
        watch.wide = Some(now);
        usize::MAX
    }

    /// Stops watching intervals that this process has watched for long enough, after a check that found nothing.
    async fn end_watch(&self, app: &App, head: &Head) -> Result<()> {
        let over = self.over(head, Instant::now());
        if over.is_empty() {
            return Ok(());
        }
        app.transaction(async |tx: &mut Tx<'_>| {
            let heads = tx.store::<HeadRecord>();
            let mut head = read(&heads.lock(HEAD).await?)?;
            if head.close(|interval| over.contains(&interval)) {
                heads.update(HEAD, HeadRecordPatch::default().open(json!(head.open))).await?;
            }
            Ok::<_, crud_runtime::Error>(())
        })
        .await
    }

    fn over(&self, head: &Head, now: Instant) -> HashSet<Interval> {
        let mut watch = self.watch.lock().unwrap_or_else(PoisonError::into_inner);
        watch.since.retain(|interval, _| head.open.contains(interval));
        let time = if head.open.len() < MANY { WATCHED } else { WATCHED_OF_MANY };
        let mut over = HashSet::new();
        for interval in &head.open {
            let since = *watch.since.entry(*interval).or_insert(now);
            if now.duration_since(since) > time {
                over.insert(*interval);
            }
        }
        over
    }
}

/// Creates the head in a database that has none.
async fn begin(app: &App) -> Result<HeadRecord> {
    let fields = AuditRecord::FIELDS;
    let newest = app.store::<AuditRecord>().pluck(fields.id, Select::all().order_by(fields.id.desc()).limit(1)).await?;
    let high = (newest.first().copied().unwrap_or(0) - OPEN_AT_FIRST).max(0);
    let new = NewHeadRecord { id: HEAD.to_owned(), last: 0, high, open: json!([]) };
    match app.store::<HeadRecord>().create_if_absent(new).await? {
        Some(made) => Ok(made),
        None => app.store::<HeadRecord>().get(HEAD).await,
    }
}

/// Whether a committed entry may have no number. The check is cheap and takes no lock.
async fn any_unnumbered(app: &App, head: &Head, most: usize) -> Result<bool> {
    let fields = AuditRecord::FIELDS;
    let (above, within) = conditions(head, most);
    let one = |condition| Select::from(condition).limit(1);
    if !app.store::<AuditRecord>().pluck(fields.id, one(above)).await?.is_empty() {
        return Ok(true);
    }
    let Some(within) = within else { return Ok(false) };
    // Without a limit: an interval that was merged has numbered ids, which would fill it.
    let found = app.store::<AuditRecord>().pluck(fields.id, within).await?;
    Ok(!without_numbered(&app.store::<BatchRecord>(), found).await?.is_empty())
}

/// Numbers entries in a transaction that locks the head. It reads every watched interval: a late entry must be numbered
/// before the next one of the same record.
async fn number_in(tx: &Tx<'_>, now: DateTime<Utc>) -> Result<(i64, bool)> {
    let (heads, fields) = (tx.store::<HeadRecord>(), AuditRecord::FIELDS);
    let mut head = read(&heads.lock(HEAD).await?)?;
    let (above, within) = conditions(&head, usize::MAX);
    let ascending = |condition| Select::from(condition).order_by(fields.id.asc());
    let log = tx.store::<AuditRecord>();
    let newer = log.pluck(fields.id, ascending(above).limit(MOST)).await?;
    let is_full = newer.len() as u64 == MOST;
    let late = match within {
        Some(within) => {
            without_numbered(&tx.store::<BatchRecord>(), log.pluck(fields.id, ascending(within)).await?).await?
        }
        None => Vec::new(),
    };
    let ids: Vec<i64> = late.into_iter().chain(newer).collect();
    let (Some(low), Some(high)) = (ids.first().copied(), ids.iter().max().copied()) else {
        return Ok((head.last, false));
    };
    head.number(&ids);
    let patch = HeadRecordPatch::default().last(head.last).high(head.high).open(json!(head.open));
    heads.update(HEAD, patch).await?;
    let entries = i64::try_from(ids.len()).unwrap_or(i64::MAX);
    let batch = NewBatchRecord { last: head.last, entries, high, low, ids: json!(packed(&ids)), at: now };
    tx.store::<BatchRecord>().create(batch).await?;
    Ok((head.last, is_full))
}

/// The conditions on entries without a number: above the greatest numbered id, and in the newest watched intervals.
fn conditions(head: &Head, most: usize) -> (Condition<AuditRecord>, Option<Condition<AuditRecord>>) {
    let id = AuditRecord::FIELDS.id;
    let is_in = |interval: &Interval| id.gte(interval.0).and(id.lte(interval.1));
    (id.gt(head.high), head.watched(most).iter().map(is_in).reduce(Condition::or))
}

/// The ids that are in no batch.
async fn without_numbered(batches: &Store<BatchRecord>, ids: Vec<i64>) -> Result<Vec<i64>> {
    let (Some(low), Some(high)) = (ids.iter().min().copied(), ids.iter().max().copied()) else { return Ok(ids) };
    let fields = BatchRecord::FIELDS;
    let overlapping = batches.pluck(fields.ids, Select::from(fields.high.gte(low).and(fields.low.lte(high)))).await?;
    let mut numbered = HashSet::new();
    for ids in overlapping {
        numbered.extend(unpacked(&intervals(&ids)?));
    }
    Ok(ids.into_iter().filter(|id| !numbered.contains(id)).collect())
}

fn read(head: &HeadRecord) -> Result<Head> {
    Ok(Head { last: head.last, high: head.high, open: intervals(&head.open)? })
}

/// The intervals in a JSON column.
pub(super) fn intervals(json: &serde_json::Value) -> Result<Vec<Interval>> {
    Ok(serde_json::from_value(json.clone()).map_err(Problem::internal)?)
}
