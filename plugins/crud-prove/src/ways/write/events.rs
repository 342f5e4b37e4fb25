//! Events, if the service has them: polls and streams must report the records that the caller sees, and no others, not
//! even their removal.

use std::collections::BTreeSet;

use crud_runtime::descriptor::Operation;
use serde_json::{Value as Json, json};

use super::target::PEOPLE;
use crate::client::{Reply, Sent};
use crate::rules::text_of;
use crate::ways::ask::Ask;
use crate::ways::tool;
use crate::world::Record;

/// The name of this way.
const WAY: &str = "events";

/// The path for the events of several resources.
pub(crate) const OF_MANY: &str = "/events";

/// Limit of polls for the events up to a number.
const POLLS: usize = 50;

/// The keys of records, as in events.
type Keys = BTreeSet<String>;

/// Creates and removes a record of each person, and checks the events.
pub(crate) async fn events(ask: &Ask<'_>) {
    let path = format!("{}/events", ask.served().prefix);
    let table = ask.test.model().access_table();
    if !table.routes().iter().any(|route| route.path == path && route.method == "GET") {
        return;
    }
    let Some(start) = now(ask, &path).await else { return };
    let mut records = Vec::new();
    for person in in_order(ask) {
        records.extend(ask.new_record(WAY, person, Vec::new()).await);
    }
    let seen: Keys = records.iter().filter(|record| ask.sees(record)).map(|record| key_of(ask, record)).collect();
    let Some(made) = now(ask, &path).await else { return };
    let of_many = Sent::get(OF_MANY).with("resources", tool::resource(ask));
    for sent in [Sent::get(path.clone()), Sent::post(path.clone(), &json!({})), of_many] {
        has_told(ask, poll(ask, &sent, start, made).await, &seen, true);
    }
    one_by_one(ask, &records, &seen, (start, made)).await;
    stream(ask, &path, &seen, (start, made)).await;
    for record in &records {
        ask.remove(record).await;
    }
    let Some(removed) = now(ask, &path).await else { return };
    has_told(ask, poll(ask, &Sent::get(path), made, removed).await, &seen, false);
}

/// The people, with the caller last. So a stream that has reported the caller's own record has reported all others.
fn in_order(ask: &Ask<'_>) -> [usize; PEOPLE.len()] {
    let mut people = PEOPLE;
    people.sort_by_key(|person| *person == ask.caller.person);
    people
}

fn key_of(ask: &Ask<'_>, record: &Record) -> String {
    record.key(ask.descriptor()).to_string()
}

/// The number of the last event; `None` if the caller has no access to events.
async fn now(ask: &Ask<'_>, path: &str) -> Option<i64> {
    let reply = ask.send(Sent::get(path)).await;
    let is_admitted = ask.passes(WAY, ask.admits(Operation::List), &reply);
    let has_answer = is_admitted && ask.has_status(WAY, &reply, 200, "events from now on");
    has_answer.then(|| number(&reply.json()["after"])).flatten()
}

fn number(id: &Json) -> Option<i64> {
    id.as_str()?.parse().ok()
}

/// Polls the events after `start` up to `until`. Returns them with the last reply.
async fn poll(ask: &Ask<'_>, sent: &Sent, start: i64, until: i64) -> Option<(Reply, Vec<Json>)> {
    let (mut after, mut told) = (start, Vec::new());
    for _ in 0..POLLS {
        let reply = ask.send(sent.clone().after(after)).await;
        if !ask.has_status(WAY, &reply, 200, "events after a number") {
            return None;
        }
        let answer = reply.json();
        told.extend(answer["data"].as_array().cloned().unwrap_or_default());
        after = number(&answer["after"])?;
        if after >= until {
            return Some((reply, told));
        }
    }
    ask.findings.unreached(format!("events of {}: polls do not come to the last one", ask.descriptor().name));
    None
}

/// Checks the events of each single record.
async fn one_by_one(ask: &Ask<'_>, records: &[Record], seen: &Keys, (start, made): (i64, i64)) {
    for record in records {
        let expected = [key_of(ask, record)].into_iter().filter(|key| seen.contains(key)).collect();
        let of_one = Sent::get(ask.path_of(record, "/events"));
        has_told(ask, poll(ask, &of_one, start, made).await, &expected, true);
    }
}

/// Reads a stream up to the last record that the caller sees. Without such a record, the end would be unknown, so
/// nothing is read.
async fn stream(ask: &Ask<'_>, path: &str, seen: &Keys, (start, made): (i64, i64)) {
    if seen.is_empty() {
        return;
    }
    let sent = Sent::get(path).header("accept", "text/event-stream").header("last-event-id", &start.to_string());
    let is_over = |text: &str| {
        let told = events_of(text);
        // A stream without events sends its position.
        let is_behind =
            text.lines().filter_map(|line| line.strip_prefix("id: ")?.parse().ok()).all(|id: i64| id < made);
        seen.iter().all(|key| told.iter().any(|event| text_of(&event["record_id"]) == *key)) || !is_behind
    };
    let reply = ask.read(sent, is_over).await;
    if ask.has_status(WAY, &reply, 200, "a stream of events") {
        let told = events_of(reply.text());
        has_told(ask, Some((reply, told)), seen, true);
    }
}

/// The events in the text of a stream.
fn events_of(text: &str) -> Vec<Json> {
    text.lines().filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok()).collect()
}

/// Checks that events report exactly the records that the caller sees: with their data if `is_there`, else as removed.
fn has_told(ask: &Ask<'_>, told: Option<(Reply, Vec<Json>)>, seen: &Keys, is_there: bool) {
    let Some((reply, told)) = told else { return };
    // A `reset` reveals nothing. It is sent when former values or other records decide.
    if told.iter().any(|event| event["type"] == "reset") {
        return;
    }
    let keys: Keys = told.iter().map(|event| text_of(&event["record_id"])).collect();
    if let Some(extra) = keys.difference(seen).next() {
        ask.differs(WAY, &reply, &format!("is told of record {extra}, which the rules hide,"));
    }
    if let Some(missing) = seen.difference(&keys).next() {
        ask.differs(WAY, &reply, &format!("is not told of record {missing}, which the rules show,"));
    }
    for event in &told {
        if event["data"].is_object() != is_there {
            let (key, word) = (&event["record_id"], if is_there { "without" } else { "with" });
            ask.differs(WAY, &reply, &format!("is told of record {key} {word} its values"));
        }
        ask.has_fields(WAY, &reply, &event["data"]);
        has_shown_names(ask, &reply, &event["changed"]);
    }
}

/// Checks that the names of changed fields are of fields that the caller sees.
fn has_shown_names(ask: &Ask<'_>, reply: &Reply, changed: &Json) {
    let names: Vec<&str> = changed.as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    for (index, column) in ask.descriptor().columns.iter().enumerate() {
        if names.contains(&column.json) && !ask.shows(index) {
            ask.differs(WAY, reply, &format!("is told that `{}` was changed, which the rules hide,", column.json));
        }
    }
}
