//! A model of subscribers: records that change in any order, seen by lists and by the code that renders events.
//!
//! Each run changes a few records, and renders the entries in batches, late, so that a record may have newer changes
//! meanwhile. Then it compares the subscriber's records with a list. No event may name a record that the view never
//! had.

use std::collections::BTreeMap;

use crud_runtime::prelude::*;
use crud_runtime::{RecordView, StoredRecord, ViewConditions};
use serde_json::{Map, Value as Json, json};

use super::render::had;
use super::snapshot::{Changed, chain_of};
use crate::entry::{Entry, EntryKind};

#[derive(Debug, Clone, Resource)]
#[crud(audit, soft_delete, filter(board, points), access(all(public)))]
struct Card {
    id: i64,
    board: i64,
    points: Option<i64>,
    title: String,
    deleted_at: Option<DateTime<Utc>>,
}

/// The log and the records of the model.
#[derive(Debug, Default)]
struct World {
    records: BTreeMap<i64, Map<String, Json>>,
    log: Vec<Entry>,
}

const DELETED: &str = "2026-01-01T00:00:00.000000Z";

fn record(values: Option<&Map<String, Json>>) -> Option<StoredRecord> {
    let mut record = StoredRecord::unknown(Card::DESCRIPTOR);
    record.lay_over(values?, None);
    Some(record)
}

fn object(value: Json) -> Map<String, Json> {
    if let Json::Object(object) = value { object } else { Map::new() }
}

impl World {
    fn entry(&mut self, id: i64, kind: EntryKind, changes: Option<Json>, previous: Option<Json>) {
        let number = i64::try_from(self.log.len()).expect("a number") + 1;
        let (resource, key) = (Card::DESCRIPTOR, id.to_string());
        let (timestamp, actor, tenant) = (None, None, None);
        self.log.push(Entry {
            seq: number,
            log_id: number,
            resource,
            key,
            kind,
            changes,
            previous,
            timestamp,
            actor,
            tenant,
        });
    }

    fn change(&mut self, random: &mut fastrand::Rng) {
        let id = random.i64(1..4);
        let is_deleted = |record: &Map<String, Json>| record["deleted_at"].is_string();
        match self.records.get(&id).cloned() {
            None => {
                let points = if random.bool() { json!(random.i64(0..3)) } else { Json::Null };
                let made = json!({ "id": id, "board": random.i64(0..2), "points": points, "title": "a", "deleted_at": null,
                                   "is_deleted": false });
                self.records.insert(id, object(made.clone()));
                self.entry(id, EntryKind::Create, Some(made), None);
            }
            Some(before) if random.u8(..6) == 0 => {
                self.records.remove(&id);
                self.entry(id, EntryKind::Delete, None, Some(Json::Object(before)));
            }
            Some(before) if random.u8(..5) == 0 => {
                let (kind, after, whole) = if is_deleted(&before) {
                    (EntryKind::Restore, json!({ "deleted_at": null, "is_deleted": false }), false)
                } else {
                    (EntryKind::SoftDelete, json!({ "deleted_at": DELETED, "is_deleted": true }), true)
                };
                let of_change = |name: &str| (name.to_owned(), before[name].clone());
                let changed: Map<String, Json> = object(after.clone()).keys().map(|name| of_change(name)).collect();
                let previous = if whole { before.clone() } else { changed };
                self.records.get_mut(&id).expect("a record").extend(object(after));
                self.entry(id, kind, None, Some(Json::Object(previous)));
            }
            Some(before) => {
                let (name, value) = match random.u8(..3) {
                    0 => ("board", json!(random.i64(0..2))),
                    1 => ("points", if random.bool() { json!(random.i64(0..3)) } else { Json::Null }),
                    _ => ("title", json!(random.alphabetic().to_string())),
                };
                if before[name] != value {
                    let previous = json!({ name: before[name] });
                    self.records.get_mut(&id).expect("a record").insert(name.to_owned(), value.clone());
                    self.entry(id, EntryKind::Update, Some(json!({ name: value })), Some(previous));
                }
            }
        }
    }

    /// The records of a view, by their keys.
    fn list(&self, view: &RecordView) -> BTreeMap<i64, Map<String, Json>> {
        let shown =
            self.records.iter().filter(|(_, of)| record(Some(of)).is_some_and(|it| view.shows(&it) == Some(true)));
        shown.map(|(id, record)| (*id, record.clone())).collect()
    }
}

