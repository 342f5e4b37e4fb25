//! Updates of records that the caller sees, of deleted records, and of hidden fields.

use crud_runtime::axum::http::Method;
use crud_runtime::column::Value;
use crud_runtime::descriptor::Operation;
use serde_json::{Map, Value as Json};

use super::target::{Change, PEOPLE, Reached};
use crate::client::Sent;
use crate::rules::json_of;
use crate::ways::ask::Ask;
use crate::world::{Record, Variant};

pub(crate) async fn update(ask: &Ask<'_>) {
    if !ask.descriptor().offers(Operation::Update) {
        return;
    }
    let mut reached = Reached::default();
    for person in PEOPLE {
        let Some(record) = ask.new_record("update", person, Vec::new()).await else { continue };
        let new = new_value(ask, person, |column| column.visible.is_none());
        let (reply, made) = patch(ask, &record, new.as_ref()).await;
        let admitted = ask.admits(Operation::Update);
        let change = Change { record: &record, admitted, reply: &reply, made, compares_status: true };
        let was_made = ask.judge("update", &change);
        reached.add(ask, &change, was_made);
        if was_made {
            hidden_field(ask, person, &record).await;
        }
        ask.remove(&record).await;
    }
    old(ask).await;
    ask.cell("update", reached.text(ask));
}

/// Updates a record that is too old to be changed.
async fn old(ask: &Ask<'_>) {
    let is_over = |record: &&Record| {
        record.person == Some(ask.caller.person)
            && !record.is_deleted
            && ask.sees(record)
            && !ask.reading.changes(ask.descriptor(), &record.values, ask.caller)
    };
    let Some(record) = ask.records().iter().find(is_over) else { return };
    let new = new_value(ask, ask.caller.person, |column| column.visible.is_none());
    let (reply, made) = patch(ask, record, new.as_ref()).await;
    let admitted = ask.admits(Operation::Update);
    ask.judge("update", &Change { record, admitted, reply: &reply, made, compares_status: true });
}

/// Updates the fields that the caller does not see.
async fn hidden_field(ask: &Ask<'_>, person: usize, record: &Record) {
    let descriptor = ask.descriptor();
    let is_hidden = |column: usize| descriptor.columns[column].visible.is_some() && !ask.shows(column);
    for column in (0..descriptor.columns.len()).filter(|column| is_hidden(*column)) {
        let values = ask.draft(person).await.unwrap_or_default();
        let Some((_, value)) = values.into_iter().find(|(other, _)| *other == column) else { continue };
        let (reply, made) = patch(ask, record, Some(&(column, value))).await;
        let name = descriptor.columns[column].json;
        if made {
            ask.differs("update", &reply, &format!("changes the field `{name}`, which the rules hide,"));
        } else {
            ask.has_status("update", &reply, 422, &format!("a change of `{name}`, which the rules hide,"));
        }
    }
}

/// Updates a deleted record. Callers who may not restore it must get 404.
pub(crate) async fn deleted(ask: &Ask<'_>) {
    let descriptor = ask.descriptor();
    let Some(soft_delete) = descriptor.soft_delete.filter(|_| descriptor.offers(Operation::Update)) else { return };
    if soft_delete.auto_restore_on_update || soft_delete.include_deleted_by_default {
        return;
    }
    for person in PEOPLE {
        let Some(record) = ask.new_deleted("update deleted", person).await else { continue };
        let new = new_value(ask, person, |column| column.visible.is_none());
        let (reply, made) = patch(ask, &record, new.as_ref()).await;
        let admitted = ask.admits(Operation::Update);
        let change = Change { record: &record, admitted, reply: &reply, made, compares_status: true };
        if !admitted || ask.admits_too(Operation::Restore) {
            ask.judge("update deleted", &change);
        } else if made || reply.status != 404 {
            let words = format!("gets {}, expected 404, for a change of a deleted record", reply.said());
            ask.differs("update deleted", &reply, &words);
        }
        ask.remove(&record).await;
    }
}

/// A new value of a field that bodies can change, and that access does not depend on.
pub(crate) fn new_value(
    ask: &Ask<'_>,
    person: usize,
    is_wanted: impl Fn(&crud_runtime::descriptor::ColumnDescriptor) -> bool,
) -> Option<(usize, Value)> {
    let descriptor = ask.descriptor();
    let values = ask.world.draft(ask.resource, person, Variant::Own).ok()?;
    values.into_iter().find(|(index, value)| {
        let column = &descriptor.columns[*index];
        let is_fixed = column.immutable || column.read_only || column.hidden || column.write_only;
        let decides = column.from_principal || column.references.is_some() || descriptor.key().contains(index);
        let is_text = matches!(value, Value::Text(_)) && column.unique.is_none();
        is_text && !is_fixed && !decides && is_wanted(column)
    })
}

/// Sends an update of one field, or an empty one. Returns whether it was made, by the stored value.
async fn patch(ask: &Ask<'_>, record: &Record, new: Option<&(usize, Value)>) -> (crate::client::Reply, bool) {
    let mut body = Map::new();
    if let Some((column, value)) = new {
        body.insert(ask.descriptor().columns[*column].json.to_owned(), json_of(value));
    }
    let sent = Sent::new(Method::PATCH, ask.path_of(record, "")).json(&Json::Object(body));
    let reply = ask.send(sent).await;
    let stored = ask.stored(record).await;
    let made = match new {
        Some((column, value)) => {
            stored.is_some_and(|stored| stored.values[*column] == *value && record.values[*column] != *value)
        }
        // Only the answer shows that an empty update was made.
        None => reply.is_success(),
    };
    (reply, made)
}
