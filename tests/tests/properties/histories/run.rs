//! A plan carried out: requests to the service, and the answers as the model reads them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crud_tests::fixtures::records;
use crud_tests::{Answer, Api, Client, audit_log};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::histories::linearize::{Event, check};
use crate::histories::model::{Act, Atom, named};
use crate::histories::plan::{Ask, Fields, Key, Plan, Shape, Step};

/// Runs a plan and checks its history; returns how many requests were answered.
///
/// # Errors
/// The violation.
pub(crate) async fn fault(api: &Api, plan: &Plan) -> Result<usize, String> {
    // No run sees another's records.
    let run: Arc<str> = format!("{:012x}", fastrand::u64(..1 << 48)).into();
    let sequence = Arc::new(AtomicU64::new(0));
    let mut clients = JoinSet::new();
    for (number, steps) in plan.clients.iter().cloned().enumerate() {
        let caller = Caller {
            client: Client::clone(api),
            shape: plan.shape,
            run: run.clone(),
            sequence: sequence.clone(),
            number,
            known: BTreeMap::new(),
        };
        clients.spawn(async move { (number, caller.follow(steps).await) });
    }
    let mut histories = vec![Vec::new(); plan.clients.len()];
    for (number, events) in clients.join_all().await {
        histories[number] = events?;
    }
    // The remaining records, read when all requests are answered.
    let listed = listed(api, plan.shape, &run).await;
    let at = sequence.fetch_add(1, Ordering::SeqCst);
    let text = format!("what is left: {listed:?}");
    let atoms = vec![Atom::List(listed.clone())];
    histories.push(vec![Event { text, sent: at, answered: at + 1, atoms }]);
    check(plan.shape, &run, &histories)?;
    check_log(api, plan.shape, &run, &listed).await?;
    Ok(plan.len())
}

/// The records of a run.
async fn listed(client: &Client, shape: Shape, run: &str) -> BTreeMap<Key, Value> {
    let deleted = if shape.soft_delete { "&include_deleted=true" } else { "" };
    let list = client.get(format!("{}?run={run}&limit=100{deleted}", shape.prefix)).await.ok();
    records(&list).iter().map(|record| (key_of(record), record.clone())).collect()
}

fn key_of(record: &Value) -> Key {
    let id = record["id"].as_str().unwrap_or_default();
    id.rsplit_once("-k").and_then(|(_, key)| key.parse().ok()).unwrap_or_else(|| panic!("a key of the plan: {record}"))
}

/// The audit log of the run's records yields those that are left, once its entries are in the order of their values.
///
/// A create that waited for the delete of the record of its key has the earlier time, and so is before it in the log.
async fn check_log(api: &Api, shape: Shape, run: &str, listed: &BTreeMap<Key, Value>) -> Result<(), String> {
    for key in 0..crate::histories::plan::KEYS {
        let id = named(run, "k", key);
        let id = id.as_str().unwrap_or_default();
        let log = api.get(format!("/audit-logs?entity_type={}&entity_id={id}&limit=100", shape.entity)).await.ok();
        let entries = records(&log);
        let left = listed.get(&key);
        if !yields(&audit_log::States::new(), entries, left) {
            let lines: Vec<String> = entries.iter().map(Value::to_string).collect();
            return Err(format!("the log of {id} does not yield {left:?}:\n{}", lines.join("\n")));
        }
    }
    Ok(())
}

/// Whether the entries yield a record in an order in which each follows from those before it.
fn yields(states: &audit_log::States, entries: &[Value], record: Option<&Value>) -> bool {
    if entries.is_empty() {
        return states.values().next().and_then(Option::as_ref) == record;
    }
    (0..entries.len()).any(|first| {
        let (mut states, mut rest) = (states.clone(), entries.to_vec());
        let entry = rest.remove(first);
        audit_log::replay_onto(&mut states, std::slice::from_ref(&entry)).is_ok() && yields(&states, &rest, record)
    })
}

