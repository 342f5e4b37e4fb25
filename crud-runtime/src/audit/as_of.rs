//! [`as_of`]: a record's past state, from its present state and its log.

use chrono::{DateTime, Utc};
use serde_json::{Map, Value as Json};

use crate::model::descriptor::{Descriptor, Role};
use crate::store::audit_record::{Action, AuditRecord};

/// A record's state at a time, as reconstructed from the log.
#[derive(Debug, PartialEq)]
pub(crate) enum PastState {
    /// The record's fields, by their JSON names.
    Record(Map<String, Json>),
    /// The record did not exist.
    Absent,
    /// The log does not determine the state.
    Unknown,
}

/// Reconstructs a record's state at a time by undoing every later change. `present` is the record now, if it exists;
/// `entries` are its log from the last entry at or before the time on, the oldest first.
///
/// Each undone entry must match the state after it; else the record was changed without the log. The log covers the
/// time if an entry is at or before it, or the record was created after it.
pub(crate) fn as_of(
    resource: &Descriptor,
    present: Option<Map<String, Json>>,
    entries: &[AuditRecord],
    time: DateTime<Utc>,
) -> PastState {
    if entries.iter().any(|entry| entry.timestamp.is_none()) {
        return PastState::Unknown;
    }
    let Some(first_later) = entries.iter().position(|entry| entry.timestamp > Some(time)) else {
        // No later change: the last entry must match the present state.
        return match (entries.last(), present) {
            (None, _) => PastState::Unknown,
            (Some(last), present) => verified(resource, present, last),
        };
    };
    let mut state = present;
    for entry in entries[first_later..].iter().rev() {
        match undo(resource, state, entry) {
            Ok(before) => state = before,
            Err(Contradiction) => return PastState::Unknown,
        }
    }
    match (first_later.checked_sub(1), state) {
        (Some(last), state) => verified(resource, state, &entries[last]),
        // Without an earlier entry, only a creation proves the state; else the record is older than the log.
        (None, None) => PastState::Absent,
        (None, Some(_)) => PastState::Unknown,
    }
}

/// The state, if it matches the entry that led to it.
fn verified(resource: &Descriptor, state: Option<Map<String, Json>>, entry: &AuditRecord) -> PastState {
    let matches = undo(resource, state.clone(), entry).is_ok();
    match (matches, state) {
        (false, _) => PastState::Unknown,
        (true, Some(record)) => PastState::Record(record),
        (true, None) => PastState::Absent,
    }
}

/// An entry that does not match the state after it.
#[derive(Debug)]
struct Contradiction;

/// The state before an entry's change, from the state after it; an error if they contradict each other.
fn undo(
    resource: &Descriptor,
    after: Option<Map<String, Json>>,
    entry: &AuditRecord,
) -> Result<Option<Map<String, Json>>, Contradiction> {
    let is = |action: Action| entry.action == action.as_str();
    let object = |json: &Option<Json>| json.as_ref().and_then(Json::as_object).cloned();
    let (changes, previous) = (object(&entry.changes), object(&entry.previous));
    if is(Action::Create) {
        return has_values(after.as_ref().ok_or(Contradiction)?, &changes.ok_or(Contradiction)?)
            .then_some(None)
            .ok_or(Contradiction);
    }
    if is(Action::Delete) {
        return if after.is_none() { previous.map(Some).ok_or(Contradiction) } else { Err(Contradiction) };
    }
    let mut state = after.ok_or(Contradiction)?;
    if is(Action::Update) {
        if !has_values(&state, &changes.ok_or(Contradiction)?) {
            return Err(Contradiction);
        }
        state.extend(previous.ok_or(Contradiction)?);
    } else if is(Action::SoftDelete) {
        if !is_deleted(resource, &state) {
            return Err(Contradiction);
        }
        state.extend(previous.ok_or(Contradiction)?);
    } else if is(Action::Restore) {
        if is_deleted(resource, &state) {
            return Err(Contradiction);
        }
        state.extend(previous.ok_or(Contradiction)?);
    }
    // The program's own entries do not change the record.
    Ok(Some(state))
}

/// Whether the record has these values; fields that the resource no longer has are ignored.
fn has_values(state: &Map<String, Json>, values: &Map<String, Json>) -> bool {
    values.iter().all(|(name, value)| state.get(name).is_none_or(|present| present == value))
}

fn is_deleted(resource: &Descriptor, state: &Map<String, Json>) -> bool {
    let column = resource.columns.iter().find(|column| column.role == Role::IsDeleted);
    column.is_some_and(|column| state.get(column.json) == Some(&Json::Bool(true)))
}
