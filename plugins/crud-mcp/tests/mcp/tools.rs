//! The tools, as an agent uses them.

use crud_mcp::Mcp;
use crud_tests::on_each_backend;
use serde_json::{Value, json};

use crate::support::{call, called, column, editor, fault, refused, request, with, writing};

async fn names(test: &crud_runtime::testing::Test) -> Vec<Value> {
    let answer = request(test, "tools/list", json!({})).await.expect(200).json();
    let tools = answer["result"]["tools"].as_array().expect("tools").clone();
    tools.iter().map(|tool| tool["name"].clone()).collect()
}

#[test]
fn tools_that_write_are_there_if_the_program_says_so() {
    on_each_backend(async |database| {
        let reading = with(database, Mcp::new()).await;
        let ed = editor(&reading);
        assert_eq!(names(&ed).await, ["resources", "describe", "list", "get"]);
        let off = fault(called(&ed, "create", json!({ "resource": "machines", "values": {} })).await, 200, -32602);
        assert_eq!(off["message"], "the tool `create` is off: this service is read-only for agents");
        let machines = &call(&ed, "resources", json!({})).await["resources"][0];
        assert_eq!(
            *machines,
            json!({ "name": "machines", "can": ["list", "get"], "about": "A machine of the workshop." })
        );
        let ed = editor(&writing(database).await);
        let all = ["resources", "describe", "list", "get", "create", "update", "act"];
        assert_eq!(names(&ed).await, all);
    });
}

#[test]
fn agent_lists_reads_creates_and_moves_a_record() {
    on_each_backend(async |database| {
        let ed = editor(&writing(database).await);
        let lathe = call(&ed, "create", json!({ "resource": "machines", "values": { "name": "Lathe" } })).await;
        let lathe = lathe["record"]["id"].clone();
        let values = json!({ "title": "Oil it", "hours": 2, "machine_id": lathe });
        let job = call(&ed, "create", json!({ "resource": "jobs", "values": values })).await;
        let id = job["record"]["id"].clone();
        assert_eq!(job["record"]["state"], "open");

        let filter = json!({ "state": "open", "hours__gte": "1", "machine.name": "Lathe" });
        let found = call(&ed, "list", json!({ "resource": "jobs", "filter": filter, "fields": ["id", "title"] })).await;
        assert_eq!(found, json!({ "records": [{ "id": id, "title": "Oil it" }], "total": 1, "skip": 0 }));

        let read = call(&ed, "get", json!({ "resource": "/jobs", "id": id.to_string(), "expand": ["machine"] })).await;
        assert_eq!(read["record"]["machine"]["name"], "Lathe");
        let version = read["version"].clone();
        let update = json!({ "resource": "Job", "id": id, "values": { "hours": 3 }, "version": version });
        assert_eq!(call(&ed, "update", update.clone()).await["record"]["hours"], 3);
        let stale = refused(&ed, "update", update).await;
        assert_eq!(stale["code"], "precondition_failed");
        assert!(stale["words"].as_str().expect("words").contains("`get` it again"), "{stale}");

        let moved = call(&ed, "act", json!({ "resource": "jobs", "id": id, "action": "begin" })).await;
        assert_eq!(moved["record"]["state"], "doing");
        let again = refused(&ed, "act", json!({ "resource": "jobs", "id": id, "action": "begin" })).await;
        assert_eq!((&again["code"], &again["status"]), (&json!("illegal_transition"), &json!(409)));
        let denied = refused(&ed, "act", json!({ "resource": "jobs", "id": id, "action": "finish" })).await;
        assert_eq!(denied["code"], "permission_denied");
    });
}

#[test]
fn deletions_of_agents_can_be_undone() {
    on_each_backend(async |database| {
        let ed = editor(&writing(database).await);
        let machine = call(&ed, "create", json!({ "resource": "machines", "values": { "name": "Lathe" } })).await;
        let id = machine["record"]["id"].clone();
        let refusal = refused(&ed, "act", json!({ "resource": "machines", "id": id, "action": "delete" })).await;
        assert_eq!(refusal["code"], "method_not_allowed");
        ed.get(format!("/machines/{id}")).await.expect(200);

        let job = call(&ed, "create", json!({ "resource": "jobs", "values": { "title": "Oil it" } })).await;
        let id = job["record"]["id"].clone();
        call(&ed, "act", json!({ "resource": "jobs", "id": id, "action": "delete" })).await;
        assert_eq!(refused(&ed, "get", json!({ "resource": "jobs", "id": id })).await["code"], "not_found");
        let restored = call(&ed, "act", json!({ "resource": "jobs", "id": id, "action": "restore" })).await;
        assert_eq!(restored["record"]["title"], "Oil it");
        for action in ["purge", "permanent", "../permanent", ""] {
            let refusal = refused(&ed, "act", json!({ "resource": "jobs", "id": id, "action": action })).await;
            assert_eq!(refusal["errors"][0]["code"], "unknown", "{action}: {refusal}");
        }
    });
}

