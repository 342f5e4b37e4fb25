//! The book's table of access: each operation by each caller, requested from a running service and compared with the
//! page. `CRUD_TEST_UPDATE=1` writes it there instead.

use std::fmt::Write;

use crud_runtime::Service;
use crud_tests::Api;
use serde_json::{Value, json};

use crate::page;
use crate::resources::Memo;
use crate::support::{Caller, anonymous, caller, on_resources};

/// The callers, as the page names them.
const CALLERS: [&str; 4] = ["no token", "another user", "the owner", "an admin"];

/// The operations on the owner's record, and whether it is soft-deleted before.
const OPERATIONS: [(&str, bool); 14] = [
    ("list", false),
    ("get", false),
    ("create", false),
    ("update", false),
    ("delete", false),
    ("restore", true),
    ("restore many", true),
    ("purge", true),
    ("purge many", true),
    ("batch create", false),
    ("batch update", false),
    ("batch delete", false),
    ("history", false),
    ("`/audit-logs`", false),
];

fn caller_named<'a>(api: &'a Api, name: &str) -> Caller<'a> {
    match name {
        "another user" => caller(api, "8", &[], &[]),
        "the owner" => caller(api, "7", &[], &[]),
        "an admin" => caller(api, "9", &["admin"], &[]),
        _ => anonymous(api),
    }
}

/// The response's status; for lists and changes of several records, also how many of the owner's one record they cover.
async fn outcome(api: &Api, operation: &str, deleted: bool, name: &str) -> String {
    let owner = caller_named(api, "the owner");
    let id = owner.post("/memos", &json!({ "text": "a" })).await.created()["id"].clone();
    let path = format!("/memos/{id}");
    if deleted {
        owner.delete(&path).await.ok();
    }
    let caller = caller_named(api, name);
    let change = json!({ "text": "b" });
    let (answer, count) = match operation {
        "list" => (caller.get(format!("/memos?id={id}")).await, Some("total")),
        "get" => (caller.get(&path).await, None),
        "create" => (caller.post("/memos", &change).await, None),
        "update" => (caller.put(&path, &change).await, None),
        "delete" => (caller.delete(&path).await, None),
        "restore" => (caller.post(format!("{path}/restore"), &json!({})).await, None),
        "restore many" => (caller.post("/memos/restore", &json!({ "ids": [id] })).await, Some("restored")),
        "purge" => (caller.delete(format!("{path}/permanent")).await, None),
        "purge many" => (caller.delete(format!("/memos/deleted?id={id}")).await, Some("deleted")),
        "batch create" => (caller.post("/memos/batch", &json!({ "items": [change] })).await, None),
        "batch update" => (caller.put("/memos/batch", &json!({ "items": [{ "id": id, "text": "b" }] })).await, None),
        "batch delete" => (caller.post("/memos/batch/delete", &json!({ "ids": [id] })).await, None),
        "history" => (caller.get(format!("{path}/history")).await, None),
        _ => (caller.get("/audit-logs").await, None),
    };
    let status = answer.status();
    match count.filter(|_| status == 200).map(|member| &answer.json()[member]) {
        None | Some(Value::Null) => status.to_string(),
        Some(count) => format!("{status}, {count} of 1"),
    }
}

#[test]
fn books_table_states_each_callers_access() {
    on_resources(Service::resource::<Memo>, async |api| {
        let mut table = format!("| | {} |\n|---|{}\n", CALLERS.join(" | "), "---|".repeat(CALLERS.len()));
        for (operation, deleted) in OPERATIONS {
            let mut row = format!("| {operation} |");
            for name in CALLERS {
                let outcome = outcome(api, operation, deleted, name).await;
                write!(row, " {outcome} |").expect("a row");
            }
            table.push_str(&row);
            table.push('\n');
        }
        page::compare("who may do what", &table);
    });
}
