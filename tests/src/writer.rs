//! [`Writer`]: changes records of its own in every way there is, and remembers what it was told.

use std::collections::BTreeMap;

use reqwest::Method;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::client::{Client, Request};
use crate::fixtures::batch;
use crate::story::Story;

/// A kind of record that is written.
#[derive(Debug, PartialEq, Eq)]
pub struct Kind {
    /// The struct's name.
    pub entity: &'static str,
    /// The path prefix.
    pub prefix: &'static str,
    /// A field of text that a writer can tell its records by.
    field: &'static str,
    /// Another field that a create must say, with a good and a bad value.
    other: Option<(&'static str, i32, i32)>,
    soft_delete: bool,
    partial: bool,
}

/// Soft delete with atomic batches, a delete with atomic batches, soft delete with partial batches.
pub const KINDS: [&Kind; 3] = [
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
    pub const fn all(&self) -> &'static str {
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

/// What a request would change of which nobody knows whether it did.
#[derive(Debug, Default)]
struct Doubt {
    /// The request's number.
    request: usize,
    /// Records that it changes.
    ids: Vec<i64>,
    /// Records that it creates.
    created: usize,
}

/// Somebody who writes.
#[derive(Debug)]
pub struct Writer {
    /// What is written.
    pub kind: &'static Kind,
    number: usize,
    requests: usize,
    unanswered: usize,
    unavailable: usize,
    records: BTreeMap<i64, Known>,
    doubts: Vec<Doubt>,
}

impl Writer {
    /// The writer with this number, of records of this kind.
    pub fn new(kind: &'static Kind, number: usize) -> Self {
        Self { kind, number, requests: 0, unanswered: 0, unavailable: 0, records: BTreeMap::new(), doubts: Vec::new() }
    }

    /// How many changes were acknowledged.
    pub fn changes(&self) -> usize {
        self.records.values().map(|known| known.changes).sum()
    }

    /// How many requests were never answered.
    pub const fn unanswered(&self) -> usize {
        self.unanswered
    }

    /// How many requests were answered by 503.
    pub const fn unavailable(&self) -> usize {
        self.unavailable
    }

    /// The text that this request, and no other, gives to a record.
    fn text(&self, item: usize) -> String {
        format!("{}-{}/{item}", self.number, self.requests)
    }

    /// Up to `most` records that are active, or deleted; in no order.
    fn some(&self, deleted: bool, most: usize) -> Vec<i64> {
        let is_deleted = |state: &Value| state["deleted_at"].is_string();
        let chosen = |known: &Known| known.state.as_ref().is_some_and(|state| is_deleted(state) == deleted);
        let doubtful = |id: &i64| self.doubts.iter().any(|doubt| doubt.ids.contains(id));
        let known = self.records.iter().filter(|(id, known)| chosen(known) && !doubtful(id));
        let mut ids: Vec<_> = known.map(|(id, _)| *id).collect();
        fastrand::shuffle(&mut ids);
        ids.truncate(most);
        ids
    }

    /// One request; none when it was not answered, or by 503: then nobody knows what became of it, and its records
    /// are left alone until that is [settled](Self::settle).
    ///
    /// # Panics
    /// When the answer is another than it must be.
    pub async fn step(&mut self, client: &Client) -> Option<()> {
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
        let answer = self.send(client.post(self.kind.prefix, &body), Doubt { created: 1, ..Doubt::default() }).await?;
        self.acknowledge(&answer.created(), false);
        Some(())
    }

    async fn change(&mut self, request: Request<'_>, id: i64, gone: bool) -> Option<()> {
        let answer = self.send(request, Doubt { ids: vec![id], ..Doubt::default() }).await?;
        self.acknowledge(&answer.ok(), gone);
        Some(())
    }

    async fn create_batch(&mut self, client: &Client) -> Option<()> {
        let mut items: Vec<_> = (0..3).map(|item| self.kind.body(&self.text(item))).collect();
        if let Some((field, _, bad)) = self.kind.other.filter(|_| self.kind.partial) {
            items.insert(1, json!({ self.kind.field: "bad", field: bad }));
        }
        let request = client.post(format!("{}/batch", self.kind.prefix), &batch(items));
        let answer = self.send(request, Doubt { created: 3, ..Doubt::default() }).await?;
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
        let answer = self.send(request, Doubt { ids, ..Doubt::default() }).await?;
        self.acknowledge_all(answer, count, false);
        Some(())
    }

    async fn delete_batch(&mut self, client: &Client) -> Option<()> {
        let ids = self.some(false, 3);
        let nobody = self.kind.partial.then_some(i64::MAX);
        let body = json!({ "ids": ids.iter().copied().chain(nobody).collect::<Vec<_>>() });
        let request = client.post(format!("{}/batch/delete", self.kind.prefix), &body);
        let count = ids.len();
        let answer = self.send(request, Doubt { ids, ..Doubt::default() }).await?;
        self.acknowledge_all(answer, count, !self.kind.soft_delete);
        Some(())
    }

    async fn send(&mut self, request: Request<'_>, doubt: Doubt) -> Option<Answer> {
        let doubt = Doubt { request: self.requests, ..doubt };
        match request.attempt().await {
            Some(answer) if answer.status() != 503 => return Some(answer),
            Some(_) => self.unavailable += 1,
            None => self.unanswered += 1,
        }
        self.doubts.push(doubt);
        None
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
    ///
    /// # Panics
    /// When something was lost, happened twice, or happened by half.
    pub fn settle(&mut self, story: &Story) -> usize {
        let doubts = std::mem::take(&mut self.doubts);
        let told = |id: i64| story.changes.get(&id.to_string()).copied().unwrap_or_default();
        for doubt in &doubts {
            let happened = doubt.ids.iter().filter(|id| told(**id) > self.records[*id].changes).count();
            assert!(happened == 0 || happened == doubt.ids.len(), "half a batch: {doubt:?}");
        }
        for (id, known) in &mut self.records {
            let state = &story.states[&id.to_string()];
            if told(*id) != known.changes && doubts.iter().any(|doubt| doubt.ids.contains(id)) {
                *known = Known { state: state.clone(), changes: known.changes + 1 };
            }
            assert_eq!(told(*id), known.changes, "the changes of {id}: {known:?}");
            assert_eq!(known.state, *state, "the state of {id}");
        }
        for doubt in &doubts {
            let created = self.adopt(story, doubt.request);
            assert!(created == 0 || created == doubt.created, "half a batch: {created} of {doubt:?}");
        }
        self.records.len()
    }

    /// Takes over what a request has created without being answered.
    fn adopt(&mut self, story: &Story, request: usize) -> usize {
        let begin = format!("{}-{request}/", self.number);
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