#[test]
fn description_says_what_the_caller_may_do_and_send() {
    on_each_backend(async |database| {
        let ed = editor(&writing(database).await);
        let jobs = call(&ed, "describe", json!({ "resource": "jobs" })).await;
        let field = |name: &str| {
            let fields = jobs["fields"].as_array().expect("fields");
            fields.iter().find(|field| field["name"] == name).cloned().unwrap_or_default()
        };
        assert_eq!(
            field("title"),
            json!({
                "name": "title", "type": "text", "about": "The work to be done, in a few words.", "required": true,
                "rules": { "min_length": 1, "max_length": 100 }, "filter": field("title")["filter"],
            })
        );
        assert_eq!(field("machine_id")["refers_to"], "machines");
        assert_eq!(field("state")["values"], json!(["open", "doing", "done"]));
        assert_eq!(field("pay"), Value::Null, "the pay is for masters");
        assert_eq!(jobs["can"], json!(["list", "get", "create", "update"]));
        assert_eq!(jobs["list"]["related_filters"], json!(["machine.name"]));
        assert_eq!(jobs["list"]["expand"], json!(["machine"]));
        assert_eq!(jobs["list"]["max_limit"], 100);
        let begin = json!({ "action": "begin", "field": "state", "from": ["open"], "to": "doing" });
        assert_eq!(jobs["actions"][0], begin);
        let actions: Vec<_> = jobs["actions"].as_array().expect("actions").iter().map(|it| &it["action"]).collect();
        assert_eq!(actions, ["begin", "delete", "restore"], "finishing is for masters");
    });
}

#[test]
fn wrong_arguments_say_what_would_be_right() {
    on_each_backend(async |database| {
        let ed = editor(&writing(database).await);
        for (tool, arguments, words) in [
            ("list", json!({}), "`list` needs `resource`"),
            (
                "list",
                json!({ "resource": "jobs", "where": {} }),
                "`list` has no argument `where`: expected `resource`, `filter`",
            ),
            ("list", json!({ "resource": "machine" }), "there is no resource `machine`: the nearest is `machines`"),
            (
                "list",
                json!({ "resource": "zzz" }),
                "there is no resource `zzz`: `resources` lists those that there are",
            ),
            ("list", json!({ "resource": "secrets" }), "there is no resource `secrets`"),
            ("list", json!({ "resource": "jobs", "limit": 1000 }), "limit: must be from 1 to 100"),
            ("list", json!({ "resource": "jobs", "limit": "many" }), "limit: must be an integer"),
            ("list", json!({ "resource": "jobs", "filter": { "hours": null } }), "`hours__isnull` with true"),
            ("list", json!({ "resource": "jobs", "filter": { "limit": 5 } }), "it is the argument `limit`"),
            ("list", json!({ "resource": "jobs", "filter": { "titel": "x" } }), "title"),
            ("list", json!({ "resource": "jobs", "filter": { "pay__gte": 1 } }), "pay"),
            ("list", json!({ "resource": "jobs", "sort": "-pay" }), "sort"),
            ("get", json!({ "resource": "jobs", "id": "x" }), "id: must be"),
            ("get", json!({ "resource": "jobs", "id": [1] }), "id: must be a string or an integer"),
            ("get", json!({ "resource": "jobs", "id": "1/permanent" }), "id: must be"),
            ("create", json!({ "resource": "jobs", "values": { "title": "" } }), "title: must have"),
            ("create", json!({ "resource": "jobs", "values": { "titel": "x" } }), "\n- /titel: "),
            ("create", json!({ "resource": "jobs", "values": "x" }), "values: must be an object"),
            ("act", json!({ "resource": "jobs", "id": 1, "action": "start" }), "expected `begin`, `delete`, `restore`"),
        ] {
            let refusal = refused(&ed, tool, arguments.clone()).await;
            let said = refusal["words"].as_str().expect("words");
            assert!(said.contains(words), "{tool} {arguments}: {said}");
            assert!(refusal["status"].as_u64().is_some_and(|status| (400..500).contains(&status)), "{refusal}");
        }
    });
}

#[test]
fn arguments_are_read_as_models_write_them() {
    on_each_backend(async |database| {
        let ed = editor(&writing(database).await);
        let values = r#"{"title":"A, \"quoted\" title"}"#;
        let job = call(&ed, "create", json!({ "resource": "jobs", "values": values })).await;
        call(&ed, "create", json!({ "resource": "jobs", "values": { "title": "B" } })).await;
        let arguments = json!({
            "resource": "jobs", "filter": { "title__in": ["A, \"quoted\" title", "C"] }, "limit": "5", "sort": null, "fields": "id,title",
        });
        let found = call(&ed, "list", arguments).await;
        assert_eq!(column(&found, "id"), [job["record"]["id"].clone()]);
        let sorted = call(&ed, "list", json!({ "resource": "jobs", "sort": "-title", "limit": 1 })).await;
        assert_eq!((column(&sorted, "title"), &sorted["next_skip"]), (vec![json!("B")], &json!(1)));
        let next = call(&ed, "list", json!({ "resource": "jobs", "sort": ["-title"], "limit": 1, "skip": 1 })).await;
        assert_eq!((column(&next, "title"), &next["next_skip"]), (vec![json!("A, \"quoted\" title")], &Value::Null));
    });
}
