//! Batches of one item: their access, and the records that they reach.

use crud_runtime::axum::http::Method;
use crud_runtime::descriptor::Operation;
use serde_json::{Map, Value as Json, json};

use super::create::created;
use super::target::{Change, PEOPLE};
use crate::client::Sent;
use crate::rules::{Reading, json_of};
use crate::ways::ask::Ask;

pub(crate) async fn batch(ask: &Ask<'_>) {
    let (descriptor, path) = (ask.descriptor(), format!("{}/batch", ask.served().prefix));
    if ask.served().batch.is_none() {
        return;
    }
    let mut words = Vec::new();
    if descriptor.offers(Operation::BatchCreate) {
        let Ok(values) = ask.draft(ask.caller.person).await else { return };
        let (reply, made) = created(ask, Sent::post(path.clone(), &json!({ "items": [ask.body(&values)] }))).await;
        if !ask.admits(Operation::BatchCreate) {
            if made {
                ask.differs("batch create", &reply, "makes a record that access refuses: batch");
            }
            ask.passes("batch create", false, &reply);
        } else if made || reply.is_denied() && !Reading::may_lack_claim(descriptor, ask.caller) {
            ask.judge_admitted("batch create", &reply, made);
            words.extend(made.then_some("create"));
        } else {
            ask.findings.refused(descriptor.name, "batch create", reply.said());
        }
    }
    if descriptor.offers(Operation::BatchUpdate) && update(ask, &path).await {
        words.push("update");
    }
    if descriptor.offers(Operation::BatchDelete) && delete(ask, &path).await {
        words.push("delete");
    }
    ask.cell("batch", words.join(", "));
}

/// Updates a record of each person. Returns whether any was changed.
async fn update(ask: &Ask<'_>, path: &str) -> bool {
    let (descriptor, mut made_some) = (ask.descriptor(), false);
    for person in PEOPLE {
        let Some(record) = ask.new_record("batch update", person, Vec::new()).await else { continue };
        let values = ask.draft(person).await.unwrap_or_default();
        let new = values.into_iter().find(|(index, value)| {
            let column = &descriptor.columns[*index];
            let is_plain = !column.immutable && !column.read_only && !column.from_principal && column.visible.is_none();
            let is_text = matches!(value, crud_runtime::column::Value::Text(_)) && column.unique.is_none();
            is_plain && is_text && column.references.is_none() && !column.hidden && !descriptor.key().contains(index)
        });
        let Some((column, value)) = new else {
            ask.findings.unreached(format!("batch update of {}: no text to change", descriptor.name));
            return false;
        };
        let mut item = Map::new();
        for key in descriptor.key() {
            item.insert(descriptor.columns[*key].json.to_owned(), json_of(&record.values[*key]));
        }
        item.insert(descriptor.columns[column].json.to_owned(), json_of(&value));
        let sent = Sent::new(Method::PUT, path).json(&json!({ "items": [Json::Object(item)] }));
        let reply = ask.send(sent).await;
        let made = ask.stored(&record).await.is_some_and(|stored| stored.values[column] == value);
        let admitted = ask.admits(Operation::BatchUpdate);
        let change = Change { record: &record, admitted, reply: &reply, made, compares_status: false };
        made_some |= ask.judge("batch update", &change);
        ask.remove(&record).await;
    }
    made_some
}

/// Deletes a record of each person. Returns whether any was deleted.
async fn delete(ask: &Ask<'_>, path: &str) -> bool {
    let mut made_some = false;
    let [key] = ask.descriptor().key() else { return false };
    for person in PEOPLE {
        for (method, path) in [(Method::DELETE, path.to_owned()), (Method::POST, format!("{path}/delete"))] {
            let Some(record) = ask.new_record("batch delete", person, Vec::new()).await else { continue };
            let body = json!({ "ids": [json_of(&record.values[*key])] });
            let reply = ask.send(Sent::new(method, path).json(&body)).await;
            let made = ask.stored(&record).await.is_none_or(|stored| stored.is_deleted);
            let admitted = ask.admits(Operation::BatchDelete);
            let change = Change { record: &record, admitted, reply: &reply, made, compares_status: false };
            made_some |= ask.judge("batch delete", &change);
            ask.remove(&record).await;
        }
    }
    made_some
}
