//! [`Writer`]: changes its own records through every write operation, and remembers what was acknowledged.

use std::collections::BTreeMap;

use reqwest::Method;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::client::{Client, Request};
use crate::fixtures::batch;
use crate::replay::Replay;

/// A resource that writers change.
#[derive(Debug, PartialEq, Eq)]
pub struct WriteTarget {
    /// The struct's name.
    pub entity: &'static str,
    /// The path prefix.
    pub prefix: &'static str,
    /// A text field that identifies a writer's records.
    field: &'static str,
    /// A second field that a create requires, with a valid and an invalid value.
    required: Option<(&'static str, i32, i32)>,
    soft_delete: bool,
    partial: bool,
}

/// Soft delete with atomic batches, hard delete with atomic batches, soft delete with partial batches.
pub const WRITE_TARGETS: [&WriteTarget; 3] = [
    &WriteTarget {
        entity: "Ledger",
        prefix: "/ledgers",
        field: "name",
        required: None,
        soft_delete: true,
        partial: false,
    },
    &WriteTarget {
        entity: "Parcel",
        prefix: "/parcels",
        field: "code",
        required: Some(("weight", 1, -1)),
        soft_delete: false,
        partial: false,
    },
    &WriteTarget {
        entity: "Slip",
        prefix: "/slips",
        field: "code",
        required: Some(("amount", 1, -1)),
        soft_delete: true,
        partial: true,
    },
];

impl WriteTarget {
    /// The query parameter that includes every record in a list.
    pub const fn include_deleted(&self) -> &'static str {
        if self.soft_delete { "include_deleted=true&" } else { "" }
    }

    fn body(&self, text: &str) -> Value {
        let mut body = json!({ self.field: text });
        if let Some((field, good, _)) = self.required {
            body[field] = json!(good);
        }
        body
    }
}

/// A writer's knowledge of a record: its last acknowledged state, `None` when deleted, and the number of acknowledged
/// changes.
#[derive(Debug)]
struct Known {
    state: Option<Value>,
    changes: usize,
}

/// A request whose outcome is unknown, because it was not answered.
#[derive(Debug, Default)]
struct Unconfirmed {
    /// The request's number.
    request: usize,
    /// The records that it changes.
    ids: Vec<i64>,
    /// The number of records that it creates.
    created: usize,
}

/// A client that writes.
#[derive(Debug)]
pub struct Writer {
    /// The resource that it changes.
    pub target: &'static WriteTarget,
    number: usize,
    /// Whether storage has transactions. Without them, an atomic batch has one item, and a part of a partial one may
    /// have happened when it is not answered.
    transactions: bool,
    requests: usize,
    unanswered: usize,
    unavailable: usize,
    records: BTreeMap<i64, Known>,
    unconfirmed: Vec<Unconfirmed>,
}

impl Writer {
    /// The writer of this number for this resource.
    pub fn new(target: &'static WriteTarget, number: usize) -> Self {
        Self {
            target,
            number,
            transactions: true,
            requests: 0,
            unanswered: 0,
            unavailable: 0,
            records: BTreeMap::new(),
            unconfirmed: Vec::new(),
        }
    }

    /// Adapts the writer to storage without transactions.
    #[must_use]
    pub const fn without_transactions(mut self) -> Self {
        self.transactions = false;
        self
    }

    /// The number of items in a batch.
    const fn batch_size(&self) -> usize {
        if self.transactions || self.target.partial { 3 } else { 1 }
    }

    /// The number of acknowledged changes.
    pub fn changes(&self) -> usize {
        self.records.values().map(|known| known.changes).sum()
    }

    /// The number of requests without an answer.
    pub const fn unanswered(&self) -> usize {
        self.unanswered
    }

    /// The number of answers with status 503.
    pub const fn unavailable(&self) -> usize {
        self.unavailable
    }

    /// The text that only this item of this request writes.
    fn text(&self, item: usize) -> String {
        format!("{}-{}/{item}", self.number, self.requests)
    }

    /// Up to `most` active, or deleted, records in random order.
    fn pick(&self, deleted: bool, most: usize) -> Vec<i64> {
        let is_deleted = |state: &Value| state["deleted_at"].is_string();
        let chosen = |known: &Known| known.state.as_ref().is_some_and(|state| is_deleted(state) == deleted);
        let is_unconfirmed = |id: &i64| self.unconfirmed.iter().any(|request| request.ids.contains(id));
        let known = self.records.iter().filter(|(id, known)| chosen(known) && !is_unconfirmed(id));
        let mut ids: Vec<_> = known.map(|(id, _)| *id).collect();
        fastrand::shuffle(&mut ids);
        ids.truncate(most);
        ids
    }

    /// Sends one request; `None` when it is not answered, or answered with 503. Its outcome is unknown then, and its
    /// records are not used until the next [reconciliation](Self::reconcile).
    ///
    /// # Panics
    /// When the answer is not the expected one.
    pub async fn step(&mut self, client: &Client) -> Option<()> {
        self.requests += 1;
        let prefix = self.target.prefix;
        match fastrand::u8(0..10) {
            0 | 1 => self.create(client).await,
            2 | 3 => self.create_batch(client).await,
            4 => {
                let Some(&id) = self.pick(fastrand::bool(), 1).first() else { return Some(()) };
                let body = json!({ self.target.field: self.text(0) });
                self.change(client.put(format!("{prefix}/{id}"), &body), id, false).await
            }
            5 => self.update_batch(client).await,
            6 => {
                let Some(&id) = self.pick(false, 1).first() else { return Some(()) };
                self.change(client.delete(format!("{prefix}/{id}")), id, !self.target.soft_delete).await
            }
            7 => self.delete_batch(client).await,
            8 => {
                let Some(&id) = self.pick(true, 1).first() else { return Some(()) };
                self.change(client.request(Method::POST, format!("{prefix}/{id}/restore")), id, false).await
            }
            _ => {
                let Some(&id) = self.pick(true, 1).first() else { return Some(()) };
                self.change(client.delete(format!("{prefix}/{id}/permanent")), id, true).await
            }
        }
    }

