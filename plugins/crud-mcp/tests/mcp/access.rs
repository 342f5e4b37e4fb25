//! The attackers' matrix: what each person gets by a tool is what the routes give to the same token.

use std::collections::BTreeMap;

use crud_mcp::Mcp;
use crud_runtime::testing::{Test, TestRequest};
use crud_tests::on_each_sql_backend;
use serde_json::{Value, json};
use tracker::{auth, tracker};

use crate::support::{PASSWORD, request};

/// The resources of the tracker, by their paths.
const RESOURCES: [&str; 8] = ["teams", "members", "labels", "issues", "issue-labels", "checklist", "comments", "board"];

/// The people: operator, support, owners of two teams, a member, a guest, a stranger.
const PEOPLE: [&str; 7] = ["ada", "sue", "olga", "otto", "mia", "gus", "eve"];

/// A tracker with two teams, whose people have tokens.
struct World {
    test: Test,
    tokens: BTreeMap<&'static str, String>,
}

impl World {
    async fn new(test: Test) -> Self {
        let roles = |name: &str| match name {
            "ada" => Some("operator"),
            "sue" => Some("support"),
            _ => None,
        };
        for name in PEOPLE {
            test.users().create_user(name, PASSWORD).roles(roles(name)).await.expect("a user");
        }
        let mut world = Self { test, tokens: BTreeMap::new() };
        world.login(&["ada", "sue"]).await;
        for (team, owner) in [("red", "olga"), ("blue", "otto")] {
            let team = world.create("ada", "teams", json!({ "name": team })).await;
            let user = world.user(owner).await;
            let member = json!({ "team_id": team, "user_id": user, "name": owner, "role": "owner" });
            world.create("ada", "members", member).await;
            world.login(&[owner]).await;
        }
        for (name, role) in [("mia", "member"), ("gus", "guest")] {
            let member = json!({ "user_id": world.user(name).await, "name": name, "role": role });
            world.create("olga", "members", member).await;
        }
        world.login(&PEOPLE).await;
        world.records().await;
        world
    }

    /// Two records of each kind: one for a route, and one for a tool.
    async fn records(&self) {
        let members = self.http("olga", self.test.get("/members")).await.1;
        let gus = members["data"].as_array().or(members.as_array()).expect("members").clone();
        let gus = gus.iter().find(|member| member["name"] == "gus").expect("a member")["id"].clone();
        for owner in ["olga", "otto"] {
            for number in 0..2 {
                self.create(owner, "labels", json!({ "name": format!("label {number}") })).await;
                let issue = self.create(owner, "issues", json!({ "title": format!("of {owner} {number}") })).await;
                self.create(owner, "comments", json!({ "issue_id": issue, "text": "hello" })).await;
            }
        }
        for number in 0..2 {
            let issue = json!({ "title": format!("of gus {number}"), "assignee_id": gus });
            self.create("olga", "issues", issue).await;
        }
    }

    async fn login(&mut self, names: &[&'static str]) {
        for name in names {
            let body = json!({ "username": name, "password": PASSWORD });
            let answer = self.test.post("/auth/login", body).await.expect(200).json();
            self.tokens.insert(name, answer["access_token"].as_str().expect("a token").to_owned());
        }
    }

    async fn user(&self, name: &str) -> i64 {
        let users = self.test.users().list().await.expect("the users");
        users.into_iter().find(|(username, _)| username == name).and_then(|(_, user)| user.id().ok()).expect("a user")
    }

    fn with_token(&self, name: &str, request: TestRequest) -> TestRequest {
        match self.tokens.get(name) {
            Some(token) => request.header("authorization", format!("Bearer {token}")),
            None => request,
        }
    }

    /// The status and the JSON of a route's answer.
    async fn http(&self, name: &str, request: TestRequest) -> (u16, Value) {
        let answer = self.with_token(name, request).await;
        (answer.status(), if answer.bytes().is_empty() { Value::Null } else { answer.json() })
    }

    async fn create(&self, name: &str, resource: &str, body: Value) -> Value {
        let (status, made) = self.http(name, self.test.post(format!("/{resource}"), body)).await;
        assert_eq!(status, 201, "{made}");
        made["id"].clone()
    }

    /// The content of a tool's answer, or its problem.
    async fn tool(&self, name: &str, tool: &str, arguments: Value) -> Result<Value, Value> {
        let call = request(&self.test, "tools/call", json!({ "name": tool, "arguments": arguments }));
        let answer = self.with_token(name, call).await;
        if answer.status() == 401 {
            return Err(answer.json());
        }
        let result = answer.expect(200).json()["result"].clone();
        let content = result["structuredContent"].clone();
        if result["isError"] == true { Err(content) } else { Ok(content) }
    }
}

/// Fails where a tool gives a person something else than a route. A resource that the person may not use is none for tools.
fn compare(what: &str, (status, routed): &(u16, Value), tool: &Result<Value, Value>) {
    if routed["code"] == "route_not_found" || routed["code"] == "method_not_allowed" {
        assert!(tool.is_err(), "{what}: there is no route, and the tool returns {tool:?}");
        return;
    }
    match tool {
        Ok(content) => {
            assert!((200..300).contains(status), "{what}: the route refuses with {status}, the tool returns {content}");
            if let Some(record) = content.get("record") {
                assert_eq!(record, routed, "{what}");
            }
            if let Some(records) = content.get("records") {
                assert_eq!(records, routed.get("data").unwrap_or(routed), "{what}");
            }
        }
        Err(problem) if problem["detail"].as_str().is_some_and(|it| it.starts_with("there is no resource")) => {
            assert!([401, 403].contains(status), "{what}: the route answers {status} {routed}, the tool {problem}");
        }
        Err(problem) => assert_eq!(
            (&routed["code"], routed["errors"].is_array()),
            (&problem["code"], problem["errors"].is_array()),
            "{what}: {routed} {problem}"
        ),
    }
}

#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_each(test: impl AsyncFn(World)) {
    on_each_sql_backend(async |database| {
        let auth = auth().secret("a secret of at least thirty-two bytes").build().expect("the authentication");
        let service = tracker(database.service().await.auth(auth));
        let calls = crud_runtime::RateLimit::new(100_000, std::time::Duration::from_mins(1));
        let service = service.plugin(Mcp::new().writes().rate_limit(calls)).expect("one plugin");
        test(World::new(service.test().await.expect("the service")).await).await;
    });
}

