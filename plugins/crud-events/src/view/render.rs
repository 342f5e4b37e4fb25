//! Rendering of entries for a view.

use std::collections::BTreeSet;
use std::sync::Arc;

use crud_runtime::error::Problem;
use crud_runtime::{RecordView, StoredRecord};
use serde_json::Value as Json;

use super::past::{Past, before, present};
use super::paths::Paths;
use super::snapshot::{Changed, Snapshot};
use crate::entry::{Entry, EntryKind};
use crate::event::{Event, key_json, word};
use crate::log::Log;

/// A message to a subscriber.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Told {
    /// An event, with its number.
    Event(i64, Box<Event>),
    /// The view may have changed beyond its events: the subscriber lists again. The number is that of the last entry.
    Reset(i64),
}

impl Told {
    /// The number of the event, or of the last entry for a reset.
    pub(crate) const fn id(&self) -> i64 {
        match self {
            Self::Event(id, _) | Self::Reset(id) => *id,
        }
    }
}

/// The log, and the paths of resources, which a rendering reads.
type Reader<'r> = (&'r Log, &'r Paths);

/// Renders the entries of a snapshot for a view, in the order of their numbers. Several changes of a record give one
/// event, with the number of the last change.
///
/// # Errors
/// Errors of the database.
pub(crate) async fn render(reader: Reader<'_>, snapshot: &Snapshot, view: &RecordView) -> Result<Vec<Told>, Problem> {
    if follows_related(reader, snapshot, view).await? {
        return Ok(vec![Told::Reset(snapshot.upto)]);
    }
    let changed = snapshot.changed(reader, view.descriptor()).await?;
    let shown = shown(view, &changed).await?;
    let mut told = Vec::new();
    for record in changed {
        if shown.contains(record.key) {
            told.extend(shown_events(reader.1, view, &record)?);
            continue;
        }
        let had = match snapshot.chain(reader.0, &record).await? {
            Some(chain) => had(view, &chain, &record).await?,
            None => None,
        };
        match had {
            Some(true) => told.push(removed(reader.1, &record)),
            Some(false) => {}
            None => return Ok(vec![Told::Reset(snapshot.upto)]),
        }
    }
    told.sort_by_key(Told::id);
    Ok(told)
}

/// The keys of the records that a view has now. The database is asked only where the values do not decide it.
async fn shown(view: &RecordView, changed: &[Changed<'_>]) -> Result<BTreeSet<String>, Problem> {
    let (mut shown, mut open) = (BTreeSet::new(), Vec::new());
    for record in changed {
        match record.now.map(|now| view.shows(now)) {
            Some(Some(true)) => drop(shown.insert(record.key.to_owned())),
            Some(None) => open.push(record.key.to_owned()),
            Some(Some(false)) | None => {}
        }
    }
    if !open.is_empty() {
        shown.extend(view.find(&open).await?);
    }
    Ok(shown)
}

/// Whether a view had a record before one of its entries; `None` if that is unknown.
///
/// # Errors
/// Errors of the database.
pub(crate) async fn had(
    view: &RecordView,
    chain: &[Arc<Entry>],
    record: &Changed<'_>,
) -> Result<Option<bool>, Problem> {
    let Some(newest) = chain.first() else { return Ok(Some(false)) };
    let mut state = present(record.now, newest);
    let mut had = Some(false);
    for entry in chain {
        state = before(state, entry);
        let is_own = record.entries.iter().any(|own| own.log_id == entry.log_id);
        let Some(values) = state.as_ref().filter(|_| is_own && entry.kind.changes_values()) else { continue };
        match view.would_show(values).await? {
            Some(true) => return Ok(Some(true)),
            Some(false) => {}
            None => had = None,
        }
    }
    Ok(had)
}

/// Whether an entry of a related record (a membership) may have changed which records the view has.
async fn follows_related(reader: Reader<'_>, snapshot: &Snapshot, view: &RecordView) -> Result<bool, Problem> {
    for resource in view.related().filter(|resource| snapshot.has(resource)) {
        for record in snapshot.changed(reader, resource).await? {
            let Some(chain) = snapshot.chain(reader.0, &record).await? else { return Ok(true) };
            let mut after: Past = chain.first().and_then(|newest| present(record.now, newest));
            for entry in chain {
                let was = before(after.clone(), &entry);
                let is_whole = after.is_none() || was.is_none() || entry.former().is_none();
                let names: BTreeSet<&str> = entry.changed().collect();
                let is_changed = |name: &str| is_whole || names.contains(name);
                let is_of_values = entry.kind.changes_values();
                if is_of_values && view.may_follow(was.as_ref(), after.as_ref(), is_changed) {
                    return Ok(true);
                }
                after = was;
            }
        }
    }
    Ok(false)
}

/// The events of a record that the view has: one for its changes, and the program's own.
fn shown_events(paths: &Paths, view: &RecordView, record: &Changed<'_>) -> Result<Vec<Told>, Problem> {
    let Some(now) = record.now else { return Ok(Vec::new()) };
    let data: Json = serde_json::from_slice(&view.json(now)?).map_err(Problem::internal)?;
    let mut told = Vec::new();
    for entry in record.entries {
        if let EntryKind::Own(kind) = &entry.kind {
            let own = entry.changes.clone().unwrap_or_default();
            let event = Event { kind: kind.clone(), data: own, record: Some(data.clone()), ..event(paths, entry) };
            told.push(Told::Event(entry.seq, Box::new(event)));
        }
    }
    let changes: Vec<&Entry> = record.entries.iter().filter(|entry| !matches!(entry.kind, EntryKind::Own(_))).collect();
    let Some(last) = changes.last().filter(|_| concerns(view, &changes)) else { return Ok(told) };
    let is_new = changes.iter().any(|entry| entry.kind == EntryKind::Create);
    let kind = format!("{}.{}", word(view.descriptor()), if is_new { "created" } else { "updated" });
    let changed = changed_fields(view, &changes, now);
    told.push(Told::Event(last.seq, Box::new(Event { kind, changed, data, ..event(paths, last) })));
    Ok(told)
}

/// Whether the changes concern fields that the view shows or depends on.
fn concerns(view: &RecordView, changes: &[&Entry]) -> bool {
    let is_known = |name: &str| view.shows_field(name) || view.depends_on(name);
    changes.iter().any(|entry| match entry.kind {
        EntryKind::Update => entry.changed().next().is_none() || entry.changed().any(is_known),
        _ => true,
    })
}

/// The names of changed fields that the view shows, in the order of columns.
fn changed_fields(view: &RecordView, changes: &[&Entry], now: &StoredRecord) -> Vec<String> {
    let names: BTreeSet<&str> = changes.iter().flat_map(|entry| entry.changed()).collect();
    let columns = now.descriptor().columns.iter().map(|column| column.json);
    columns.filter(|name| names.contains(name) && view.shows_field(name)).map(str::to_owned).collect()
}

/// The event of a record that the view no longer has.
fn removed(paths: &Paths, record: &Changed<'_>) -> Told {
    let last = record.entries.iter().rfind(|entry| entry.kind.changes_values()).unwrap_or(&record.entries[0]);
    let kind = format!("{}.removed", word(last.resource));
    Told::Event(last.seq, Box::new(Event { kind, ..event(paths, last) }))
}

fn event(paths: &Paths, entry: &Entry) -> Event {
    Event {
        id: entry.seq.to_string(),
        kind: String::new(),
        timestamp: entry.timestamp,
        resource: paths.name(entry.resource).to_owned(),
        record_id: key_json(entry.resource, &entry.key),
        changed: Vec::new(),
        data: Json::Null,
        record: None,
    }
}
