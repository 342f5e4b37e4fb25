//! Storage without transactions refuses changes that need them, and changes nothing.

use crud_tests::fixtures::{batch, path};
use crud_tests::{Api, on_kitchen_without_transactions};
use reqwest::Method;
use serde_json::{Value, json};

/// Creates members one by one.
async fn members(kitchen: &Api, handles: &[&str]) -> Vec<Value> {
    let mut members = Vec::new();
    for handle in handles {
        members.push(kitchen.post("/members", &json!({ "handle": handle })).await.created());
    }
    members
}

async fn total(kitchen: &Api, target: &str) -> Value {
    kitchen.get(target).await.ok()["total"].clone()
}

#[test]
fn atomic_batch_of_several_items_is_refused_and_writes_nothing() {
    on_kitchen_without_transactions(async |kitchen| {
        let two = batch(["a", "b"].map(|code| json!({ "code": code, "weight": 1 })));
        let problem = kitchen.post("/parcels/batch", &two).await.problem("unsupported_here");
        assert!(problem.detail.contains("atomic changes of several records"), "{problem}");
        assert_eq!(total(kitchen, "/parcels").await, 0);
        let one = batch([json!({ "code": "a", "weight": 1 })]);
        let id = kitchen.post("/parcels/batch", &one).await.ok()["items"][0]["id"].clone();
        let changes = json!({ "items": [{ "id": id, "weight": 2 }, { "id": 4711, "weight": 2 }] });
        kitchen.put("/parcels/batch", &changes).await.problem("unsupported_here");
        let ids = json!({ "ids": [id, 4711] });
        kitchen.request(Method::DELETE, "/parcels/batch").json(&ids).await.problem("unsupported_here");
        assert_eq!(kitchen.get(format!("/parcels/{id}")).await.ok()["weight"], 1.0);
        let ids = json!({ "ids": [id] });
        assert_eq!(kitchen.request(Method::DELETE, "/parcels/batch").json(&ids).await.ok()["deleted"], 1);
    });
}

#[test]
fn restore_and_purge_of_several_records_are_refused_and_change_nothing() {
    on_kitchen_without_transactions(async |kitchen| {
        let members = members(kitchen, &["a", "b"]).await;
        for member in &members {
            kitchen.delete(path("/members", member)).await.ok();
        }
        kitchen
            .post("/members/restore", &json!({ "ids": [members[0]["id"], members[1]["id"]] }))
            .await
            .problem("unsupported_here");
        kitchen.delete("/members/deleted?all=true").await.problem("unsupported_here");
        assert_eq!(total(kitchen, "/members?only_deleted=true").await, 2);
        let first = json!({ "ids": [members[0]["id"]] });
        assert_eq!(kitchen.post("/members/restore", &first).await.ok()["restored"], 1);
        assert_eq!(kitchen.delete("/members/deleted?all=true").await.ok()["deleted"], 1);
    });
}

#[test]
fn document_states_that_an_atomic_batch_has_one_item() {
    on_kitchen_without_transactions(async |kitchen| {
        let document = kitchen.get("/openapi.json").await.ok();
        let schemas = &document["components"]["schemas"];
        assert_eq!(schemas["ParcelBatchCreate"]["properties"]["items"]["maxItems"], 1);
    });
}
