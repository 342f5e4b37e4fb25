//! [`Writer`]: changes records of its own in every way there is, and remembers what it was told.

use std::collections::BTreeMap;

use crud_tests::fixtures::batch;
use crud_tests::{Answer, Client, Request};
use reqwest::Method;
use serde_json::{Value, json};

use super::Story;

/// A kind of record that is written.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    /// The struct's name.
    pub(crate) entity: &'static str,
    /// The path prefix.
    pub(crate) prefix: &'static str,
    /// A field of text that a writer can tell its records by.
    field: &'static str,
    /// Another field that a create must say, with a good and a bad value.
    other: Option<(&'static str, i32, i32)>,
    soft_delete: bool,
    partial: bool,
}

/// Soft delete with atomic batches, a delete with atomic batches, soft delete with partial batches.
pub(crate) const KINDS: [&Kind; 3] = [
    &Kind { entity: "Ledger", prefix: "/ledgers", field: "name", other: None, soft_delete: true, partial: false },
    &Kind {
        entity: "Parcel",
        prefix: "/parcels",
        field: "code",
        other: Some(("weight", 1, -1)),
        soft_delete: false,
        partial: false,
    },
    &Kind {
        entity: "Slip",
        prefix: "/slips",
        field: "code",
        other: Some(("amount", 1, -1)),
        soft_delete: true,
        partial: true,
    },
];

impl Kind {
    /// The parameter that makes a list have every record.
    pub(crate) const fn all(&self) -> &'static str {
        if self.soft_delete { "include_deleted=true&" } else { "" }
    }

    fn body(&self, text: &str) -> Value {
        let mut body = json!({ self.field: text });
        if let Some((field, good, _)) = self.other {
            body[field] = json!(good);
        }
        body
    }
}

/// What a writer knows of a record: its last acknowledged state, none when it is gone, and how many changes were
/// acknowledged.
#[derive(Debug)]
struct Known {
    state: Option<Value>,
    changes: usize,
}

/// What a request would change that has not been answered.
#[derive(Debug, Default)]
struct Pending {
    /// Records that it changes.
    ids: Vec<i64>,
    /// Records that it creates.
    created: usize,
}

/// Somebody who writes.
#[derive(Debug)]
pub(crate) struct Writer {
    pub(crate) kind: &'static Kind,
    number: usize,
    requests: usize,
    interrupted: usize,
    records: BTreeMap<i64, Known>,
    pending: Option<Pending>,
}

impl Writer {
    pub(crate) fn new(kind: &'static Kind, number: usize) -> Self {
        Self { kind, number, requests: 0, interrupted: 0, records: BTreeMap::new(), pending: None }
    }

    /// How many changes were acknowledged.
    pub(crate) fn changes(&self) -> usize {
        self.records.values().map(|known| known.changes).sum()
    }

    /// How many requests were never answered.
    pub(crate) const fn interrupted(&self) -> usize {
        self.interrupted
    }

    /// Writes until the service is gone.
    pub(crate) async fn write(&mut self, client: &Client) {
        while self.step(client).await.is_some() {}
        self.interrupted += 1;
    }

    /// The text that this request, and no other, gives to a record.
    fn text(&self, item: usize) -> String {
        format!("{}-{}/{item}", self.number, self.requests)
    }

    /// Up to `most` records that are active, or deleted; in no order.
    fn some(&self, deleted: bool, most: usize) -> Vec<i64> {
        let is_deleted = |state: &Value| state["deleted_at"].is_string();
        let chosen = |known: &Known| known.state.as_ref().is_some_and(|state| is_deleted(state) == deleted);
        let mut ids: Vec<_> = self.records.iter().filter(|(_, known)| chosen(known)).map(|(id, _)| *id).collect();
        fastrand::shuffle(&mut ids);
        ids.truncate(most);
        ids
    }

    /// One request; none when the service is gone.
    async fn step(&mut self, client: &Client) -> Option<()> {
        self.requests += 1;
        let prefix = self.kind.prefix;
        match fastrand::u8(0..10) {
            0 | 1 => self.create(client).await,
            2 | 3 => self.create_batch(client).await,
            4 => {
                let Some(&id) = self.some(fastrand::bool(), 1).first() else { return Some(()) };
                let body = json!({ self.kind.field: self.text(0) });
                self.change(client.put(format!("{prefix}/{id}"), &body), id, false).await
            }
            5 => self.update_batch(client).await,
            6 => {
                let Some(&id) = self.some(false, 1).first() else { return Some(()) };
                self.change(client.delete(format!("{prefix}/{id}")), id, !self.kind.soft_delete).await
            }
            7 => self.delete_batch(client).await,
            8 => {
                let Some(&id) = self.some(true, 1).first() else { return Some(()) };
                self.change(client.request(Method::POST, format!("{prefix}/{id}/restore")), id, false).await
            }
            _ => {
                let Some(&id) = self.some(true, 1).first() else { return Some(()) };
                self.change(client.delete(format!("{prefix}/{id}/permanent")), id, true).await
            }
        }
    }

