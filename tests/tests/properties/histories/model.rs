//! The model: what becomes of the records, and which answers are right.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::histories::plan::{Fields, Key, Shape};

/// The records, as the answers show them.
pub(crate) type State = BTreeMap<Key, Value>;

/// Act on one record.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    Get,
    Create(Fields),
    /// With the record as the client knows it, if the request is conditional.
    Change(Fields, Option<Value>),
    CreateOrChange(Fields),
    Delete(Option<Value>),
    Restore,
    Purge,
}

/// Answer about one record: the record, or the code of a problem.
pub(crate) type Outcome = Result<Value, String>;

/// A part of a request that happens at one instant.
#[derive(Debug, Clone)]
pub(crate) enum Atom {
    One(Key, Act, Outcome),
    /// An atomic batch: all of it, or none.
    All(Vec<(Key, Act)>, Result<Vec<Value>, String>),
    /// Every record, deleted ones too.
    List(BTreeMap<Key, Value>),
}

/// The records after an atom; `None` where its answer is not right.
pub(crate) fn after(shape: Shape, run: &str, state: &State, atom: &Atom) -> Option<State> {
    match atom {
        Atom::One(key, act, outcome) => one(shape, run, state, *key, act, outcome),
        Atom::List(listed) => (listed == state).then(|| state.clone()),
        Atom::All(acts, Ok(records)) => {
            let mut next = state.clone();
            for ((key, act), record) in acts.iter().zip(records) {
                next = one(shape, run, &next, *key, act, &Ok(record.clone()))?;
            }
            (acts.len() == records.len()).then_some(next)
        }
        Atom::All(acts, Err(code)) => {
            let mut next = state.clone();
            for (key, act) in acts {
                match refusal(shape, run, &next, *key, act) {
                    Some(refused) => return (refused == code).then(|| state.clone()),
                    None => assume(run, &mut next, *key, act),
                }
            }
            None
        }
    }
}

/// The problem of an act in a state, if there is one.
fn refusal(shape: Shape, run: &str, state: &State, key: Key, act: &Act) -> Option<&'static str> {
    let found = state.get(&key);
    let is_deleted = found.is_some_and(|record| record["is_deleted"] == true);
    let active = found.filter(|_| !is_deleted);
    let invalid = |fields: &Fields| fields.amount.is_some_and(|amount| amount < 0);
    let taken = |fields: &Fields| {
        let code = fields.code.map(|code| named(run, "c", code));
        code.is_some_and(|code| state.iter().any(|(other, record)| *other != key && record["code"] == code))
    };
    let stale = |known: &Option<Value>| known.is_some() && known.as_ref() != found;
    let refusals = match act {
        Act::Get => [(active.is_none(), "not_found"), (false, "")],
        Act::Create(fields) => [(invalid(fields), "validation_failed"), (found.is_some() || taken(fields), "conflict")],
        Act::Change(fields, known) => {
            return [
                (invalid(fields), "validation_failed"),
                (found.is_none(), "not_found"),
                (stale(known), "precondition_failed"),
                (taken(fields), "conflict"),
            ]
            .into_iter()
            .find_map(|(is_so, code)| is_so.then_some(code));
        }
        Act::CreateOrChange(fields) => [(invalid(fields), "validation_failed"), (taken(fields), "conflict")],
        Act::Delete(known) => [(active.is_none(), "not_found"), (stale(known), "precondition_failed")],
        Act::Restore | Act::Purge => {
            [(found.is_none(), "not_found"), (!is_deleted && shape.soft_delete, "not_deleted")]
        }
    };
    refusals.into_iter().find_map(|(is_so, code)| is_so.then_some(code))
}

fn one(shape: Shape, run: &str, state: &State, key: Key, act: &Act, outcome: &Outcome) -> Option<State> {
    match (refusal(shape, run, state, key, act), outcome) {
        (Some(code), Err(found)) => (code == found).then(|| state.clone()),
        (None, Ok(record)) => {
            let mut next = state.clone();
            let old = state.get(&key);
            let removes = matches!(act, Act::Purge) || matches!(act, Act::Delete(_)) && !shape.soft_delete;
            if matches!(act, Act::Get) || removes {
                if removes {
                    next.remove(&key);
                }
                return (Some(record) == old).then_some(next);
            }
            next.insert(key, record.clone());
            is_right(run, key, old, act, record).then_some(next)
        }
        _ => None,
    }
}

/// Whether a record is what an act makes of the old one.
fn is_right(run: &str, key: Key, old: Option<&Value>, act: &Act, record: &Value) -> bool {
    let mut wanted = old.cloned().unwrap_or_else(|| json!({}));
    match act {
        Act::Create(fields) | Act::CreateOrChange(fields) | Act::Change(fields, _) => {
            set(&mut wanted, run, key, *fields);
        }
        Act::Delete(_) => wanted["is_deleted"] = true.into(),
        Act::Restore => wanted["is_deleted"] = false.into(),
        Act::Get | Act::Purge => {}
    }
    if old == Some(&wanted) {
        // An update without a change keeps the time of the last change.
        return record == old.unwrap_or(&Value::Null);
    }
    let same = |name: &str| wanted[name].is_null() || record[name] == wanted[name];
    let time = |record: &Value| record["updated_at"].as_str().map(str::to_owned);
    let changes_values = !matches!(act, Act::Delete(_) | Act::Restore);
    let is_later =
        old.is_none_or(|old| if changes_values { time(old) < time(record) } else { time(old) <= time(record) });
    ["id", "run", "code", "amount", "is_deleted"].into_iter().all(same)
        && record["deleted_at"].is_string() == (record["is_deleted"] == true)
        && is_later
}

/// Applies an act of which the answer is not known, for those after it in its batch.
fn assume(run: &str, state: &mut State, key: Key, act: &Act) {
    match act {
        Act::Create(fields) | Act::CreateOrChange(fields) | Act::Change(fields, _) => {
            set(state.entry(key).or_insert_with(|| json!({})), run, key, *fields);
        }
        Act::Delete(_) | Act::Purge => drop(state.remove(&key)),
        Act::Get | Act::Restore => {}
    }
}

fn set(record: &mut Value, run: &str, key: Key, fields: Fields) {
    record["id"] = named(run, "k", key);
    record["run"] = run.into();
    if let Some(code) = fields.code {
        record["code"] = named(run, "c", code);
    }
    if let Some(amount) = fields.amount {
        record["amount"] = amount.into();
    }
}

/// A key or code as the service has it.
pub(crate) fn named(run: &str, kind: &str, number: u8) -> Value {
    format!("{run}-{kind}{number}").into()
}
