//! [`Endpoint`]: `POST /mcp`.

use crud_runtime::axum::http::{HeaderMap, header};
use crud_runtime::axum::response::Response;
use crud_runtime::routing::Context;
use serde_json::{Value as Json, json};

use crate::agent::Agent;
use crate::answer;
use crate::fault::Fault;
use crate::message::Message;
use crate::origin;
use crate::revision::Revision;
use crate::server;
use crate::tool::{self, Call};

/// Time for which clients may cache the list of tools and the server's description: about that of a deployment.
const FRESH_MILLISECONDS: u64 = 300_000;

/// The options of the endpoint.
#[derive(Debug)]
pub(crate) struct Endpoint {
    pub(crate) writes: bool,
    /// The paths of resources that agents do not see.
    pub(crate) hidden: Vec<String>,
    /// The origins of web pages that may call the endpoint.
    pub(crate) origins: Vec<String>,
    pub(crate) answer_bytes: usize,
}

/// Answers a request to the endpoint.
pub(crate) async fn serve(endpoint: &Endpoint, ctx: &Context, body: &[u8]) -> Response {
    if let Err(fault) = origin::check(ctx.headers(), &endpoint.origins).and_then(|()| check_type(ctx.headers())) {
        return answer::fault(&Json::Null, fault, None);
    }
    let message = match Message::parse(body) {
        Ok(message) => message,
        Err(unread) => return answer::fault(&unread.0, unread.1, None),
    };
    let Some(id) = &message.id else { return answer::accepted() };
    let revision = match Revision::of(&message, ctx.headers()) {
        Ok(revision) => revision,
        Err(fault) => return answer::fault(id, fault, None),
    };
    let answered = match revision {
        Revision::Stateless => stateless(endpoint, ctx, &message).await,
        Revision::Earlier => earlier(endpoint, ctx, &message).await,
    };
    match answered {
        Ok(result) => answer::result(id, &result),
        Err(fault) => answer::fault(id, fault, Some(revision)),
    }
}

fn check_type(headers: &HeaderMap) -> Result<(), Fault> {
    let stated = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let is_json = stated.split(';').next().is_some_and(|it| it.trim().eq_ignore_ascii_case("application/json"));
    if is_json { Ok(()) } else { Err(Fault::media_type()) }
}

/// The result of a method of 2026-07-28.
async fn stateless(endpoint: &Endpoint, ctx: &Context, message: &Message) -> Result<Json, Fault> {
    let mut result = match &*message.method {
        "server/discover" => fresh(server::discovered(ctx.model(), endpoint.writes)),
        "tools/list" => fresh(tool::list(endpoint.writes)),
        "tools/call" => call(endpoint, ctx, message).await?,
        other => return Err(Fault::method(other)),
    };
    result["resultType"] = json!("complete");
    result["_meta"] = json!({ "io.modelcontextprotocol/serverInfo": server::info(ctx.model()) });
    Ok(result)
}

/// The result with cache hints. It is the same for all callers.
fn fresh(mut result: Json) -> Json {
    result["ttlMs"] = json!(FRESH_MILLISECONDS);
    result["cacheScope"] = json!("public");
    result
}

/// The result of a method of an earlier revision.
async fn earlier(endpoint: &Endpoint, ctx: &Context, message: &Message) -> Result<Json, Fault> {
    let requested = message.params.get("protocolVersion");
    match &*message.method {
        "initialize" => Ok(server::initialized(ctx.model(), endpoint.writes, requested)),
        "ping" => Ok(json!({})),
        "tools/list" => Ok(tool::list(endpoint.writes)),
        "tools/call" => call(endpoint, ctx, message).await,
        other => Err(Fault::method(other)),
    }
}

async fn call(endpoint: &Endpoint, ctx: &Context, message: &Message) -> Result<Json, Fault> {
    let Some(name) = message.params.get("name").and_then(Json::as_str) else {
        return Err(Fault::parameters("`name` is not the name of a tool"));
    };
    let tool = tool::find(name, endpoint.writes)?;
    let call = Call { endpoint, ctx, agent: Agent::of(message) };
    match message.params.get("arguments") {
        None | Some(Json::Null) => Ok(call.run(tool, serde_json::Map::new()).await),
        Some(Json::Object(arguments)) => Ok(call.run(tool, arguments.clone()).await),
        Some(_) => Err(Fault::parameters("`arguments` is not an object")),
    }
}
