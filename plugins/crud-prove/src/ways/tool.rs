//! Calls of tools of the Model Context Protocol, if the service has its endpoint.

use serde_json::{Value as Json, json};

use super::ask::Ask;
use crate::client::{Reply, Sent};

/// The path of the protocol.
pub(crate) const PATH: &str = "/mcp";
/// The revision of the protocol.
const REVISION: &str = "2026-07-28";

/// Whether the service has tools, and the caller has a token for them.
pub(crate) fn is_served(ask: &Ask<'_>) -> bool {
    let table = ask.test.model().access_table();
    !ask.caller.is_nobody() && table.routes().iter().any(|route| route.path == PATH && route.method == "POST")
}

/// The name of the resource for tools and events.
pub(crate) fn resource<'a>(ask: &Ask<'a>) -> &'a str {
    ask.served().prefix.trim_start_matches('/')
}

/// A request that calls a tool.
pub(crate) fn call(tool: &str, arguments: &Json) -> Sent {
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

/// The status of a tool's answer: 200 or that of its problem. `None` if no tool has answered: the tool is off or lacks
/// the resource, or the caller's rate limit is reached.
pub(crate) fn status(ask: &Ask<'_>, admitted: bool, reply: &Reply) -> Option<u16> {
    let json = reply.json();
    let result = json.get("result").filter(|result| result.is_object());
    let Some(result) = result.filter(|_| reply.status == 200) else {
        if reply.status == 429 {
            unreached(ask, "a user has no more calls in this minute");
        }
        return None;
    };
    let problem = Some(&result["structuredContent"]).filter(|_| result["isError"] == true);
    let detail = problem.and_then(|problem| problem["detail"].as_str()).unwrap_or_default();
    if detail.starts_with("there is no resource ") {
        if admitted {
            unreached(ask, "no tool has the resource");
        }
        return None;
    }
    problem.map_or(Some(200), |problem| problem["status"].as_u64().and_then(|status| u16::try_from(status).ok()))
}

fn unreached(ask: &Ask<'_>, reason: &str) {
    ask.findings.unreached(format!("agents of {}: {reason}", ask.descriptor().name));
}