    async fn create(&mut self, client: &Client) -> Option<()> {
        let body = self.target.body(&self.text(0));
        let answer = self
            .send(client.post(self.target.prefix, &body), Unconfirmed { created: 1, ..Unconfirmed::default() })
            .await?;
        self.acknowledge(&answer.created(), false);
        Some(())
    }

    async fn change(&mut self, request: Request<'_>, id: i64, gone: bool) -> Option<()> {
        let answer = self.send(request, Unconfirmed { ids: vec![id], ..Unconfirmed::default() }).await?;
        self.acknowledge(&answer.ok(), gone);
        Some(())
    }

    async fn create_batch(&mut self, client: &Client) -> Option<()> {
        let mut items: Vec<_> = (0..self.batch_size()).map(|item| self.target.body(&self.text(item))).collect();
        if let Some((field, _, bad)) = self.target.required.filter(|_| self.target.partial) {
            items.insert(1, json!({ self.target.field: "bad", field: bad }));
        }
        let request = client.post(format!("{}/batch", self.target.prefix), &batch(items));
        let created = self.batch_size();
        let answer = self.send(request, Unconfirmed { created, ..Unconfirmed::default() }).await?;
        self.acknowledge_all(answer, created, false);
        Some(())
    }

    async fn update_batch(&mut self, client: &Client) -> Option<()> {
        let ids = self.pick(fastrand::bool(), self.batch_size());
        let item = |(item, id): (usize, &i64)| json!({ "id": id, self.target.field: self.text(item) });
        let mut items: Vec<_> = ids.iter().enumerate().map(item).collect();
        if self.target.partial {
            items.push(json!({ "id": i64::MAX, self.target.field: "missing" }));
        }
        let request = client.put(format!("{}/batch", self.target.prefix), &batch(items));
        let count = ids.len();
        let answer = self.send(request, Unconfirmed { ids, ..Unconfirmed::default() }).await?;
        self.acknowledge_all(answer, count, false);
        Some(())
    }

    async fn delete_batch(&mut self, client: &Client) -> Option<()> {
        let ids = self.pick(false, self.batch_size());
        let missing = self.target.partial.then_some(i64::MAX);
        let body = json!({ "ids": ids.iter().copied().chain(missing).collect::<Vec<_>>() });
        let request = client.post(format!("{}/batch/delete", self.target.prefix), &body);
        let count = ids.len();
        let answer = self.send(request, Unconfirmed { ids, ..Unconfirmed::default() }).await?;
        self.acknowledge_all(answer, count, !self.target.soft_delete);
        Some(())
    }

    async fn send(&mut self, request: Request<'_>, unconfirmed: Unconfirmed) -> Option<Answer> {
        let unconfirmed = Unconfirmed { request: self.requests, ..unconfirmed };
        match request.attempt().await {
            Some(answer) if answer.status() != 503 => return Some(answer),
            Some(_) => self.unavailable += 1,
            None => self.unanswered += 1,
        }
        self.unconfirmed.push(unconfirmed);
        None
    }

    fn acknowledge(&mut self, record: &Value, gone: bool) {
        let known =
            self.records.entry(record["id"].as_i64().expect("an id")).or_insert(Known { state: None, changes: 0 });
        known.state = (!gone).then(|| record.clone());
        known.changes += 1;
    }

    fn acknowledge_all(&mut self, answer: Answer, count: usize, gone: bool) {
        let answer = answer.expect(if self.target.partial { 207 } else { 200 }).into_json();
        let items = answer["items"].as_array().expect("items");
        assert_eq!(items.len(), count, "{answer}");
        for record in items {
            self.acknowledge(record, gone);
        }
    }

    /// Compares what was acknowledged with the log; returns the number of records that this writer knows afterwards.
    ///
    /// # Panics
    /// When a change was lost, applied twice, or applied in part.
    pub fn reconcile(&mut self, replay: &Replay) -> usize {
        let unconfirmed = std::mem::take(&mut self.unconfirmed);
        let logged = |id: i64| replay.changes.get(&id.to_string()).copied().unwrap_or_default();
        for request in &unconfirmed {
            let happened = request.ids.iter().filter(|id| logged(**id) > self.records[*id].changes).count();
            assert!(
                !self.transactions || happened == 0 || happened == request.ids.len(),
                "part of a batch: {request:?}"
            );
        }
        for (id, known) in &mut self.records {
            let state = &replay.states[&id.to_string()];
            if logged(*id) != known.changes && unconfirmed.iter().any(|request| request.ids.contains(id)) {
                *known = Known { state: state.clone(), changes: known.changes + 1 };
            }
            assert_eq!(logged(*id), known.changes, "the changes of {id}: {known:?}");
            assert_eq!(known.state, *state, "the state of {id}");
        }
        for request in &unconfirmed {
            let created = self.adopt(replay, request.request);
            let whole = created == 0 || created == request.created;
            assert!(
                whole || !self.transactions && created < request.created,
                "part of a batch: {created} of {request:?}"
            );
        }
        self.records.len()
    }

    /// Takes over the records of an unanswered request; returns their number.
    fn adopt(&mut self, replay: &Replay, request: usize) -> usize {
        let begin = format!("{}-{request}/", self.number);
        let is_new = |state: &&Value| state[self.target.field].as_str().is_some_and(|text| text.starts_with(&begin));
        let states: Vec<_> = replay.states.values().flatten().filter(is_new).collect();
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
