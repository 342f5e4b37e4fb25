//! The table of what removes records: each road with what it leaves and the access that it needs, requested from a running
//! service and compared with the page of the book.

use std::fmt::Write;

use crud_runtime::prelude::*;
use crud_tests::{Api, on_each_backend_with_transactions};
use reqwest::Method;
use serde_json::{Value, json};

use crate::page;
use crate::support::{Caller, caller, secured};

/// Kept when it is deleted.
#[derive(Debug, Clone, Resource)]
#[crud(soft_delete, filter(id), batch, access(read(public), write(authenticated), delete(role("admin"))))]
struct Plan {
    id: i64,
    deleted_at: Option<DateTime<Utc>>,
}

/// Removed when it is deleted.
#[derive(Debug, Clone, Resource)]
#[crud(batch, access(read(public), write(authenticated), delete(role("admin"))))]
struct Draft {
    id: i64,
}

/// Removed with the record that it refers to.
#[derive(Debug, Clone, Resource)]
#[crud(filter(draft_id), access(read(public), write(authenticated), delete(role("nobody"))))]
struct Remark {
    id: i64,
    #[crud(references(Draft, on_delete(cascade)))]
    draft_id: i64,
}

/// Sends a road's request about a record.
async fn send(caller: &Caller<'_>, method: &str, path: &str, id: &Value) -> u16 {
    let target = path.replace("{id}", &id.to_string());
    let target = if path.ends_with("/deleted") { format!("{target}?id={id}") } else { target };
    let method: Method = method.parse().expect("a method");
    caller.request(method, &target, &json!({ "ids": [id] })).await.status()
}

/// State of a record after a request: kept, marked as deleted, or removed.
async fn state(admin: &Caller<'_>, path: &str) -> &'static str {
    if admin.get(path).await.status() == 200 {
        return "kept";
    }
    match admin.get(format!("{path}?include_deleted=true")).await.status() {
        200 => "marked as deleted",
        _ => "removed",
    }
}

#[test]
fn books_table_states_each_road_to_a_removal() {
    on_each_backend_with_transactions(async |database| {
        let service = secured(database.service().await.resource::<Plan>().resource::<Draft>().resource::<Remark>());
        let table = service.model().expect("the table").access_table();
        let is_road = |operation| {
            use Operation::{BatchDelete, Delete, Purge, PurgeMany};
            matches!(operation, Delete | BatchDelete | Purge | PurgeMany)
        };
        let api = Api::start(database, service.migrate().await.expect("the tables")).await;
        let (user, admin) = (caller(&api, "1", &[], &[]), caller(&api, "2", &["admin"], &[]));
        let mut page = "| | soft delete | the record is then | access |\n|---|---|---|---|\n".to_owned();
        for route in table.routes().iter().filter(|route| route.operation.is_some_and(is_road)) {
            let prefix = route.path.split('/').nth(1).expect("a prefix");
            if prefix == "remarks" {
                continue;
            }
            let is_soft = prefix == "plans";
            let id = user.post(format!("/{prefix}"), &json!({})).await.created()["id"].clone();
            let record = format!("/{prefix}/{id}");
            if route.path.contains("permanent") || route.path.ends_with("/deleted") {
                admin.delete(&record).await.ok();
            }
            assert_eq!(send(&user, &route.method, &route.path, &id).await, 403, "{} {}", route.method, route.path);
            assert_eq!(send(&admin, &route.method, &route.path, &id).await, 200, "{} {}", route.method, route.path);
            let path = route.path.replace(&format!("/{prefix}"), "{prefix}");
            let (soft, state) = (if is_soft { "on" } else { "off" }, state(&admin, &record).await);
            writeln!(page, "| `{} {path}` | {soft} | {state} | `{}` |", route.method, route.access).expect("a row");
        }
        let draft = user.post("/drafts", &json!({})).await.created()["id"].clone();
        let remark = user.post("/remarks", &json!({ "draft_id": draft })).await.created()["id"].clone();
        admin.delete(format!("/remarks/{remark}")).await.problem("permission_denied");
        admin.delete(format!("/drafts/{draft}")).await.ok();
        let state = state(&admin, &format!("/remarks/{remark}")).await;
        writeln!(
            page,
            "| each of these, of what it refers to with `on_delete(cascade)` | | {state} | that of the other |"
        )
        .expect("a row");
        page::compare("roads", &page);
        api.stop().await;
    });
}
