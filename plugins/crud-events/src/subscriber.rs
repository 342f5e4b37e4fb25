//! Subscribers in the process: code of the program that is called with each event.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crud_runtime::adapter::BoxFuture;
use crud_runtime::prelude::*;
use crud_runtime::{BoxError, Error, Result, StoredRecord};
use serde_json::{Map, Value as Json};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::core::Core;
use crate::entry::{Entry, EntryKind};
use crate::event::{Event, key_json, word};
use crate::lease::latest_end;
use crate::log::table::{NewSubscriberRecord, SubscriberRecord, SubscriberRecordPatch};
use crate::view::Snapshot;

/// Number of entries that are read at once.
const MOST: u64 = 100;

/// Length of a server's lease on a subscriber, and the time after which a call that goes on renews it.
const LEASE: TimeDelta = TimeDelta::seconds(30);
const RENEWAL: Duration = Duration::from_secs(5);

/// Longest name of a subscriber, in characters.
const LONGEST_NAME: usize = 100;

/// The first and the longest delay before a failed event is retried.
const AGAIN: Duration = Duration::from_secs(1);
const AGAIN_AT_MOST: Duration = Duration::from_mins(1);

type Call = Arc<dyn Fn(Event, App) -> BoxFuture<'static, Result<(), BoxError>> + Send + Sync>;

/// Code of the program that is called with each event.
#[derive(Clone)]
pub(crate) struct Subscriber {
    name: String,
    call: Call,
    /// The name of this server.
    holder: String,
}

impl fmt::Debug for Subscriber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscriber").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Subscriber {
    pub(crate) fn new(name: String, call: Call) -> Self {
        Self { name, call, holder: Uuid::new_v4().to_string() }
    }

    /// Checks that each subscriber has a name by which the database keeps its place.
    ///
    /// # Errors
    /// [`Error::Setup`] for a name that is too long, and for one that another subscriber has.
    pub(crate) fn check_names(all: &[Self]) -> Result<()> {
        for (index, Self { name, .. }) in all.iter().enumerate() {
            let refuse = |reason: &str| Err(Error::Setup(format!("`on_event({name:?}, …)`: {reason}")));
            if name.is_empty() || name.chars().count() > LONGEST_NAME {
                return refuse(&format!("expected a name of 1 to {LONGEST_NAME} characters"));
            }
            if all[..index].iter().any(|other| other.name == *name) {
                return refuse("another function has this name, by which the database keeps its place");
            }
        }
        Ok(())
    }

    /// Calls the subscriber for each new event, until it is dropped when the process stops.
    pub(crate) async fn run(&self, core: &Core) {
        let (mut changed, _follower, mut again) = (core.log.changed(), core.log.follow(), AGAIN);
        loop {
            match self.catch_up(core).await {
                Ok(()) => {
                    again = AGAIN;
                    // Retried after a while even without changes: another server may have the lease, and stop.
                    drop(tokio::time::timeout(Duration::from_secs(10), changed.changed()).await);
                }
                Err(error) => {
                    tracing::warn!(subscriber = self.name, %error, "an event is tried again");
                    tokio::time::sleep(again).await;
                    again = (again * 2).min(AGAIN_AT_MOST);
                }
            }
        }
    }

    /// Calls the subscriber for each event since its last one.
    ///
    /// # Errors
    /// The subscriber's own error, for an event that it refuses; errors of the database.
    pub(crate) async fn catch_up(&self, core: &Core) -> Result<(), BoxError> {
        let app = core.log.app()?;
        while let Some(row) = self.held(core, app).await? {
            let page = core.log.page(row.position, MOST).await?;
            if page.upto == row.position {
                return Ok(());
            }
            let (upto, entries) = (page.upto, page.entries);
            if page.is_cut {
                tracing::error!(
                    subscriber = self.name,
                    after = row.position,
                    upto,
                    "the log no longer has some events that a subscriber has not taken: it misses them"
                );
            }
            for entry in entries {
                let number = entry.seq;
                if let Some(event) = event(core, app, entry).await? {
                    self.called(event, app).await?;
                }
                if !self.moved(app, number).await? {
                    return Ok(());
                }
            }
            self.moved(app, upto).await?;
        }
        Ok(())
    }

    /// Takes or renews the lease, and returns the subscriber's row; `None` while another server has the lease.
    async fn held(&self, core: &Core, app: &App) -> Result<Option<SubscriberRecord>> {
        let (rows, fields, now) = (app.store::<SubscriberRecord>(), SubscriberRecord::FIELDS, app.now());
        if rows.find(&*self.name).await?.is_none() {
            let position = core.log.refresh().await?;
            let (id, holder) = (self.name.clone(), self.holder.clone());
            rows.create_if_absent(NewSubscriberRecord { id, position, holder, held_until: now }).await?;
        }
        let is_free = fields.held_until.lte(now).or(fields.held_until.gt(latest_end(now, LEASE)));
        let is_free = is_free.or(fields.holder.eq(&*self.holder));
        let patch = SubscriberRecordPatch::default().holder(self.holder.clone()).held_until(now + LEASE);
        rows.update_if(&*self.name, is_free, patch).await
    }

    /// Calls the function, and renews the lease meanwhile. The call is its own task: it may have a transaction open.
    ///
    /// # Errors
    /// The function's own error; a panic; the loss of the lease, after which another server makes the call.
    async fn called(&self, event: Event, app: &App) -> Result<(), BoxError> {
        let (call, of_call) = (self.call.clone(), app.clone());
        let mut calls = JoinSet::new();
        calls.spawn(async move { call(event, of_call).await });
        loop {
            match timeout(RENEWAL, calls.join_next()).await {
                Ok(Some(ended)) => return ended?,
                Ok(None) => return Ok(()),
                // A renewal that fails is repeated.
                Err(_) => {
                    if let Ok(false) = self.write(app, SubscriberRecordPatch::default()).await {
                        return Err("another server calls the subscriber now".into());
                    }
                }
            }
        }
    }

    /// Stores the number of the last handled event, and renews the lease; `false` if another server has it.
    async fn moved(&self, app: &App, position: i64) -> Result<bool> {
        self.write(app, SubscriberRecordPatch::default().position(position)).await
    }

    /// Changes the subscriber's row, and renews the lease; `false` if another server has it.
    async fn write(&self, app: &App, patch: SubscriberRecordPatch) -> Result<bool> {
        let is_own = SubscriberRecord::FIELDS.holder.eq(&*self.holder);
        let patch = patch.held_until(app.now() + LEASE);
        Ok(app.store::<SubscriberRecord>().update_if(&*self.name, is_own, patch).await?.is_some())
    }
}