/// A client of a plan.
struct Caller {
    client: Client,
    shape: Shape,
    run: Arc<str>,
    sequence: Arc<AtomicU64>,
    number: usize,
    /// The last state that it read of each record, and its entity tag.
    known: BTreeMap<Key, (Value, String)>,
}

impl Caller {
    async fn follow(mut self, steps: Vec<Step>) -> Result<Vec<Event>, String> {
        let mut events = Vec::new();
        for (index, step) in steps.iter().enumerate() {
            events.push(self.carry_out(step, index).await?);
        }
        Ok(events)
    }

    async fn carry_out(&mut self, step: &Step, index: usize) -> Result<Event, String> {
        let known =
            Self::target_of(&step.ask).and_then(|key| self.known.get(&key)).filter(|_| step.conditional).cloned();
        let sent = self.sequence.fetch_add(1, Ordering::SeqCst);
        if step.ask == Ask::List {
            let listed = listed(&self.client, self.shape, &self.run).await;
            let answered = self.sequence.fetch_add(1, Ordering::SeqCst);
            return Ok(Event { text: format!("List: {listed:?}"), sent, answered, atoms: vec![Atom::List(listed)] });
        }
        let answer = self.send(step, index, known.as_ref()).await;
        let answered = self.sequence.fetch_add(1, Ordering::SeqCst);
        if step.repeated && answer.status() < 400 {
            let again = self.send(step, index, known.as_ref()).await;
            if (again.status(), again.json()) != (answer.status(), answer.json()) {
                return Err(format!("the answer to the same request is another one: {answer}\n{again}"));
            }
        }
        if let (Some(key), 200 | 201, Some(tag)) = (Self::target_of(&step.ask), answer.status(), answer.header("etag"))
        {
            self.known.insert(key, (answer.json().clone(), tag.to_owned()));
        }
        let condition = known.as_ref().map(|(_, tag)| format!(" if {tag}")).unwrap_or_default();
        let text = format!("{:?}{condition}: {} {}", step.ask, answer.status(), answer.json());
        Ok(Event { text, sent, answered, atoms: self.atoms(&step.ask, &answer, known.map(|(record, _)| record)) })
    }

    /// The one record that a request is to.
    fn target_of(ask: &Ask) -> Option<Key> {
        match ask {
            Ask::Get(key)
            | Ask::Create(key, _)
            | Ask::Change(key, _)
            | Ask::CreateOrChange(key, _)
            | Ask::Delete(key)
            | Ask::Restore(key)
            | Ask::Purge(key) => Some(*key),
            Ask::List | Ask::CreateBatch(_) | Ask::ChangeBatch(_) | Ask::DeleteBatch(_) => None,
        }
    }

    async fn send(&self, step: &Step, index: usize, known: Option<&(Value, String)>) -> Answer {
        let prefix = self.shape.prefix;
        let path = |key: &Key| format!("{prefix}/{}", named(&self.run, "k", *key).as_str().unwrap_or_default());
        let batch = format!("{prefix}/batch");
        let items = |items: &[(Key, Fields)], whole| json!({ "items": items.iter().map(|(key, fields)| self.body(Some(*key), *fields, whole)).collect::<Vec<_>>() });
        let (method, target, body) = match &step.ask {
            Ask::Get(key) => (Method::GET, path(key), None),
            Ask::List => (Method::GET, prefix.to_owned(), None),
            Ask::Create(key, fields) => (Method::POST, prefix.to_owned(), Some(self.body(Some(*key), *fields, true))),
            Ask::Change(key, fields) => (Method::PATCH, path(key), Some(self.body(None, *fields, false))),
            Ask::CreateOrChange(key, fields) => {
                (Method::PUT, path(key) + "?allow_missing=true", Some(self.body(None, *fields, true)))
            }
            Ask::Delete(key) => (Method::DELETE, path(key), None),
            Ask::Restore(key) => (Method::POST, path(key) + "/restore", None),
            Ask::Purge(key) => (Method::DELETE, path(key) + "/permanent", None),
            Ask::CreateBatch(all) => (Method::POST, batch, Some(items(all, true))),
            Ask::ChangeBatch(all) => (Method::PUT, batch, Some(items(all, false))),
            Ask::DeleteBatch(keys) => {
                let ids: Vec<Value> = keys.iter().map(|key| named(&self.run, "k", *key)).collect();
                (Method::DELETE, batch, Some(json!({ "ids": ids })))
            }
        };
        let mut request = self.client.request(method, target);
        if let Some(body) = body {
            request = request.json(&body);
        }
        if let Some((_, tag)) = known {
            request = request.header("if-match", tag);
        }
        if step.repeated {
            request = request.header("idempotency-key", &format!("{}-{}-{index}", self.run, self.number));
        }
        request.await
    }

