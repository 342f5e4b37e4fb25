//! The log: entries of the audit log, numbered in the order in which they become visible to readers.

mod head;
#[cfg(test)]
mod model;
mod sequencer;
pub(crate) mod table;

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crud_runtime::Result;
use crud_runtime::audit::AuditRecord;
use crud_runtime::descriptor::Descriptor;
use crud_runtime::error::Problem;
use crud_runtime::prelude::*;
use tokio::sync::watch;

use self::head::unpacked;
use self::sequencer::{Sequencer, intervals};
use self::table::{BatchRecord, SubscriberRecord};
use crate::entry::{Entry, EntryKind};

/// Longest wait between two reads of the log: without followers, and with some.
const IDLE: Duration = Duration::from_secs(1);
const FOLLOWED: Duration = Duration::from_millis(100);

/// Bounds of the pause between two numberings while the log has followers. The pause is ten times as long as the last
/// numbering took. Changes in a pause are numbered together.
const APART: Duration = Duration::from_millis(5);
const APART_BUSY: Duration = Duration::from_millis(30);

/// Shortest pause between two numberings without followers. The pause is a hundred times as long as the last numbering
/// took, at most a second. A list may thus get an old number; its client then receives some changes that the list has
/// already.
const APART_IDLE: Duration = Duration::from_millis(200);

/// Limit of the entries that are read at once to find former values of records.
const LATER: usize = 10_000;

/// Number of marks that are kept for lists from replicas: five minutes of lag.
const MARKS: usize = 300;

/// Time after the end of `keep` at which batches are removed.
const MARGIN: TimeDelta = TimeDelta::hours(1);

/// Number of times `keep` for which events are kept for a subscriber in the process that has not taken them.
const FOR_SUBSCRIBERS: i32 = 4;

/// The numbered entries of the audit log.
#[derive(Debug)]
pub(crate) struct Log {
    open: OnceLock<Open>,
    sequencer: Sequencer,
    /// The last number that this process knows; `None` before the first read of the log.
    last: watch::Sender<Option<i64>>,
    /// Number of times that the numbers went back, as another copy of the database was restored.
    epoch: AtomicU64,
    /// The last number at each second of the last minutes.
    marks: Mutex<VecDeque<(Instant, i64)>>,
    /// Number of followers: streams, subscribers in the process, deliveries.
    followers: watch::Sender<usize>,
}

/// The storage and the resources of the finished service.
#[derive(Debug)]
struct Open {
    app: App,
    /// Resources by their names in the log.
    resources: HashMap<&'static str, &'static Descriptor>,
    /// Whether one transaction writes at a time. If so, ids of the log are in the order of commits, and serve as the
    /// numbers.
    has_one_writer: bool,
    /// Time for which events are kept.
    keep: TimeDelta,
}

/// A page of entries after a number.
#[derive(Debug)]
pub(crate) struct EntryPage {
    pub(crate) entries: Vec<Entry>,
    /// The number up to which the log was read. Entries of unknown resources are left out.
    pub(crate) upto: i64,
    /// Whether entries up to there are no longer kept.
    pub(crate) is_cut: bool,
}

/// A follower of the log, until it is dropped.
#[derive(Debug)]
pub(crate) struct Follower(watch::Sender<usize>);

impl Drop for Follower {
    fn drop(&mut self) {
        self.0.send_modify(|followers| *followers -= 1);
    }
}

impl Default for Log {
    fn default() -> Self {
        let (last, followers) = (watch::Sender::new(None), watch::Sender::new(0));
        let (open, sequencer, epoch, marks) = (OnceLock::new(), Sequencer::default(), 0.into(), Mutex::default());
        Self { open, sequencer, last, epoch, marks, followers }
    }
}

impl Log {
    /// Sets the storage and the audited resources of the finished service.
    pub(crate) fn open(&self, app: &App, resources: impl Iterator<Item = &'static Descriptor>, keep: TimeDelta) {
        self.open.get_or_init(|| Open {
            app: app.clone(),
            resources: resources.flat_map(|resource| resource.names().map(move |name| (name, resource))).collect(),
            has_one_writer: app.capabilities().one_writer,
            keep,
        });
    }

