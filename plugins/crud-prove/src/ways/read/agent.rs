//! Agents: the tools `list` and `get` of the Model Context Protocol, if the service has its endpoint.

use crud_runtime::descriptor::Operation;
use serde_json::{Value as Json, json};

use crate::client::Reply;
use crate::rules::{key_text, text_of};
use crate::ways::ask::Ask;
use crate::ways::tool;
use crate::world::Record;

pub(crate) async fn agent(ask: &Ask<'_>) {
    if !tool::is_served(ask) {
        return;
    }
    let resource = tool::resource(ask);
    if ask.descriptor().offers(Operation::List) {
        let arguments = json!({ "resource": resource, "limit": ask.page_size().unwrap_or(100) });
        let reply = ask.send(tool::call("list", &arguments)).await;
        let expected = ask.visible(ask.default_among());
        let records = reply.json()["result"]["structuredContent"]["records"].as_array().cloned();
        compare(ask, &reply, ask.admits(Operation::List), records, &expected);
    }
    if ask.descriptor().offers(Operation::Get) && !ask.descriptor().keyless {
        let of = |seen: bool| ask.records().iter().find(|it| !it.is_deleted && ask.sees(it) == seen);
        for record in [of(true), of(false)].into_iter().flatten() {
            let id = record.key(ask.descriptor()).to_string();
            let reply = ask.send(tool::call("get", &json!({ "resource": resource, "id": id }))).await;
            let content = &reply.json()["result"]["structuredContent"];
            let found = content.get("record").filter(|it| it.is_object()).map(|it| vec![it.clone()]);
            let expected: Vec<&Record> = ask.sees(record).then_some(record).into_iter().collect();
            compare(ask, &reply, ask.admits(Operation::Get), found, &expected);
        }
    }
}

/// Checks the records of an answer; `None` if the tool refuses.
fn compare(ask: &Ask<'_>, reply: &Reply, admitted: bool, records: Option<Vec<Json>>, expected: &[&Record]) {
    if tool::status(ask, admitted, reply).is_none() {
        return;
    }
    let resource = ask.descriptor();
    let expected: Vec<String> = expected.iter().filter(|_| admitted).map(|it| key_text(resource, &it.values)).collect();
    let key = |row: &Json| {
        let parts = resource.key().iter().map(|column| text_of(&row[resource.columns[*column].json]));
        parts.collect::<Vec<_>>().join("|")
    };
    let rows = records.unwrap_or_default();
    let found: Vec<String> = rows.iter().map(key).collect();
    if let Some(extra) = found.iter().find(|it| !expected.contains(it)) {
        ask.differs("agent", reply, &format!("gets record {extra}, which the rules hide, by a tool"));
    } else if let Some(missing) = expected.iter().find(|it| !found.contains(it) && !resource.keyless) {
        ask.differs("agent", reply, &format!("does not get record {missing} by a tool"));
    }
    for (index, column) in resource.columns.iter().enumerate() {
        if rows.iter().any(|row| row.get(column.json).is_some()) && !ask.shows(index) {
            ask.differs("agent", reply, &format!("gets the field `{}`, which the rules hide, by a tool", column.json));
        }
    }
}
