//! The README's table of each operation against each kind of caller: asked of a running service, and held against
//! what the README says. `CRUD_TEST_UPDATE=1` writes it there instead.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use crud_runtime::Service;
use crud_tests::Api;
use serde_json::{Value, json};

use crate::resources::Memo;
use crate::support::{Caller, caller, on, stranger};

const BEGIN: &str = "<!-- who may do what: written by a test -->\n";
const END: &str = "<!-- end -->\n";

/// The callers, as the table calls them.
const CALLERS: [&str; 4] = ["nobody", "another user", "the owner", "an admin"];

/// What is done to a record of the owner's, which is soft-deleted before where it says so.
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

fn called<'a>(api: &'a Api, name: &str) -> Caller<'a> {
    match name {
        "another user" => caller(api, "8", &[], &[]),
        "the owner" => caller(api, "7", &[], &[]),
        "an admin" => caller(api, "9", &["admin"], &[]),
        _ => stranger(api),
    }
}

/// What the caller gets; of lists and changes of many, how many of the owner's one record it was about.
async fn outcome(api: &Api, operation: &str, deleted: bool, name: &str) -> String {
    let owner = called(api, "the owner");
    let id = owner.post("/memos", &json!({ "text": "a" })).await.created()["id"].clone();
    let path = format!("/memos/{id}");
    if deleted {
        owner.delete(&path).await.ok();
    }
    let who = called(api, name);
    let change = json!({ "text": "b" });
    let (answer, count) = match operation {
        "list" => (who.get(format!("/memos?id={id}")).await, Some("total")),
        "get" => (who.get(&path).await, None),
        "create" => (who.post("/memos", &change).await, None),
        "update" => (who.put(&path, &change).await, None),
        "delete" => (who.delete(&path).await, None),
        "restore" => (who.post(format!("{path}/restore"), &json!({})).await, None),
        "restore many" => (who.post("/memos/restore", &json!({ "ids": [id] })).await, Some("restored")),
        "purge" => (who.delete(format!("{path}/permanent")).await, None),
        "purge many" => (who.delete(format!("/memos/deleted?id={id}")).await, Some("deleted")),
        "batch create" => (who.post("/memos/batch", &json!({ "items": [change] })).await, None),
        "batch update" => (who.put("/memos/batch", &json!({ "items": [{ "id": id, "text": "b" }] })).await, None),
        "batch delete" => (who.post("/memos/batch/delete", &json!({ "ids": [id] })).await, None),
        "history" => (who.get(format!("{path}/history")).await, None),
        _ => (who.get("/audit-logs").await, None),
    };
    let status = answer.status();
    match count.filter(|_| status == 200).map(|member| &answer.json()[member]) {
        None | Some(Value::Null) => status.to_string(),
        Some(count) => format!("{status}, {count} of 1"),
    }
}

#[test]
fn the_readme_says_what_each_caller_gets() {
    on(Service::resource::<Memo>, async |api| {
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
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
        let readme = fs::read_to_string(&path).expect("the README");
        let (head, rest) = readme.split_once(BEGIN).expect("where the table begins");
        let (stands, tail) = rest.split_once(END).expect("where the table ends");
        if std::env::var_os("CRUD_TEST_UPDATE").is_some() {
            fs::write(&path, format!("{head}{BEGIN}{table}{END}{tail}")).expect("the README");
        } else {
            assert_eq!(stands, table, "the table of the README; CRUD_TEST_UPDATE=1 writes it");
        }
    });
}
