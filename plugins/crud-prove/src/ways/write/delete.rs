//! Deletes, restores and purges of one record and of many.

use crud_runtime::axum::http::Method;
use crud_runtime::descriptor::Operation;
use serde_json::json;

use super::target::{Change, PEOPLE, Reached};
use crate::client::Sent;
use crate::rules::json_of;
use crate::ways::ask::Ask;
use crate::world::Record;

pub(crate) async fn delete(ask: &Ask<'_>) {
    let mut reached = Reached::default();
    if !ask.descriptor().offers(Operation::Delete) {
        return;
    }
    for person in PEOPLE {
        let Some(record) = ask.new_record("delete", person, Vec::new()).await else { continue };
        let reply = ask.send(Sent::new(Method::DELETE, ask.path_of(&record, ""))).await;
        let made = ask.stored(&record).await.is_none_or(|stored| stored.is_deleted);
        let admitted = ask.admits(Operation::Delete);
        let change = Change { record: &record, admitted, reply: &reply, made, compares_status: true };
        let was_made = ask.judge("delete", &change);
        reached.add(ask, &change, was_made);
        ask.remove(&record).await;
    }
    ask.cell("delete", reached.text(ask));
}

pub(crate) async fn restore(ask: &Ask<'_>) {
    let mut reached = Reached::default();
    if !ask.descriptor().offers(Operation::Restore) {
        return;
    }
    for person in PEOPLE {
        let Some(record) = ask.new_deleted("restore", person).await else { continue };
        let reply = ask.send(Sent::new(Method::POST, ask.path_of(&record, "/restore"))).await;
        let made = ask.stored(&record).await.is_some_and(|stored| !stored.is_deleted);
        let admitted = ask.admits(Operation::Restore);
        let change = Change { record: &record, admitted, reply: &reply, made, compares_status: true };
        let was_made = ask.judge("restore", &change);
        reached.add(ask, &change, was_made);
        ask.remove(&record).await;
    }
    ask.cell("restore", reached.text(ask));
}

pub(crate) async fn purge(ask: &Ask<'_>) {
    let mut reached = Reached::default();
    if !ask.descriptor().offers(Operation::Purge) {
        return;
    }
    for person in PEOPLE {
        let Some(record) = ask.new_deleted("purge", person).await else { continue };
        let reply = ask.send(Sent::new(Method::DELETE, ask.path_of(&record, "/permanent"))).await;
        let made = ask.stored(&record).await.is_none();
        let admitted = ask.admits(Operation::Purge);
        let change = Change { record: &record, admitted, reply: &reply, made, compares_status: true };
        let was_made = ask.judge("purge", &change);
        reached.add(ask, &change, was_made);
        ask.remove(&record).await;
    }
    ask.cell("purge", reached.text(ask));
}

/// `POST {prefix}/restore` with keys, and `DELETE {prefix}/deleted` with a filter by the key.
pub(crate) async fn many(ask: &Ask<'_>) {
    let (descriptor, prefix) = (ask.descriptor(), &ask.served().prefix);
    let [key] = descriptor.key() else { return };
    let (column, key) = (&descriptor.columns[*key], *key);
    let filters = descriptor.columns.iter().any(|column| column.filterable);
    for person in PEOPLE {
        if descriptor.offers(Operation::RestoreMany)
            && let Some(record) = ask.new_deleted("restore many", person).await
        {
            let body = json!({ "ids": [json_of(&record.values[key])] });
            let reply = ask.send(Sent::post(format!("{prefix}/restore"), &body)).await;
            let made = ask.stored(&record).await.is_some_and(|stored| !stored.is_deleted);
            judge(ask, "restore many", Operation::RestoreMany, &record, &reply, made);
            ask.remove(&record).await;
        }
        // The filter by the key spares the other deleted records.
        if filters
            && descriptor.offers(Operation::PurgeMany)
            && let Some(record) = ask.new_deleted("purge many", person).await
        {
            let sent = Sent::new(Method::DELETE, format!("{prefix}/deleted"));
            let reply = ask.send(sent.with(column.json, &record.values[key].to_string())).await;
            let made = ask.stored(&record).await.is_none();
            judge(ask, "purge many", Operation::PurgeMany, &record, &reply, made);
            ask.remove(&record).await;
        }
    }
}

fn judge(
    ask: &Ask<'_>,
    way: &'static str,
    operation: Operation,
    record: &Record,
    reply: &crate::client::Reply,
    made: bool,
) {
    let admitted = ask.admits(operation);
    // The status is not compared: a record that may not be changed is only left out of the answer.
    ask.judge(way, &Change { record, admitted, reply, made, compares_status: false });
}
