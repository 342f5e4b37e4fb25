//! Creates of the caller's own records, of other people's records, and with references to hidden records; imports and
//! upserts.

use crud_runtime::column::Value;
use crud_runtime::descriptor::{ClaimScope, Descriptor, Operation};
use serde_json::{Map, Value as Json};

use super::target::Values;
use crate::client::{Reply, Sent};
use crate::rules::{Reading, admits, json_of, key_text};
use crate::ways::ask::Ask;
use crate::world::Record;

pub(crate) async fn create(ask: &Ask<'_>) {
    let descriptor = ask.descriptor();
    if !descriptor.offers(Operation::Create) {
        return;
    }
    let Ok(values) = ask.draft(ask.caller.person).await else { return };
    let body = ask.body(&values);
    let (reply, made) = post(ask, &body).await;
    let admitted = ask.admits(Operation::Create);
    if !admitted {
        judge_denied(ask, "create", &reply, made);
        ask.cell("create", reply.status.to_string());
        return;
    }
    let may_lack = Reading::may_lack_claim(descriptor, ask.caller);
    if !made && may_lack && reply.is_denied() {
        ask.cell("create", "403".to_owned());
        return;
    }
    // A stranger's record refers to another person's records, which the stranger may not see. So a refusal is fine.
    let refers = descriptor.columns.iter().any(|column| column.references.is_some());
    if made || !refers || reply.is_denied() {
        ask.judge_admitted("create", &reply, made);
    } else {
        ask.findings.refused(descriptor.name, "create", reply.said());
    }
    ask.cell("create", if made { "yes" } else { "refused" }.to_owned());
    if made {
        for_others(ask, &values).await;
        with_hidden_references(ask).await;
    }
}

fn judge_denied(ask: &Ask<'_>, way: &'static str, reply: &Reply, made: bool) {
    if made {
        ask.differs(way, reply, &format!("makes a record that access refuses: {way}"));
    }
    ask.passes(way, false, reply);
}

/// Sends a create, and removes the new record. Returns whether there was one.
async fn post(ask: &Ask<'_>, body: &Map<String, Json>) -> (Reply, bool) {
    created(ask, Sent::post(ask.served().prefix.clone(), &Json::Object(body.clone()))).await
}

/// Sends a request that creates records, checks that the caller sees them, and removes them. Returns whether there were
/// any.
pub(crate) async fn created(ask: &Ask<'_>, sent: Sent) -> (Reply, bool) {
    let before = ask.keys().await;
    let reply = ask.send(sent).await;
    let new = ask.beside(&before).await;
    for record in &new {
        let depends = Reading::depends_on_others(ask.descriptor(), ask.caller);
        if !depends && !ask.sees(record) {
            ask.differs("create", &reply, "creates a record that is not its own");
        }
        ask.remove(record).await;
    }
    (reply, !new.is_empty())
}

/// Creates records that would be another person's, by their tenant, owner or claims.
async fn for_others(ask: &Ask<'_>, values: &Values) {
    for (column, other) in decisive(ask) {
        let is_same = values.iter().any(|(index, value)| *index == column && *value == other);
        if is_same || ask.body(&vec![(column, other.clone())]).is_empty() {
            continue;
        }
        let Ok(mut values) = ask.draft(ask.caller.person).await else { return };
        values.retain(|(index, _)| *index != column);
        values.push((column, other));
        let (reply, made) = post(ask, &ask.body(&values)).await;
        if made {
            let name = ask.descriptor().columns[column].json;
            ask.differs("create", &reply, &format!("sets `{name}` to a value that is not its own, in a new record"));
        }
    }
}

/// The columns that decide whether a record is the caller's, each with a value of another person.
fn decisive(ask: &Ask<'_>) -> Vec<(usize, Value)> {
    let (descriptor, caller) = (ask.descriptor(), ask.caller);
    let exempts = |rule: Option<crud_runtime::access::Access>| rule.is_some_and(|rule| admits(&rule, caller));
    let tenant = descriptor.tenant.filter(|it| !exempts(it.except)).map(|it| it.column);
    let owner = descriptor.owner.filter(|it| !exempts(it.except) && !exempts(it.assign)).map(|it| it.column);
    let applies = |it: &&ClaimScope| admits(&it.access, caller) && !exempts(it.except);
    // With several scopes, one is enough, so none of them decides alone.
    let of_scopes = |scopes: &'static [ClaimScope]| {
        let mut applying = scopes.iter().filter(applies);
        let only = applying.next().filter(|_| applying.next().is_none());
        only.filter(|scope| scope.path.is_none()).map(|scope| scope.column)
    };
    let columns = [tenant, owner, of_scopes(descriptor.scopes), of_scopes(descriptor.write_scopes)];
    let other = |column: usize| {
        let is_other = |it: &&Record| it.person != Some(caller.person) && !it.values[column].is_null();
        let own = ask.records().iter().find(|it| it.person == Some(caller.person)).map(|it| &it.values[column]);
        let mut values = ask.records().iter().filter(is_other).map(|it| it.values[column].clone());
        values.find(|value| Some(value) != own).map(|value| (column, value))
    };
    columns.into_iter().flatten().filter_map(other).collect()
}

