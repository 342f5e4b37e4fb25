//! Batch deletion: deleted records are returned in request order, or none is deleted.

use crud_tests::fixtures::{batch, ids, path};
use crud_tests::{Client, Request, audit_log, on_kitchen, on_kitchen_with_transactions};
use reqwest::Method;
use serde_json::{Value, json};

fn delete<'a>(kitchen: &'a Client, prefix: &str, body: &Value) -> Request<'a> {
    kitchen.request(Method::DELETE, format!("{prefix}/batch")).json(body)
}

/// Creates a record from each body.
async fn created(kitchen: &Client, prefix: &str, bodies: impl IntoIterator<Item = Value>) -> Vec<Value> {
    let answer = kitchen.post(format!("{prefix}/batch"), &batch(bodies)).await.ok();
    answer["items"].as_array().expect("items").clone()
}

async fn parcels(kitchen: &Client, count: i32) -> Vec<Value> {
    created(kitchen, "/parcels", (0..count).map(|number| json!({ "code": number.to_string(), "weight": 1 }))).await
}

#[test]
fn deleted_records_are_returned_in_request_order() {
    on_kitchen_with_transactions(async |kitchen| {
        let parcels = parcels(kitchen, 4).await;
        let chosen = [&parcels[3], &parcels[0], &parcels[2]];
        let answer = delete(kitchen, "/parcels", &ids(chosen)).await.ok();
        assert_eq!(answer, json!({ "deleted": 3, "items": chosen }));
        assert_eq!(kitchen.get("/parcels").await.ok()["data"], json!([parcels[1]]));
    });
}

#[test]
fn post_alias_deletes_too() {
    on_kitchen_with_transactions(async |kitchen| {
        let parcels = parcels(kitchen, 2).await;
        let answer = kitchen.post("/parcels/batch/delete", &ids(&parcels)).await.ok();
        assert_eq!(answer, json!({ "deleted": 2, "items": parcels }));
        assert_eq!(kitchen.get("/parcels").await.ok()["total"], 0);
        let other = kitchen.get("/parcels/batch/delete").await;
        assert_eq!(other.allow(), ["OPTIONS", "POST"]);
        other.problem("method_not_allowed");
    });
}

#[test]
fn batch_delete_is_soft_with_soft_delete() {
    on_kitchen_with_transactions(async |kitchen| {
        let members = created(kitchen, "/members", [json!({ "handle": "a" }), json!({ "handle": "b" })]).await;
        let answer = delete(kitchen, "/members", &ids(members.iter().rev())).await.ok();
        assert_eq!(answer["deleted"], 2);
        for (item, before) in answer["items"].as_array().expect("items").iter().rev().zip(&members) {
            let mut expected = before.clone();
            expected["is_deleted"] = json!(true);
            expected["deleted_at"] = item["deleted_at"].clone();
            assert_eq!(*item, expected);
            let stored = kitchen.get(format!("{}?include_deleted=true", path("/members", item))).await.ok();
            assert_eq!(stored, *item);
            assert!(item["deleted_at"].is_string(), "{item}");
        }
        assert_eq!(kitchen.get("/members").await.ok()["total"], 0);
    });
}

#[test]
fn batch_delete_accepts_every_type_of_key() {
    on_kitchen_with_transactions(async |kitchen| {
        let trays = ["b", "a"].map(|code| json!({ "trayCode": code, "itemCount": 1 }));
        created(kitchen, "/trays", trays.clone()).await;
        let answer = delete(kitchen, "/trays", &json!({ "ids": ["b", "a"] })).await.ok();
        assert_eq!(answer, json!({ "deleted": 2, "items": trays }));
        let coupons = created(kitchen, "/coupons", [json!({ "worth": 1 })]).await;
        let answer = delete(kitchen, "/coupons", &ids(&coupons)).await.ok();
        assert_eq!(answer, json!({ "deleted": 1, "items": coupons, "failed": 0, "errors": [] }));
    });
}

#[test]
fn empty_batch_succeeds_and_oversized_batch_fails() {
    on_kitchen(async |kitchen| {
        let answer = delete(kitchen, "/parcels", &json!({ "ids": [] })).await.ok();
        assert_eq!(answer, json!({ "deleted": 0, "items": [] }));
        kitchen.post("/trays", &json!({ "trayCode": "a", "itemCount": 1 })).await.created();
        for target in ["/trays/batch", "/trays/batch/delete"] {
            let method = if target.ends_with("delete") { Method::POST } else { Method::DELETE };
            let body = json!({ "ids": ["a", "b", "c", "d"] });
            kitchen.request(method, target).json(&body).await.problem("batch_too_large");
        }
        assert_eq!(kitchen.get("/trays").await.ok()["total"], 1);
    });
}