    fn body(&self, key: Option<Key>, fields: Fields, whole: bool) -> Value {
        let mut body = json!({});
        if let Some(key) = key {
            body["id"] = named(&self.run, "k", key);
        }
        if whole {
            body["run"] = (*self.run).into();
        }
        if let Some(code) = fields.code {
            body["code"] = named(&self.run, "c", code);
        }
        if let Some(amount) = fields.amount {
            body["amount"] = amount.into();
        }
        body
    }

    /// The atoms of a request, by its answer.
    fn atoms(&self, ask: &Ask, answer: &Answer, known: Option<Value>) -> Vec<Atom> {
        let one = |key: &Key, act: Act| {
            let outcome = if answer.status() < 400 { Ok(answer.json().clone()) } else { Err(code(answer.json())) };
            vec![Atom::One(*key, act, outcome)]
        };
        match ask {
            Ask::Get(key) => one(key, Act::Get),
            Ask::Create(key, fields) => one(key, Act::Create(*fields)),
            Ask::Change(key, fields) => one(key, Act::Change(*fields, known)),
            Ask::CreateOrChange(key, fields) => one(key, Act::CreateOrChange(*fields)),
            Ask::Delete(key) => one(key, Act::Delete(known)),
            Ask::Restore(key) => one(key, Act::Restore),
            Ask::Purge(key) => one(key, Act::Purge),
            Ask::List => Vec::new(),
            Ask::CreateBatch(items) => {
                self.of_batch(items.iter().map(|(key, fields)| (*key, Act::Create(*fields))).collect(), answer)
            }
            Ask::ChangeBatch(items) => {
                self.of_batch(items.iter().map(|(key, fields)| (*key, Act::Change(*fields, None))).collect(), answer)
            }
            Ask::DeleteBatch(keys) => self.of_batch(keys.iter().map(|key| (*key, Act::Delete(None))).collect(), answer),
        }
    }

    fn of_batch(&self, acts: Vec<(Key, Act)>, answer: &Answer) -> Vec<Atom> {
        let body = answer.json();
        let done = || body["items"].as_array().cloned().unwrap_or_default();
        if self.shape.atomic {
            return vec![Atom::All(acts, if answer.status() < 400 { Ok(done()) } else { Err(code(body)) })];
        }
        assert!(answer.status() < 400, "{answer}");
        let mut done = done().into_iter();
        let errors = body["errors"].as_array().cloned().unwrap_or_default();
        let atom = |(index, (key, act)): (usize, (Key, Act))| {
            let error = errors.iter().find(|error| error["index"] == index);
            let outcome =
                error.map_or_else(|| done.next().ok_or_else(|| "no item".to_owned()), |error| Err(code(error)));
            Atom::One(key, act, outcome)
        };
        acts.into_iter().enumerate().map(atom).collect()
    }
}

fn code(problem: &Value) -> String {
    problem["code"].as_str().unwrap_or_default().to_owned()
}