/// The event of an entry, with every field of the record that answers may show; `None` for changed links.
async fn event(core: &Core, app: &App, entry: Entry) -> Result<Option<Event>> {
    let (seq, resource, key) = (entry.seq, entry.resource, entry.key.clone());
    let snapshot = Snapshot::new(vec![entry.clone()], seq);
    let changed = core.views.changed(&snapshot, resource).await?;
    let now = changed.first().and_then(|changed| changed.now).filter(|record| !is_deleted(record));
    let record = now.map_or(Json::Null, json);
    let of_change = |word_of_change: &str| format!("{}.{word_of_change}", word(resource));
    let (kind, data, own) = match entry.kind {
        EntryKind::Links => return Ok(None),
        EntryKind::Own(ref kind) => (kind.clone(), entry.changes.clone().unwrap_or_default(), Some(record)),
        _ if now.is_none() => (of_change("removed"), Json::Null, None),
        EntryKind::Create => (of_change("created"), record, None),
        _ => (of_change("updated"), record, None),
    };
    let changed = if own.is_some() { Vec::new() } else { entry.changed().map(str::to_owned).collect() };
    let path = app.stored_records(resource.name).map_or(resource.prefix, |of| of.descriptor().prefix);
    Ok(Some(Event {
        id: seq.to_string(),
        kind,
        timestamp: entry.timestamp,
        resource: path.rsplit('/').next().unwrap_or_default().to_owned(),
        record_id: key_json(resource, &key),
        changed,
        data,
        record: own,
    }))
}

fn is_deleted(record: &StoredRecord) -> bool {
    let condition = crud_runtime::query::Scope::Active.predicate(record.descriptor());
    record.truth(&condition).is_satisfied() == Some(false)
}

/// The record with every field that answers may show.
fn json(record: &StoredRecord) -> Json {
    let columns = record.descriptor().columns.iter().filter(|column| column.is_returned());
    let fields = columns.filter_map(|column| Some((column.json.to_owned(), record.value(column.json)?)));
    Json::Object(fields.collect::<Map<_, _>>())
}