#[test]
fn unknown_id_fails_the_batch() {
    on_kitchen_with_transactions(async |kitchen| {
        let parcels = parcels(kitchen, 2).await;
        let body = json!({ "ids": [parcels[0]["id"], 4711, parcels[1]["id"], 4712] });
        let problem = delete(kitchen, "/parcels", &body).await.problem("not_found");
        assert_eq!(problem.items(), [(1, ""), (3, "")]);
        assert_eq!(kitchen.get("/parcels").await.ok()["total"], 2);
        assert_eq!(audit_log::entries(kitchen, "Parcel").await.len(), 2);
    });
}

#[test]
fn soft_deleted_id_fails_the_batch() {
    on_kitchen_with_transactions(async |kitchen| {
        let members = created(kitchen, "/members", [json!({ "handle": "a" }), json!({ "handle": "b" })]).await;
        kitchen.delete(path("/members", &members[1])).await.ok();
        let problem = delete(kitchen, "/members", &ids(&members)).await.problem("not_found");
        assert_eq!(problem.items(), [(1, "")]);
        assert_eq!(kitchen.get("/members").await.ok()["data"], json!([members[0]]));
    });
}

#[test]
fn each_malformed_id_is_reported() {
    on_kitchen_with_transactions(async |kitchen| {
        let parcels = parcels(kitchen, 1).await;
        let good = &parcels[0]["id"];
        for (bad, places) in [
            (json!([good, "x", null]), vec![1, 2]),
            (json!([1.5]), vec![0]),
            (json!([good, [good]]), vec![1]),
            (json!([{ "id": good }]), vec![0]),
        ] {
            let problem = delete(kitchen, "/parcels", &json!({ "ids": bad })).await.problem("validation_failed");
            let found: Vec<_> = problem.items().into_iter().map(|(index, _)| index).collect();
            assert!(places.iter().all(|place| found.contains(place)), "{bad}: {problem}");
        }
        delete(kitchen, "/parcels", &json!({ "ids": [good, good] })).await.problem("validation_failed");
        assert_eq!(kitchen.get("/parcels").await.ok()["total"], 1);
    });
}

#[test]
fn referenced_record_fails_the_batch() {
    on_kitchen_with_transactions(async |kitchen| {
        let parcels = parcels(kitchen, 3).await;
        kitchen.post("/stamps", &json!({ "parcel_id": parcels[1]["id"] })).await.created();
        let problem = delete(kitchen, "/parcels", &ids(&parcels)).await.problem("referenced");
        assert_eq!(problem.items(), [(1, "")]);
        assert_eq!(kitchen.get("/parcels").await.ok()["total"], 3);
        assert_eq!(delete(kitchen, "/parcels", &ids([&parcels[0], &parcels[2]])).await.ok()["deleted"], 2);
    });
}

#[test]
fn body_has_only_ids() {
    on_kitchen(async |kitchen| {
        let parcels = parcels(kitchen, 1).await;
        for (body, pointer) in [
            (json!({ "ids": 5 }), "/ids"),
            (json!({}), "/ids"),
            (json!({ "ids": [parcels[0]["id"]], "all": true }), "/all"),
            (json!([parcels[0]["id"]]), ""),
        ] {
            let problem = delete(kitchen, "/parcels", &body).await.problem("validation_failed");
            assert_eq!(problem.pointers(), [pointer], "{body}");
        }
        kitchen.delete("/parcels/batch").await.problem("unsupported_media_type");
        assert_eq!(kitchen.get("/parcels").await.ok()["total"], 1);
    });
}

#[test]
fn thousand_records_are_deleted() {
    on_kitchen_with_transactions(async |kitchen| {
        let parcels = parcels(kitchen, 1000).await;
        let answer = delete(kitchen, "/parcels", &ids(parcels.iter().rev())).await.ok();
        assert_eq!(answer["deleted"], 1000);
        assert!(answer["items"].as_array().expect("items").iter().rev().eq(&parcels));
        assert_eq!(kitchen.get("/parcels").await.ok()["total"], 0);
    });
}
