//! [`AsOf`]: a record's past state, from its present state and its log.

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
    /// The record differs from its last entry: something has changed it without the log.
    Unlogged,
}

/// Reconstructs a record's state at a time by undoing every later change, one entry at a time.
///
/// Each undone entry must match the state after it; else the record was changed without the log. The log covers the
/// time if an entry is at or before it, or the record was created after it.
#[derive(Debug)]
pub(crate) struct AsOf {
    resource: &'static Descriptor,
    time: DateTime<Utc>,
    /// The record before the undone entries, or the contradiction between them.
    state: Result<Option<Map<String, Json>>, Contradiction>,
    /// Whether the last entry up to the time led to the state; `None` without such an entry.
    verified: Option<bool>,
    entries: u64,
    /// Whether the last entry contradicts the record as it is.
    is_unlogged: bool,
}

impl AsOf {
    /// Begins with the present record, if it exists.
    pub(crate) fn new(resource: &'static Descriptor, present: Option<Map<String, Json>>, time: DateTime<Utc>) -> Self {
        Self { resource, time, state: Ok(present), verified: None, entries: 0, is_unlogged: false }
    }

    /// The time at which the state is wanted.
    pub(crate) const fn time(&self) -> DateTime<Utc> {
        self.time
    }

    /// Takes the next older entry of the log, down to the last one that is not later than the time.
    pub(crate) fn entry(&mut self, entry: &AuditRecord) {
        self.entries += 1;
        let Ok(state) = std::mem::replace(&mut self.state, Err(Contradiction)) else { return };
        if entry.timestamp.is_none() {
            return;
        }
        let is_later = entry.timestamp > Some(self.time);
        let kept = (!is_later).then(|| state.clone());
        let before = undo(self.resource, state, entry);
        self.is_unlogged |= self.entries == 1 && before.is_err() && has_values_of_change(entry);
        match kept {
            None => self.state = before,
            Some(state) => {
                self.verified = Some(before.is_ok());
                self.state = Ok(state);
            }
        }
    }

    /// Whether the log has no entry of the record.
    pub(crate) const fn is_empty(&self) -> bool {
        self.entries == 0
    }

    /// The state at the time.
    pub(crate) fn finish(self) -> PastState {
        match (self.verified, self.state) {
            (Some(true), Ok(Some(record))) => PastState::Record(record),
            (Some(true), Ok(None)) => PastState::Absent,
            // Without an earlier entry, only a creation proves the state; else the record is older than the log.
            (None, Ok(None)) if self.entries > 0 => PastState::Absent,
            _ if self.is_unlogged => PastState::Unlogged,
            _ => PastState::Unknown,
        }
    }
}

/// An entry that does not match the state after it.
#[derive(Debug)]
pub(super) struct Contradiction;

/// Whether an entry has the values of its change: the log keeps no values for some resources, and erased values are
/// gone.
pub(super) fn has_values_of_change(entry: &AuditRecord) -> bool {
    let is = |action: Action| entry.action == action.as_str();
    let has_changes = entry.changes.as_ref().is_some_and(Json::is_object);
    let has_previous = entry.previous.as_ref().is_some_and(Json::is_object);
    (has_changes || !is(Action::Create) && !is(Action::Update)) && (has_previous || is(Action::Create))
}

/// The state before an entry's change, from the state after it; an error if they contradict each other.
pub(super) fn undo(
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
    let matches = if is(Action::Update) {
        has_values(&state, &changes.ok_or(Contradiction)?)
    } else if is(Action::SoftDelete) {
        is_deleted(resource, &state)
    } else if is(Action::Restore) {
        !is_deleted(resource, &state)
    } else {
        // The program's own entries do not change the record.
        return Ok(Some(state));
    };
    state.extend(previous.filter(|_| matches).ok_or(Contradiction)?);
    Ok(Some(state))
}

/// Whether the record has these values; fields that the resource no longer has are ignored.
fn has_values(state: &Map<String, Json>, values: &Map<String, Json>) -> bool {
    values.iter().all(|(name, value)| state.get(name).is_none_or(|present| present == value))
}

/// Whether a record that soft delete keeps is deleted.
pub(crate) fn is_deleted(resource: &Descriptor, state: &Map<String, Json>) -> bool {
    let column = resource.columns.iter().find(|column| column.role == Role::IsDeleted);
    column.is_some_and(|column| state.get(column.json) == Some(&Json::Bool(true)))
}
