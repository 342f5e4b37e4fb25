//! What a record was at a time: the present record, with every change since undone.

use chrono::{DateTime, Utc};
use serde_json::{Map, Value as Json};

use crate::model::descriptor::{Descriptor, Role};
use crate::store::audit_record::{Action, AuditRecord};

/// What the log says of a record at a time.
#[derive(Debug, PartialEq)]
pub(crate) enum Past {
    /// What it was, by the names of its fields in JSON.
    Record(Map<String, Json>),
    /// It was not there.
    Nothing,
    /// The log cannot say.
    Unknown,
}

/// Goes back to a time: `present` is the record as it is now, if it is there; `entries` are all of its log,
/// the oldest first.
///
/// Every entry on the way must agree with the state that it is to have led to; where one does not, the record
/// was changed past the log. So that the time lies in what the log covers, there must be an entry at or before
/// it, or one that tells of the record's creation after it.
pub(crate) fn as_of(
    resource: &Descriptor,
    present: Option<Map<String, Json>>,
    entries: &[AuditRecord],
    time: DateTime<Utc>,
) -> Past {
    if entries.iter().any(|entry| entry.timestamp.is_none()) {
        return Past::Unknown;
    }
    let Some(later) = entries.iter().position(|entry| entry.timestamp > Some(time)) else {
        // No change since; the last entry has to agree with what is there.
        return match (entries.last(), present) {
            (None, _) => Past::Unknown,
            (Some(last), present) => settle(resource, present, last),
        };
    };
    let mut state = present;
    for entry in entries[later..].iter().rev() {
        match undo(resource, state, entry) {
            Ok(before) => state = before,
            Err(()) => return Past::Unknown,
        }
    }
    match (later.checked_sub(1), state) {
        (Some(last), state) => settle(resource, state, &entries[last]),
        // Nothing before, and then it was created: that is certain. Else it was there before the log was.
        (None, None) => Past::Nothing,
        (None, Some(_)) => Past::Unknown,
    }
}

/// The state that an entry led to, if it is this one.
fn settle(resource: &Descriptor, state: Option<Map<String, Json>>, entry: &AuditRecord) -> Past {
    let agrees = undo(resource, state.clone(), entry).is_ok();
    match (agrees, state) {
        (false, _) => Past::Unknown,
        (true, Some(record)) => Past::Record(record),
        (true, None) => Past::Nothing,
    }
}

/// The state before an entry, given the one after it.
fn undo(
    resource: &Descriptor,
    after: Option<Map<String, Json>>,
    entry: &AuditRecord,
) -> Result<Option<Map<String, Json>>, ()> {
    let is = |action: Action| entry.action == action.as_str();
    let object = |json: &Option<Json>| json.as_ref().and_then(Json::as_object).cloned();
    let (changes, previous) = (object(&entry.changes), object(&entry.previous));
    if is(Action::Create) {
        return agree(after.as_ref().ok_or(())?, &changes.ok_or(())?).then_some(None).ok_or(());
    }
    if is(Action::Delete) {
        return if after.is_none() { previous.map(Some).ok_or(()) } else { Err(()) };
    }
    let mut state = after.ok_or(())?;
    if is(Action::Update) {
        if !agree(&state, &changes.ok_or(())?) {
            return Err(());
        }
        state.extend(previous.ok_or(())?);
    } else if is(Action::SoftDelete) {
        if !deleted(resource, &state) {
            return Err(());
        }
        state.extend(previous.ok_or(())?);
    } else if is(Action::Restore) {
        if deleted(resource, &state) {
            return Err(());
        }
        state.extend(previous.ok_or(())?);
    }
    // An entry of the program's own tells nothing of the record.
    Ok(Some(state))
}

/// Whether the record has these values. A field that the resource no longer has says nothing.
fn agree(state: &Map<String, Json>, values: &Map<String, Json>) -> bool {
    values.iter().all(|(name, value)| state.get(name).is_none_or(|present| present == value))
}

fn deleted(resource: &Descriptor, state: &Map<String, Json>) -> bool {
    let column = resource.columns.iter().find(|column| column.role == Role::IsDeleted);
    column.is_some_and(|column| state.get(column.json) == Some(&Json::Bool(true)))
}
