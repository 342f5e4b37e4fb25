//! Agents: the tools `list` and `get` of the Model Context Protocol, where the service speaks it.

use crud_runtime::descriptor::Operation;
use serde_json::{Value as Json, json};

use crate::client::{Reply, Sent};
use crate::rules::{key_text, text_of};
use crate::ways::ask::Ask;
use crate::world::Record;

/// The path of the protocol.
const PATH: &str = "/mcp";
/// The revision of the protocol.
const REVISION: &str = "2026-07-28";

pub(crate) async fn agent(ask: &Ask<'_>) {
    let table = ask.test.model().access_table();
    if !table.routes().iter().any(|route| route.path == PATH && route.method == "POST") || ask.caller.is_nobody() {
        return;
    }
    let resource = ask.served().prefix.trim_start_matches('/');
    if ask.descriptor().offers(Operation::List) {
        let reply =
            ask.send(call("list", &json!({ "resource": resource, "limit": ask.page_size().unwrap_or(100) }))).await;
        let expected = ask.visible(ask.default_among());
        let records = reply.json()["result"]["structuredContent"]["records"].as_array().cloned();
        compare(ask, &reply, ask.admits(Operation::List), records, &expected);
    }
    if ask.descriptor().offers(Operation::Get) && !ask.descriptor().keyless {
        let of = |seen: bool| ask.records().iter().find(|it| !it.is_deleted && ask.sees(it) == seen);
        for record in [of(true), of(false)].into_iter().flatten() {
            let id = record.key(ask.descriptor()).to_string();
            let reply = ask.send(call("get", &json!({ "resource": resource, "id": id }))).await;
            let content = &reply.json()["result"]["structuredContent"];
            let found = content.get("record").filter(|it| it.is_object()).map(|it| vec![it.clone()]);
            let expected: Vec<&Record> = ask.sees(record).then_some(record).into_iter().collect();
            compare(ask, &reply, ask.admits(Operation::Get), found, &expected);
        }
    }
}

/// A call of a tool.
fn call(tool: &str, arguments: &Json) -> Sent {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": REVISION,
        "io.modelcontextprotocol/clientInfo": { "name": "prove", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let sent = Sent::post(PATH, &body).header("accept", "application/json, text/event-stream");
    sent.header("mcp-protocol-version", REVISION).header("mcp-method", "tools/call").header("mcp-name", tool)
}

/// Compares the records of an answer; none where the tool refuses.
fn compare(ask: &Ask<'_>, reply: &Reply, admitted: bool, records: Option<Vec<Json>>, expected: &[&Record]) {
    if reply.status == 429 {
        let name = ask.descriptor().name;
        ask.findings.unreached(format!("agents of {name}: a user has no more calls in this minute"));
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