    async fn create(&mut self, client: &Client) -> Option<()> {
        let body = self.kind.body(&self.text(0));
        let answer =
            self.send(client.post(self.kind.prefix, &body), Pending { created: 1, ..Pending::default() }).await?;
        self.acknowledge(&answer.created(), false);
        Some(())
    }

    async fn change(&mut self, request: Request<'_>, id: i64, gone: bool) -> Option<()> {
        let answer = self.send(request, Pending { ids: vec![id], ..Pending::default() }).await?;
        self.acknowledge(&answer.ok(), gone);
        Some(())
    }

    async fn create_batch(&mut self, client: &Client) -> Option<()> {
        let mut items: Vec<_> = (0..3).map(|item| self.kind.body(&self.text(item))).collect();
        if let Some((field, _, bad)) = self.kind.other.filter(|_| self.kind.partial) {
            items.insert(1, json!({ self.kind.field: "bad", field: bad }));
        }
        let request = client.post(format!("{}/batch", self.kind.prefix), &batch(items));
        let answer = self.send(request, Pending { created: 3, ..Pending::default() }).await?;
        self.acknowledge_all(answer, 3, false);
        Some(())
    }

    async fn update_batch(&mut self, client: &Client) -> Option<()> {
        let ids = self.some(fastrand::bool(), 3);
        let item = |(item, id): (usize, &i64)| json!({ "id": id, self.kind.field: self.text(item) });
        let mut items: Vec<_> = ids.iter().enumerate().map(item).collect();
        if self.kind.partial {
            items.push(json!({ "id": i64::MAX, self.kind.field: "nobody" }));
        }
        let request = client.put(format!("{}/batch", self.kind.prefix), &batch(items));
        let count = ids.len();
        let answer = self.send(request, Pending { ids, ..Pending::default() }).await?;
        self.acknowledge_all(answer, count, false);
        Some(())
    }

    async fn delete_batch(&mut self, client: &Client) -> Option<()> {
        let ids = self.some(false, 3);
        let nobody = self.kind.partial.then_some(i64::MAX);
        let body = json!({ "ids": ids.iter().copied().chain(nobody).collect::<Vec<_>>() });
        let request = client.post(format!("{}/batch/delete", self.kind.prefix), &body);
        let count = ids.len();
        let answer = self.send(request, Pending { ids, ..Pending::default() }).await?;
        self.acknowledge_all(answer, count, !self.kind.soft_delete);
        Some(())
    }

    async fn send(&mut self, request: Request<'_>, pending: Pending) -> Option<Answer> {
        self.pending = Some(pending);
        let answer = request.attempt().await?;
        self.pending = None;
        Some(answer)
    }

    fn acknowledge(&mut self, record: &Value, gone: bool) {
        let known =
            self.records.entry(record["id"].as_i64().expect("an id")).or_insert(Known { state: None, changes: 0 });
        known.state = (!gone).then(|| record.clone());
        known.changes += 1;
    }

    fn acknowledge_all(&mut self, answer: Answer, count: usize, gone: bool) {
        let answer = answer.expect(if self.kind.partial { 207 } else { 200 }).into_json();
        let items = answer["items"].as_array().expect("items");
        assert_eq!(items.len(), count, "{answer}");
        for record in items {
            self.acknowledge(record, gone);
        }
    }

    /// Holds what it was told against what the log tells; gives how many records it knows of then.
    pub(crate) fn settle(&mut self, story: &Story) -> usize {
        let pending = self.pending.take().unwrap_or_default();
        let told = |id: i64| story.changes.get(&id.to_string()).copied().unwrap_or_default();
        let happened = pending.ids.iter().filter(|id| told(**id) > self.records[*id].changes).count();
        assert!(happened == 0 || happened == pending.ids.len(), "half a batch: {pending:?}");
        for (id, known) in &mut self.records {
            let may_have_changed = usize::from(happened > 0 && pending.ids.contains(id));
            assert_eq!(told(*id), known.changes + may_have_changed, "the changes of {id}: {known:?}");
            let state = &story.states[&id.to_string()];
            if may_have_changed > 0 {
                *known = Known { state: state.clone(), changes: told(*id) };
            }
            assert_eq!(known.state, *state, "the state of {id}");
        }
        let created = self.adopt(story);
        assert!(created == 0 || created == pending.created, "half a batch: {created} of {pending:?}");
        self.records.len()
    }

    /// Takes over what its last request has created without being answered.
    fn adopt(&mut self, story: &Story) -> usize {
        let begin = format!("{}-{}/", self.number, self.requests);
        let is_new = |state: &&Value| state[self.kind.field].as_str().is_some_and(|text| text.starts_with(&begin));
        let states: Vec<_> = story.states.values().flatten().filter(is_new).collect();
        let mut adopted = 0;
        for state in states {
            let id = state["id"].as_i64().expect("an id");
            self.records.entry(id).or_insert_with(|| {
                adopted += 1;
                Known { state: Some(state.clone()), changes: 1 }
            });
        }
        adopted
    }
}
