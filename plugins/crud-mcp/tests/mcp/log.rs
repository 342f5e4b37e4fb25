//! The audit log names agents beside their users.

use crud_runtime::testing::Test;
use crud_tests::on_each_backend;
use serde_json::{Value, json};

use crate::support::{PASSWORD, call, request, writing};

async fn actors(test: &Test, id: &Value) -> Vec<Value> {
    let reader = test.as_role("admin").as_role("editor");
    let history = reader.get(format!("/jobs/{id}/history")).await.expect(200).json();
    let entries = history["data"].as_array().or(history.as_array()).expect("entries").clone();
    entries.iter().map(|entry| entry["actor"].clone()).collect()
}

#[test]
fn changes_name_the_agent_and_the_user() {
    on_each_backend(async |database| {
        let test = writing(database).await;
        test.users().create_user("ann", PASSWORD).roles(["editor"]).await.expect("a user");
        let ann = test.as_user("ann").await.expect("a user");
        let made = call(&ann, "create", json!({ "resource": "jobs", "values": { "title": "Oil it" } })).await;
        let id = made["record"]["id"].clone();
        let users = test.users().list().await.expect("the users");
        let subject = users[0].1.id().expect("a number");
        assert_eq!(actors(&test, &id).await, [json!(format!("mcp:tester of {subject}"))]);

        let key = ann.post("/auth/keys", json!({ "name": "ci", "roles": ["editor"] })).await.expect(201).json();
        let bearer = format!("Bearer {}", key["key"].as_str().expect("a key"));
        let params =
            json!({ "name": "update", "arguments": { "resource": "jobs", "id": id, "values": { "hours": 1 } } });
        let answer = request(&test, "tools/call", params).header("authorization", bearer).await.expect(200).json();
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        let by_key = json!(format!("mcp:tester by key:ci of {subject}"));
        assert!(actors(&test, &id).await.contains(&by_key), "{:?}", actors(&test, &id).await);
    });
}

#[test]
fn name_of_an_agent_has_the_characters_of_names_alone() {
    on_each_backend(async |database| {
        let test = writing(database).await;
        let ed = test.as_role("editor");
        for (stated, logged) in [
            (json!("Claude Code\n of root"), "mcp:Claude-Code--of-root of test".to_owned()),
            (json!("x".repeat(500)), format!("mcp:{} of test", "x".repeat(40))),
            (json!(["x"]), "mcp:unnamed of test".to_owned()),
            (json!(""), "mcp:unnamed of test".to_owned()),
        ] {
            let body = json!({
                "jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {
                    "name": "create", "arguments": { "resource": "jobs", "values": { "title": "x" } },
                    "_meta": {
                        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                        "io.modelcontextprotocol/clientInfo": { "name": stated, "version": "1" },
                        "io.modelcontextprotocol/clientCapabilities": {},
                    },
                },
            });
            let request = ed.post("/mcp", body).header("mcp-protocol-version", "2026-07-28");
            let request = request.header("mcp-method", "tools/call").header("mcp-name", "create");
            let answer = request.await.expect(200).json();
            let id = answer["result"]["structuredContent"]["record"]["id"].clone();
            assert_eq!(actors(&test, &id).await, [json!(logged)]);
        }
    });
}