/// Creates records that refer to hidden records.
async fn with_hidden_references(ask: &Ask<'_>) {
    let descriptor = ask.descriptor();
    for (index, column) in descriptor.columns.iter().enumerate() {
        let is_tenant = descriptor.tenant.is_some_and(|tenant| tenant.column == index);
        let Some(reference) = column.references.filter(|it| !it.any && !is_tenant && !column.from_principal) else {
            continue;
        };
        for hidden in hidden_of(ask, (reference.target)()) {
            let Ok(mut values) = ask.draft(ask.caller.person).await else { return };
            for (own, key) in reference.pairs(index) {
                values.retain(|(other, _)| *other != own);
                values.push((own, hidden.values[key].clone()));
            }
            let body = ask.body(&values);
            // Some references cannot be set by bodies.
            if !body.contains_key(column.json) {
                continue;
            }
            let (reply, made) = post(ask, &body).await;
            if made {
                let (name, key) = ((reference.target)().name, key_text((reference.target)(), &hidden.values));
                let words =
                    format!("refers by `{}` to {name} {key}, which the rules hide, in a new record", column.json);
                ask.differs("create", &reply, &words);
            }
        }
    }
}

/// Records that the caller may not refer to: for each person, one active and one deleted record.
fn hidden_of<'a>(ask: &Ask<'a>, target: &'static Descriptor) -> Vec<&'a Record> {
    let may_get = ask.reading.admits(target, Operation::Get, ask.caller);
    let is_hidden = |it: &&Record| !may_get || it.is_deleted || !ask.reading.sees(target, &it.values, ask.caller);
    let mut found: Vec<&Record> = Vec::new();
    for record in ask.world.records_of(target).unwrap_or_default().iter().filter(is_hidden) {
        if found.iter().all(|it| (it.is_deleted, it.person) != (record.is_deleted, record.person)) {
            found.push(record);
        }
    }
    found
}

/// Imports a file with one record.
pub(crate) async fn import(ask: &Ask<'_>) {
    let descriptor = ask.descriptor();
    if descriptor.import.is_none() || !descriptor.offers(Operation::Create) {
        return;
    }
    let Ok(values) = ask.draft(ask.caller.person).await else { return };
    let line = Json::Object(ask.body(&values)).to_string();
    let path = format!("{}/import", ask.served().prefix);
    let (reply, made) = created(ask, Sent::post(path, &Json::Null).body("application/x-ndjson", line)).await;
    if !ask.admits(Operation::Create) {
        judge_denied(ask, "import", &reply, made);
    } else if made || reply.is_denied() && !Reading::may_lack_claim(descriptor, ask.caller) {
        ask.judge_admitted("import", &reply, made);
    } else {
        ask.findings.refused(descriptor.name, "import", reply.said());
    }
}

/// Upserts by the unique values of a hidden record, which must not change.
pub(crate) async fn upsert(ask: &Ask<'_>) {
    let descriptor = ask.descriptor();
    let offers = descriptor.offers(Operation::Create) && descriptor.offers(Operation::Update);
    for group in descriptor.upserts.iter().filter(|_| offers) {
        let names: Vec<&str> = group.iter().map(|column| descriptor.columns[*column].json).collect();
        let Some(hidden) = ask.records().iter().find(|record| !ask.sees(record)) else { return };
        let Ok(mut values) = ask.draft(ask.caller.person).await else { return };
        values.retain(|(column, _)| !group.contains(column));
        values.extend(group.iter().map(|column| (*column, hidden.values[*column].clone())));
        let body: Map<String, Json> = ask.body(&values);
        let sent = Sent::post(ask.served().prefix.clone(), &Json::Object(body)).with("on_conflict", &names.join(","));
        let (reply, _) = created(ask, sent).await;
        let admitted = ask.admits(Operation::Create) && ask.admits_too(Operation::Update);
        if !admitted {
            ask.passes("upsert", false, &reply);
        }
        let stored = ask.stored(hidden).await;
        if stored.is_none_or(|stored| stored.values.iter().map(json_of).ne(hidden.values.iter().map(json_of))) {
            ask.differs("upsert", &reply, "changes a record by an upsert, which the rules hide,");
        }
    }
}