    fn opened(&self) -> Result<&Open, Problem> {
        self.open.get().ok_or_else(|| Problem::internal("the log of events is not open: the service is not served"))
    }

    /// The app of the finished service.
    ///
    /// # Errors
    /// `internal` before the service is served.
    pub(crate) fn app(&self) -> Result<&App, Problem> {
        Ok(&self.opened()?.app)
    }

    /// Numbers new entries, reads numbers that other servers have assigned, and returns the last number.
    ///
    /// # Errors
    /// Errors of the database.
    pub(crate) async fn refresh(&self) -> Result<i64, Problem> {
        let Open { app, has_one_writer, .. } = self.opened()?;
        let last = if *has_one_writer {
            let known = self.mark();
            let last = greatest(app).await?;
            if known.is_some_and(|known| last < known) {
                self.begin_epoch(last);
            }
            last
        } else {
            loop {
                let (last, has_more) = self.sequencer.number(app).await?;
                self.know(last);
                if !has_more {
                    break last;
                }
            }
        };
        self.know(last);
        Ok(last)
    }

    /// Begins again at a number: the numbers went back.
    fn begin_epoch(&self, last: i64) {
        tracing::warn!(last, "the log has lost its last entries: readers of events list their records again");
        self.marks.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.epoch.fetch_add(1, Ordering::AcqRel);
        self.last.send_replace(Some(last));
    }

    /// The number of times that the numbers went back. Numbers of an earlier epoch may be of other entries.
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    fn know(&self, last: i64) {
        self.last.send_if_modified(|known| {
            let is_new = known.is_none_or(|known| known < last);
            *known = (*known).max(Some(last));
            is_new
        });
    }

    /// Reads and numbers the log, until it is dropped when the process stops.
    pub(crate) async fn run(&self) {
        let Ok(Open { app, .. }) = self.opened() else { return };
        let (mut changes, mut pruned) = (app.log_changes(), None::<Instant>);
        loop {
            let began = Instant::now();
            if let Err(error) = self.refresh().await {
                tracing::warn!(error = &error as &dyn std::error::Error, "events are late: the log cannot be read");
            }
            let took = began.elapsed();
            if pruned.is_none_or(|last| last.elapsed() > Duration::from_hours(1)) {
                pruned = Some(Instant::now());
                self.prune().await;
            }
            self.note_mark();
            if self.is_followed() {
                tokio::time::sleep((took * 10).clamp(APART, APART_BUSY)).await;
                drop(tokio::time::timeout(FOLLOWED, changes.next()).await);
            } else {
                let next_change = async {
                    tokio::time::sleep((took * 100).clamp(APART_IDLE, IDLE)).await;
                    drop(tokio::time::timeout(IDLE, changes.next()).await);
                };
                self.until_followed(next_change).await;
            }
        }
    }

    /// Waits until the log has a follower, or `other` ends.
    async fn until_followed(&self, other: impl Future<Output = ()>) {
        let mut followers = self.followers.subscribe();
        tokio::select! {
            _ = followers.wait_for(|followers| *followers > 0) => {}
            () = other => {}
        }
    }

    /// Removes batches that are older than events are kept, except for those that a subscriber in the process has not
    /// taken: these are kept [`FOR_SUBSCRIBERS`] times as long.
    async fn prune(&self) {
        let Ok(Open { app, has_one_writer: false, keep, .. }) = self.opened() else { return };
        let older_than = |time: TimeDelta| BatchRecord::FIELDS.at.lt(app.now() - time - MARGIN);
        let pruned = async {
            let taken = SubscriberRecord::least_position(app, *keep * FOR_SUBSCRIBERS).await?;
            let old = match taken {
                Some(taken) => older_than(*keep).and(BatchRecord::FIELDS.last.lte(taken)),
                None => older_than(*keep),
            };
            app.store::<BatchRecord>().delete_where(old.or(older_than(*keep * FOR_SUBSCRIBERS))).await
        };
        if let Err(error) = pruned.await {
            tracing::warn!(%error, "old numbers of events could not be removed");
        }
    }

