//! Agents: the tools that change records, if the service has them.

use crud_runtime::column::Value;
use crud_runtime::descriptor::Operation;
use serde_json::{Value as Json, json};

use super::create::created;
use super::target::PEOPLE;
use super::update::new_value;
use crate::client::Sent;
use crate::rules::{Reading, admits, json_of};
use crate::ways::ask::Ask;
use crate::ways::tool;
use crate::world::Record;

/// The name of this way.
const WAY: &str = "agent";

/// Creates a record, and changes a record of each person.
pub(crate) async fn agent(ask: &Ask<'_>) {
    if !tool::is_served(ask) {
        return;
    }
    create(ask).await;
    for person in PEOPLE {
        update(ask, person).await;
        transition(ask, person).await;
        delete(ask, person).await;
    }
}

async fn create(ask: &Ask<'_>) {
    if !ask.descriptor().offers(Operation::Create) {
        return;
    }
    let Ok(values) = ask.draft(ask.caller.person).await else { return };
    let (reply, made) = created(ask, call(ask, "create", json!({ "values": ask.body(&values) }))).await;
    let admitted = ask.admits(Operation::Create);
    let Some(status) = tool::status(ask, admitted, &reply) else { return };
    if made && !admitted {
        ask.differs(WAY, &reply, "makes a record that access refuses, by a tool,");
    } else if !made && admitted && status == 403 && !Reading::may_lack_claim(ask.descriptor(), ask.caller) {
        ask.differs(WAY, &reply, "may not make a record by a tool, and access admits it: the records");
    }
}

async fn update(ask: &Ask<'_>, person: usize) {
    let new = new_value(ask, person, |column| column.visible.is_none());
    let Some((column, value)) = new.filter(|_| ask.descriptor().offers(Operation::Update)) else { return };
    let Some(record) = ask.new_record(WAY, person, Vec::new()).await else { return };
    let values = json!({ ask.descriptor().columns[column].json: json_of(&value) });
    let sent = call_for(ask, "update", &record, ("values", values));
    judge(ask, &record, ask.admits(Operation::Update), sent, |stored| has(stored, column, &value)).await;
}

/// Runs the first transition of each field with transitions.
async fn transition(ask: &Ask<'_>, person: usize) {
    let descriptor = ask.descriptor();
    if !descriptor.offers(Operation::Update) {
        return;
    }
    for (column, transition) in descriptor.transitions() {
        let Some(from) = transition.from.first() else { continue };
        let Some(record) = ask.new_record(WAY, person, vec![(column, from())]).await else { return };
        let own = transition.access.map(|rule| admits(&rule, ask.caller));
        let admitted = own.unwrap_or_else(|| ask.admits_too(Operation::Update));
        let admitted = admitted && !Reading::lacks_tenant(descriptor, ask.caller);
        let sent = call_for(ask, "act", &record, ("action", json!(transition.name)));
        judge(ask, &record, admitted, sent, |stored| has(stored, column, &(transition.to)())).await;
    }
}

async fn delete(ask: &Ask<'_>, person: usize) {
    let descriptor = ask.descriptor();
    if descriptor.soft_delete.is_none() || !descriptor.offers(Operation::Delete) {
        return;
    }
    let Some(record) = ask.new_record(WAY, person, Vec::new()).await else { return };
    let sent = call_for(ask, "act", &record, ("action", json!("delete")));
    judge(ask, &record, ask.admits(Operation::Delete), sent, |stored| stored.is_none_or(|it| it.is_deleted)).await;
}

/// Sends a change of a record, checks the outcome by the rules, and removes the record.
async fn judge(ask: &Ask<'_>, record: &Record, admitted: bool, sent: Sent, is_made: impl Fn(Option<&Record>) -> bool) {
    let reply = ask.send(sent).await;
    let made = is_made(ask.stored(record).await.as_ref());
    let name = ask.descriptor().name;
    let may = admitted && ask.sees(record) && ask.reading.changes(ask.descriptor(), &record.values, ask.caller);
    match (made, may, tool::status(ask, admitted, &reply)) {
        (true, true, _) => ask.findings.changed(name, WAY),
        (true, false, _) => ask.differs(WAY, &reply, "makes a change that the rules refuse, by a tool,"),
        (false, true, Some(status @ (401 | 403 | 404))) => {
            ask.differs(
                WAY,
                &reply,
                &format!("gets {status} for a change by a tool, and the rules admit it: a record"),
            );
        }
        (false, true, Some(status)) => ask.findings.refused(name, WAY, format!("a tool answers {status}")),
        (false, ..) => {}
    }
    ask.remove(record).await;
}

fn has(stored: Option<&Record>, column: usize, value: &Value) -> bool {
    stored.is_some_and(|stored| stored.values[column] == *value)
}

/// A request that calls a tool for the resource.
fn call(ask: &Ask<'_>, name: &str, mut arguments: Json) -> Sent {
    arguments["resource"] = json!(tool::resource(ask));
    tool::call(name, &arguments)
}

/// A request that calls a tool for a record.
fn call_for(ask: &Ask<'_>, name: &str, record: &Record, (argument, value): (&str, Json)) -> Sent {
    call(ask, name, json!({ "id": record.key(ask.descriptor()).to_string(), argument: value }))
}
