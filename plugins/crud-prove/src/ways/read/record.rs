//! Single records, now and in the past, their history, and their files.

use crud_runtime::descriptor::Operation;

use crate::client::Sent;
use crate::rules::Reading;
use crate::ways::ask::Ask;
use crate::world::Record;

pub(crate) async fn get(ask: &Ask<'_>) {
    let (mut reached, mut refused) = (Vec::new(), None);
    for record in ask.records() {
        let reply = ask.send(Sent::get(ask.path_of(record, ""))).await;
        if !ask.passes("get", ask.admits(Operation::Get), &reply) {
            refused = Some(reply.status);
            continue;
        }
        let expected = if ask.sees(record) && !record.is_deleted { 200 } else { 404 };
        if ask.has_status("get", &reply, expected, &about(record)) && expected == 200 {
            ask.has_fields("get", &reply, &reply.json());
            reached.push(record);
        }
    }
    let candidates: Vec<_> = ask.records().iter().filter(|record| !record.is_deleted).collect();
    ask.cell("get", refused.map_or_else(|| ask.reach(&candidates, &reached), |status| status.to_string()));
}

pub(crate) async fn get_deleted(ask: &Ask<'_>) {
    let admitted = ask.admits(Operation::Get) && ask.admits_too(Operation::Restore);
    for record in ask.records().iter().filter(|record| record.is_deleted) {
        let reply = ask.send(Sent::get(ask.path_of(record, "")).with("include_deleted", "true")).await;
        if ask.passes("get deleted", admitted, &reply) {
            let expected = if ask.sees(record) { 200 } else { 404 };
            ask.has_status("get deleted", &reply, expected, &about(record));
        }
    }
}

pub(crate) async fn history(ask: &Ask<'_>) {
    let (mut reached, mut refused) = (Vec::new(), None);
    for record in ask.records() {
        let reply = ask.send(Sent::get(ask.path_of(record, "/history"))).await;
        // The scope may depend on former values of other records, which the log may lack.
        if is_unknown_past(ask, reply.status, Operation::History) {
            continue;
        }
        if !ask.passes("history", ask.admits(Operation::History), &reply) {
            refused = Some(reply.status);
            continue;
        }
        let is_shown = ask.sees(record) && (!record.is_deleted || sees_deleted(ask));
        if ask.has_status("history", &reply, if is_shown { 200 } else { 404 }, &about(record)) && is_shown {
            reached.push(record);
            has_visible_changes(ask, &reply);
        }
    }
    let candidates: Vec<_> = ask.records().iter().collect();
    ask.cell("history", refused.map_or_else(|| ask.reach(&candidates, &reached), |status| status.to_string()));
}

/// Checks that the entries of a history have only fields that the caller sees.
fn has_visible_changes(ask: &Ask<'_>, reply: &crate::client::Reply) {
    for entry in Ask::rows(reply) {
        for (index, column) in ask.descriptor().columns.iter().enumerate() {
            let is_there = |part: &str| entry[part].get(column.json).is_some_and(|value| !value.is_null());
            if (is_there("changes") || is_there("previous")) && !ask.shows(index) {
                let words = format!("gets a value of `{}`, which the rules hide, in the history", column.json);
                ask.differs("history", reply, &words);
            }
        }
    }
}

pub(crate) async fn as_of(ask: &Ask<'_>) {
    if ask.descriptor().audit.is_none() {
        return;
    }
    let admitted = ask.admits(Operation::Get) && ask.admits_too(Operation::History);
    let now = ask.test.clock().now().format("%Y-%m-%dT%H:%M:%SZ").to_string();
    for record in ask.records() {
        let reply = ask.send(Sent::get(ask.path_of(record, "")).with("as_of", &now)).await;
        if is_unknown_past(ask, reply.status, Operation::Get) || !ask.passes("as_of", admitted, &reply) {
            continue;
        }
        let is_shown = ask.sees(record) && !record.is_deleted;
        // The log may be incomplete, or the record may have been out of the scope at that time.
        let is_past = is_shown && (reply.status == 409 || Reading::depends_on_others(ask.descriptor(), ask.caller));
        if !is_past && ask.has_status("as_of", &reply, if is_shown { 200 } else { 404 }, &about(record)) && is_shown {
            for (index, column) in ask.descriptor().columns.iter().enumerate() {
                if reply.json().get(column.json).is_some() && !ask.shows(index) {
                    ask.differs("as_of", &reply, &format!("gets the field `{}`, which the rules hide,", column.json));
                }
            }
        }
    }
}

/// Files: the answer is 404 for a field that the caller does not see, and for a record without a file.
pub(crate) async fn file(ask: &Ask<'_>) {
    let files = ask.descriptor().columns.iter().filter(|column| column.attribute == Some("file"));
    for column in files {
        for record in ask.records() {
            let reply = ask.send(Sent::get(ask.path_of(record, &format!("/{}", column.json)))).await;
            if reply.status != 405 && ask.passes("file", ask.admits(Operation::Get), &reply) {
                ask.has_status("file", &reply, 404, &about(record));
            }
        }
    }
}

fn sees_deleted(ask: &Ask<'_>) -> bool {
    let shows =
        ask.descriptor().soft_delete.is_some_and(|it| it.include_deleted_by_default && !it.auto_restore_on_update);
    shows || ask.admits_too(Operation::Restore)
}

/// Whether an answer refuses a former state because it depends on other records.
fn is_unknown_past(ask: &Ask<'_>, status: u16, operation: Operation) -> bool {
    status == 403 && ask.admits(operation) && Reading::depends_on_others(ask.descriptor(), ask.caller)
}

fn about(record: &Record) -> String {
    let state = if record.is_deleted { "deleted record" } else { "record" };
    format!("a {state} of {}", record.person.map_or_else(|| "a view".to_owned(), |it| format!("person {}", it + 1)))
}