    /// Adds a follower. While there are followers, the log is read more often.
    pub(crate) fn follow(&self) -> Follower {
        self.followers.send_modify(|followers| *followers += 1);
        Follower(self.followers.clone())
    }

    pub(crate) fn is_followed(&self) -> bool {
        *self.followers.borrow() > 0
    }

    /// The last number that this process knew `age` ago. A list whose records are at most so old has every entry up to
    /// it.
    pub(crate) fn mark_before(&self, age: Duration) -> Option<i64> {
        if age.is_zero() {
            return self.mark();
        }
        let marks = self.marks.lock().unwrap_or_else(PoisonError::into_inner);
        marks.iter().rev().find(|(at, _)| at.elapsed() > age + IDLE).map(|(_, mark)| *mark)
    }

    /// Stores the last number with the time, for lists from replicas.
    fn note_mark(&self) {
        let Some(mark) = self.mark() else { return };
        let mut marks = self.marks.lock().unwrap_or_else(PoisonError::into_inner);
        if marks.back().is_none_or(|(at, _)| at.elapsed() >= IDLE) {
            marks.push_back((Instant::now(), mark));
        }
        while marks.len() > MARKS {
            marks.pop_front();
        }
    }

    /// The last number that this process knows; `None` before the first read of the log. A list that is read after the
    /// call has every entry up to this number.
    pub(crate) fn mark(&self) -> Option<i64> {
        *self.last.borrow()
    }

    /// A receiver that is notified of each new number.
    pub(crate) fn changed(&self) -> watch::Receiver<Option<i64>> {
        self.last.subscribe()
    }

    /// At most `limit` entries after a number, in the order of their numbers. Entries of unknown resources are left
    /// out.
    ///
    /// # Errors
    /// Errors of the database.
    #[allow(dead_code, reason = "webhooks read it")]
    pub(crate) async fn after(&self, seq: i64, limit: u64) -> Result<Vec<Entry>, Problem> {
        Ok(self.page(seq, limit).await?.entries)
    }

    /// The entries of [`after`](Self::after), with the number up to which the log was read.
    ///
    /// # Errors
    /// Errors of the database.
    pub(crate) async fn page(&self, seq: i64, limit: u64) -> Result<EntryPage, Problem> {
        let open = self.opened()?;
        if open.has_one_writer {
            let id = AuditRecord::FIELDS.id;
            let query = Select::from(id.gt(seq)).order_by(id.asc()).limit(limit);
            let found = open.app.store::<AuditRecord>().list(query).await?;
            let upto = found.last().map_or(seq, |record| record.id);
            let is_cut = upto - seq > length(&found);
            let entries = found.into_iter().filter_map(|record| open.entry(record.id, record)).collect();
            return Ok(EntryPage { entries, upto, is_cut });
        }
        let numbered = open.numbered(seq, limit).await?;
        let upto = numbered.last().map_or(seq, |(seq, _)| *seq);
        let ids = numbered.iter().map(|(_, id)| *id);
        let found = open.app.store::<AuditRecord>().list(AuditRecord::FIELDS.id.is_in(ids)).await?;
        let is_cut = upto - seq > length(&found);
        let mut found: HashMap<i64, AuditRecord> = found.into_iter().map(|record| (record.id, record)).collect();
        let of = |(seq, id)| open.entry(seq, found.remove(&id)?);
        Ok(EntryPage { entries: numbered.into_iter().filter_map(of).collect(), upto, is_cut })
    }

