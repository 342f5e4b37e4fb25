//! A workshop whose records agents read and change.

use crud_accounts::ApiKeys;
use crud_mcp::Mcp;
use crud_runtime::access::Role;
use crud_runtime::auth::Auth;
use crud_runtime::prelude::*;
use crud_runtime::testing::{Test, TestAnswer, TestRequest};
use crud_tests::Database;
use serde_json::{Map, Value, json};

/// State of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
#[crud(rename_all = "snake_case")]
pub(crate) enum State {
    Open,
    Doing,
    Done,
}

/// A machine of the workshop.
#[derive(Debug, Clone, Resource)]
#[crud(filter(name), sort(name), access(read(public), write(role("editor"))))]
pub(crate) struct Machine {
    pub(crate) id: i64,
    #[crud(length(min = 1, max = 50), unique)]
    pub(crate) name: String,
}

/// A piece of work on a machine.
#[derive(Debug, Clone, Resource)]
#[crud(
    audit,
    soft_delete,
    pagination(default_limit = 50, max_limit = 200),
    filter(title, state, hours, machine_id, machine::name),
    sort(title, hours, machine::name),
    search(title, text),
    access(read(authenticated), write(role("editor")), delete(role("editor")), restore(role("editor")))
)]
pub(crate) struct Job {
    pub(crate) id: i64,
    /// The work to be done, in a few words.
    #[crud(length(min = 1, max = 100))]
    pub(crate) title: String,
    #[crud(length(max = 100_000), default = "")]
    pub(crate) text: String,
    #[crud(range(min = 0, max = 1000))]
    pub(crate) hours: Option<i32>,
    #[crud(references(Machine, expand))]
    pub(crate) machine_id: Option<i64>,
    #[crud(default(State::Open), transitions(begin(Open, Doing), finish(Doing, Done, role("master"))))]
    pub(crate) state: State,
    /// The pay, which few see.
    #[crud(visible(role("master")))]
    pub(crate) pay: Option<Decimal>,
    pub(crate) deleted_at: Option<DateTime<Utc>>,
}

/// A note of its owner.
#[derive(Debug, Clone, Resource)]
#[crud(sort(text), access(all(authenticated)))]
pub(crate) struct Note {
    pub(crate) id: i64,
    pub(crate) text: String,
    #[crud(owner)]
    pub(crate) owner: String,
}

/// A secret of the administrators.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(role("admin"))))]
pub(crate) struct Secret {
    pub(crate) id: i64,
    pub(crate) text: String,
}

pub(crate) const PASSWORD: &str = "correct horse";

/// The workshop, before its plugin.
pub(crate) async fn workshop(database: &Database) -> Service {
    let auth = Auth::builder().secret("a secret of at least thirty-two bytes").build().expect("the authentication");
    let service = database.service().await.auth(auth).plugin(ApiKeys::new()).expect("one plugin");
    let service = service.resource::<Machine>().resource::<Job>().resource::<Note>().resource::<Secret>();
    service.access(|access| access.role(Role::new("master").implies("editor")).users_role("admin"))
}

/// The workshop with agents.
pub(crate) async fn with(database: &Database, mcp: Mcp) -> Test {
    let service = workshop(database).await.plugin(mcp).expect("one plugin");
    service.test().await.expect("the tables")
}

/// The workshop with agents that write.
pub(crate) async fn writing(database: &Database) -> Test {
    with(database, Mcp::new().writes()).await
}

/// The workshop as an editor has it.
pub(crate) fn editor(test: &Test) -> Test {
    test.as_principal(Principal::new("ed").with_roles(["editor"]))
}

/// A request of the revision 2026-07-28.
pub(crate) fn request(test: &Test, method: &str, params: Value) -> TestRequest {
    let mut params = params;
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "tester", "version": "1.0.0" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let name = params["name"].as_str().map(str::to_owned);
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let request = test.post("/mcp", body).header("accept", "application/json, text/event-stream");
    let request = request.header("mcp-protocol-version", "2026-07-28").header("mcp-method", method);
    match name {
        Some(name) => request.header("mcp-name", name),
        None => request,
    }
}

/// The response to a call of a tool.
pub(crate) async fn called(test: &Test, tool: &str, arguments: Value) -> TestAnswer {
    request(test, "tools/call", json!({ "name": tool, "arguments": arguments })).await
}

/// The result of a tool, whose text says the same as its structured content.
async fn result(test: &Test, tool: &str, arguments: Value) -> Value {
    let answer = called(test, tool, arguments).await.expect(200).json();
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    answer["result"].clone()
}

/// The content of a tool that succeeds.
pub(crate) async fn call(test: &Test, tool: &str, arguments: Value) -> Value {
    let result = result(test, tool, arguments).await;
    assert_eq!(result["isError"], false, "{result}");
    let text = result["content"][0]["text"].as_str().expect("a text");
    assert_eq!(serde_json::from_str::<Value>(text).expect("JSON"), result["structuredContent"]);
    result["structuredContent"].clone()
}

/// The problem of a tool that fails, with its words for models as the member `words`.
pub(crate) async fn refused(test: &Test, tool: &str, arguments: Value) -> Value {
    let result = result(test, tool, arguments).await;
    assert_eq!(result["isError"], true, "{result}");
    let mut problem = result["structuredContent"].clone();
    problem["words"] = result["content"][0]["text"].clone();
    problem
}

/// The error of a request that is refused by the protocol.
pub(crate) fn fault(answer: TestAnswer, status: u16, code: i64) -> Map<String, Value> {
    let answer = answer.expect(status).json();
    assert_eq!(answer["error"]["code"], code, "{answer}");
    answer["error"].as_object().expect("an error").clone()
}

/// Values of a field in records.
pub(crate) fn column(answer: &Value, field: &str) -> Vec<Value> {
    let records = answer["records"].as_array().expect("records");
    records.iter().map(|record| record[field].clone()).collect()
}
