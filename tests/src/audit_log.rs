//! The audit log as tests read it: its entries, and the records that a replay of them yields.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::client::Client;
use crate::fixtures::records;

/// The state of each record by its id as JSON; `None` for a deleted one.
pub type States = BTreeMap<String, Option<Value>>;

/// Every log entry of one entity type, read page by page.
///
/// # Panics
/// When the pages do not add up to the total.
pub async fn entries(api: &Client, entity_type: &str) -> Vec<Value> {
    entries_after(api, entity_type, 0).await
}

/// Every log entry of one entity type after the first `known`, read page by page.
///
/// # Panics
/// When the pages do not add up to the total.
pub async fn entries_after(api: &Client, entity_type: &str, known: usize) -> Vec<Value> {
    pages(api, &format!("/audit-logs?entity_type={entity_type}"), known).await
}

/// Every entry of one record's history, read page by page.
///
/// # Panics
/// When the pages do not add up to the total.
pub async fn history(api: &Client, path: &str) -> Vec<Value> {
    pages(api, &format!("{path}/history?"), 0).await
}

async fn pages(api: &Client, target: &str, known: usize) -> Vec<Value> {
    let mut entries: Vec<Value> = Vec::new();
    loop {
        let page = api.get(format!("{target}&limit=100&skip={}", known + entries.len())).await.ok();
        let read = records(&page);
        entries.extend_from_slice(read);
        if read.is_empty() || page["total"] == known + entries.len() {
            assert_eq!(page["total"], known + entries.len(), "the pages add up to the total");
            return entries;
        }
    }
}

/// The action of each entry.
///
/// # Panics
/// When an entry has none.
#[track_caller]
pub fn actions(entries: &[Value]) -> Vec<&str> {
    entries
        .iter()
        .map(|entry| entry["action"].as_str().unwrap_or_else(|| panic!("the entry has no action: {entry}")))
        .collect()
}

/// The states of all records after these entries.
///
/// # Errors
/// The first entry whose `previous` differs from the state before it, or that is impossible in that state.
pub fn replay(entries: &[Value]) -> Result<States, String> {
    let mut states = States::new();
    replay_onto(&mut states, entries)?;
    Ok(states)
}

/// Applies further entries to the states.
///
/// # Errors
/// As for [`replay`].
pub fn replay_onto(states: &mut States, entries: &[Value]) -> Result<(), String> {
    for entry in entries {
        let state = states.entry(entry["entity_id"].to_string()).or_default();
        *state = next(state.take(), entry).map_err(|fault| format!("{fault}: {entry}"))?;
    }
    Ok(())
}

/// The state of a record after an entry.
fn next(state: Option<Value>, entry: &Value) -> Result<Option<Value>, String> {
    let (changes, previous) = (&entry["changes"], &entry["previous"]);
    match (entry["action"].as_str().unwrap_or_default(), state) {
        ("create", None) if previous.is_null() => Ok(Some(changes.clone())),
        ("update", Some(mut state)) => {
            let (changes, previous) = (members(changes)?, members(previous)?);
            if !changes.keys().eq(previous.keys()) {
                return Err("`previous` and `changes` have different fields".to_owned());
            }
            for (name, value) in previous {
                if state.get(name) != Some(value) {
                    return Err(format!("the previous {name} differs from that of {state}"));
                }
                if changes[name] == *value {
                    return Err(format!("{name} has not changed"));
                }
                state[name] = changes[name].clone();
            }
            Ok(Some(state))
        }
        ("soft_delete", Some(state)) if changes.is_null() && state == *previous => {
            Ok(Some(marked(state, Value::from(true), entry["timestamp"].clone())))
        }
        ("restore", Some(state)) if changes.is_null() => {
            let before = serde_json::json!({ "is_deleted": true, "deleted_at": state["deleted_at"] });
            if *previous == before {
                Ok(Some(marked(state, Value::from(false), Value::Null)))
            } else {
                Err(format!("expected `previous` to be {before}"))
            }
        }
        ("delete", Some(state)) if changes.is_null() && state == *previous => Ok(None),
        (action, state) => Err(format!("{action} cannot replay_onto {state:?}")),
    }
}

fn marked(mut state: Value, is_deleted: Value, deleted_at: Value) -> Value {
    state["is_deleted"] = is_deleted;
    state["deleted_at"] = deleted_at;
    state
}

fn members(value: &Value) -> Result<&Map<String, Value>, String> {
    value.as_object().ok_or_else(|| format!("is not an object: {value}"))
}