    /// The entries of records after one entry of the log and before another one, numbered or not, in the order of the
    /// changes; `None` if they are more than are read.
    ///
    /// # Errors
    /// Errors of the database.
    pub(crate) async fn between(
        &self,
        resource: &'static Descriptor,
        keys: &[String],
        (after, before): (i64, i64),
    ) -> Result<Option<Vec<Entry>>, Problem> {
        let (open, fields) = (self.opened()?, AuditRecord::FIELDS);
        let integers: Option<Vec<i64>> = keys.iter().map(|key| key.parse().ok()).collect();
        let of_key = fields.entity_key.is_in(keys.iter().map(|key| Some(key.clone())));
        let of_keys = match integers {
            Some(ids) => fields.entity_id.is_in(ids.into_iter().map(Some)).or(of_key),
            None => of_key,
        };
        let names: Vec<String> = resource.names().map(str::to_owned).collect();
        let query = fields.entity_type.is_in(names).and(of_keys).and(fields.id.gt(after).and(fields.id.lt(before)));
        let query = query.order_by(fields.id.asc()).limit(LATER as u64 + 1);
        let found = open.app.store::<AuditRecord>().list(query).await?;
        let is_whole = found.len() <= LATER;
        Ok(is_whole.then(|| found.into_iter().filter_map(|record| open.entry(0, record)).collect()))
    }

    /// Whether all entries after a number are kept, and the number is from this database.
    ///
    /// # Errors
    /// Errors of the database.
    pub(crate) async fn has_all_after(&self, seq: i64) -> Result<bool, Problem> {
        let open = self.opened()?;
        let last = match self.mark() {
            Some(last) if seq <= last => last,
            _ => self.refresh().await?,
        };
        if seq < 0 || seq > last {
            return Ok(false);
        }
        if seq == last {
            return Ok(true);
        }
        let first = open.app.now() - open.keep;
        if open.has_one_writer {
            let id = AuditRecord::FIELDS.id;
            let from = Select::from(id.gte(seq)).order_by(id.asc()).limit(2);
            let found = open.app.store::<AuditRecord>().list(from).await?;
            let next = match &*found {
                [last, next] if last.id == seq => Some(next),
                [next, ..] if next.id == seq + 1 => Some(next),
                _ => None,
            };
            // The entry at the number itself has been sent: it may be gone.
            return Ok(next.is_some_and(|next| next.timestamp.is_none_or(|time| time >= first)));
        }
        let fields = BatchRecord::FIELDS;
        let next = Select::from(fields.last.gt(seq)).order_by(fields.last.asc()).limit(1);
        let found = open.app.store::<BatchRecord>().first(next).await?;
        Ok(found.is_some_and(|batch| batch.last - batch.entries <= seq && batch.at >= first))
    }
}

fn length<T>(of: &[T]) -> i64 {
    i64::try_from(of.len()).unwrap_or(i64::MAX)
}

/// The greatest id of the log.
async fn greatest(app: &App) -> Result<i64> {
    let id = AuditRecord::FIELDS.id;
    let newest = app.store::<AuditRecord>().pluck(id, Select::all().order_by(id.desc()).limit(1)).await?;
    Ok(newest.first().copied().unwrap_or(0))
}

impl Open {
    /// The numbers after `seq`, each with the id of its entry in the log.
    async fn numbered(&self, seq: i64, limit: u64) -> Result<Vec<(i64, i64)>, Problem> {
        let (mut found, mut last) = (Vec::new(), seq);
        let most = usize::try_from(limit).unwrap_or(usize::MAX);
        while found.len() < most {
            let of = BatchRecord::FIELDS.last;
            let query = Select::from(of.gt(last)).order_by(of.asc()).limit(50);
            let batches = self.app.store::<BatchRecord>().list(query).await?;
            let Some(end) = batches.last() else { break };
            last = end.last;
            for batch in batches {
                let numbers = batch.last - batch.entries + 1..;
                let ids = intervals(&batch.ids)?;
                found.extend(numbers.zip(unpacked(&ids)).filter(|(number, _)| *number > seq));
            }
        }
        found.truncate(most);
        Ok(found)
    }

    fn entry(&self, seq: i64, record: AuditRecord) -> Option<Entry> {
        let resource = *self.resources.get(&*record.entity_type)?;
        let key = record.entity_key.or_else(|| record.entity_id.map(|id| id.to_string()))?;
        Some(Entry {
            seq,
            log_id: record.id,
            resource,
            key,
            kind: EntryKind::of(&record.action)?,
            changes: record.changes,
            previous: record.previous,
            timestamp: record.timestamp,
            actor: record.actor,
            tenant: record.tenant,
        })
    }
}