#[test]
fn tools_read_what_routes_read() {
    on_each(async |world| {
        let mut found = 0;
        for name in PEOPLE.into_iter().chain(["nobody"]) {
            for resource in RESOURCES {
                let what = format!("{name} lists {resource}");
                let routed = world.http(name, world.test.get(format!("/{resource}"))).await;
                let arguments = json!({ "resource": resource });
                compare(&what, &routed, &world.tool(name, "list", arguments).await);
                for id in 1..=8 {
                    let what = format!("{name} gets {resource}/{id}");
                    let routed = world.http(name, world.test.get(format!("/{resource}/{id}"))).await;
                    let tool = world.tool(name, "get", json!({ "resource": resource, "id": id })).await;
                    found += usize::from(tool.is_ok());
                    compare(&what, &routed, &tool);
                }
            }
        }
        assert!(found > 40, "people see records: {found}");
    });
}

#[test]
fn tools_change_what_routes_change() {
    on_each(async |world| {
        let mut changed = 0;
        for name in PEOPLE.into_iter().chain(["nobody"]) {
            for (resource, body) in [
                ("issues", json!({ "title": "new" })),
                ("issues", json!({ "title": "new", "team_id": 2 })),
                ("comments", json!({ "issue_id": 1, "text": "new" })),
                ("comments", json!({ "issue_id": 3, "text": "new" })),
                ("teams", json!({ "name": "" })),
                ("members", json!({ "user_id": 1, "name": "eve", "role": "boss", "team_id": 1 })),
            ] {
                let what = format!("{name} creates {resource} {body}");
                let routed = world.http(name, world.test.post(format!("/{resource}"), &body)).await;
                let tool = world.tool(name, "create", json!({ "resource": resource, "values": body })).await;
                let tool = tool.map(|_| Value::Null);
                changed += usize::from(tool.is_ok());
                compare(&what, &routed, &tool);
            }
            for resource in RESOURCES {
                for id in 1..=6 {
                    let body = if resource == "issues" { json!({ "text": name }) } else { json!({}) };
                    let what = format!("{name} updates {resource}/{id}");
                    let routed = world.http(name, world.test.patch(format!("/{resource}/{id}"), &body)).await;
                    let arguments = json!({ "resource": resource, "id": id, "values": body });
                    let tool = world.tool(name, "update", arguments).await.map(|_| Value::Null);
                    changed += usize::from(tool.is_ok());
                    compare(&what, &routed, &tool);
                }
            }
        }
        assert!(changed > 20, "people change records: {changed}");
    });
}

#[test]
fn tools_act_as_routes_act() {
    on_each(async |world| {
        let mut moved = 0;
        // Issues are in pairs: the first is the route's, the second the tool's.
        for name in ["eve", "nobody", "ada", "sue", "gus", "mia", "otto", "olga"] {
            for action in ["start", "finish", "reopen", "delete", "restore"] {
                for pair in [1, 3, 5] {
                    let what = format!("{name} {action} of issue {pair}");
                    let path = format!("/issues/{pair}");
                    let routed = match action {
                        "delete" => world.http(name, world.test.delete(path)).await,
                        "restore" => world.http(name, world.test.post(format!("{path}/restore"), Value::Null)).await,
                        _ => world.http(name, world.test.post(format!("{path}/{action}"), json!({}))).await,
                    };
                    let arguments = json!({ "resource": "issues", "id": pair + 1, "action": action });
                    let tool = world.tool(name, "act", arguments).await.map(|_| Value::Null);
                    moved += usize::from(tool.is_ok());
                    compare(&what, &routed, &tool);
                }
            }
        }
        assert!(moved > 10, "people act on records: {moved}");
    });
}