/// A subscriber: the records that it has, and the number of the last entry that it was sent.
#[derive(Debug)]
struct Subscriber {
    has: BTreeMap<i64, Map<String, Json>>,
    position: usize,
}

impl Subscriber {
    fn list(world: &World, view: &RecordView) -> Self {
        Self { has: world.list(view), position: world.log.len() }
    }

    /// Applies the next entries, rendered by the code under test from the current records.
    async fn take(&mut self, world: &World, view: &RecordView, most: usize) {
        let upto = (self.position + most).min(world.log.len());
        let mut batch: BTreeMap<&str, Vec<Entry>> = BTreeMap::new();
        for entry in &world.log[self.position..upto] {
            batch.entry(&entry.key).or_default().push(entry.clone());
        }
        for (key, entries) in batch {
            let id: i64 = key.parse().expect("a key");
            let now = record(world.records.get(&id));
            let shown = now.as_ref().is_some_and(|now| view.shows(now) == Some(true));
            if shown {
                self.has.insert(id, world.records[&id].clone());
                continue;
            }
            let of_record = world.log.iter().filter(|entry| entry.key == key);
            let later: Vec<Entry> = of_record.filter(|entry| entry.log_id > entries[0].log_id).cloned().collect();
            let changed = Changed { key, entries: &entries, now: now.as_ref() };
            let had = had(view, &chain_of(&entries, &later), &changed).await.expect("no database");
            let had = had.expect("the log tells every value");
            if had {
                // A removal may name only a record that the view once had: otherwise it would leak the key of a hidden
                // record.
                assert!(was_shown(world, view, key, upto), "record {id} was never in the view");
                self.has.remove(&id);
            }
        }
        self.position = upto;
    }
}

/// Whether the view had a record after any of the first `upto` entries, computed by the model itself.
fn was_shown(world: &World, view: &RecordView, key: &str, upto: usize) -> bool {
    let mut values: Option<Map<String, Json>> = None;
    let mut was = false;
    for entry in world.log[..upto].iter().filter(|entry| entry.key == key) {
        values = match (&entry.kind, &entry.changes) {
            (EntryKind::Delete, _) => None,
            (EntryKind::Create, Some(made)) => Some(object(made.clone())),
            (kind, changes) => values.map(|mut values| {
                values.extend(changes.clone().map(object).unwrap_or_default());
                match kind {
                    EntryKind::SoftDelete => drop(values.insert("deleted_at".to_owned(), json!(DELETED))),
                    EntryKind::Restore => drop(values.insert("deleted_at".to_owned(), Json::Null)),
                    _ => {}
                }
                values
            }),
        };
        was |= record(values.as_ref()).is_some_and(|record| view.shows(&record) == Some(true));
    }
    was
}

#[tokio::test]
async fn subscribers_have_what_a_list_has_and_learn_of_no_other_records() {
    let service = Service::connect("sqlite::memory:").await.expect("a database").resource::<Card>();
    let state = service.state().expect("a service");
    let view = |query| state.view(Card::DESCRIPTOR, None, ViewConditions::Query(query)).expect("a view");
    let views =
        [view("board=1"), view("points__gte=1"), view("points__lt=2&board=0"), view("points__isnull=true"), view("")];
    for seed in 0..60_000 {
        let mut random = fastrand::Rng::with_seed(seed);
        let view = &views[random.usize(..views.len())];
        let mut world = World::default();
        for _ in 0..random.usize(..6) {
            world.change(&mut random);
        }
        let mut subscribers = vec![Subscriber::list(&world, view)];
        for _ in 0..random.usize(5..20) {
            match random.u8(..4) {
                0 => {
                    let at = random.usize(..subscribers.len());
                    subscribers[at].take(&world, view, random.usize(1..4)).await;
                }
                // A new subscriber begins with a list, or an existing one lists again on its old stream.
                1 if random.u8(..3) == 0 => subscribers.push(Subscriber::list(&world, view)),
                2 if random.u8(..4) == 0 => {
                    let at = random.usize(..subscribers.len());
                    let position = subscribers[at].position;
                    subscribers[at] = Subscriber { position, ..Subscriber::list(&world, view) };
                }
                _ => world.change(&mut random),
            }
        }
        for subscriber in &mut subscribers {
            while subscriber.position < world.log.len() {
                subscriber.take(&world, view, 2).await;
            }
            assert_eq!(subscriber.has, world.list(view), "seed {seed}");
        }
    }
}
