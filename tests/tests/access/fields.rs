//! Fields with restricted visibility.

use crud_tests::fixtures::column;
use serde_json::{Value, json};

use crate::support::{Caller, caller, on_service};

#[test]
fn records_contain_the_fields_visible_to_the_caller() {
    on_service(async |api| {
        let buyer = caller(api, "1", &["buyer"], &[]);
        let ware = buyer.post("/wares", &json!({ "name": "a", "cost": 2.5, "grade": 3 })).await.created();
        assert_eq!((&ware["cost"], &ware["grade"]), (&json!(2.5), &json!(3)));
        let path = format!("/wares/{}", ware["id"]);
        assert_eq!(api.get(&path).await.ok(), json!({ "id": ware["id"], "name": "a" }));
        let clerk = caller(api, "2", &[], &["wares:grade"]);
        assert_eq!(clerk.get(&path).await.ok(), json!({ "id": ware["id"], "name": "a", "grade": 3 }));
        assert_eq!(api.get("/wares").await.ok()["data"], json!([{ "id": ware["id"], "name": "a" }]));
        let mine = buyer.get(&path).await;
        assert_ne!(mine.etag(), api.get(&path).await.etag(), "the ETag covers the visible fields");
    });
}

#[test]
fn invisible_fields_cannot_be_filtered_sorted_or_set() {
    on_service(async |api| {
        let buyer = caller(api, "1", &["buyer"], &[]);
        let path = format!("/wares/{}", buyer.post("/wares", &json!({ "name": "a", "cost": 1 })).await.created()["id"]);
        for target in ["/wares?cost=1", "/wares?cost__gt=0", "/wares?sort=cost", "/wares?grade=1"] {
            let problem = api.get(target).await.problem("validation_failed");
            // The error does not list the field either.
            assert!(
                !problem.errors.iter().any(|error| error.detail.contains("fields that can are `cost`")),
                "{problem}"
            );
            buyer.get(target).await.ok();
        }
        assert!(!api.get("/wares?nme=x").await.text().contains("cost"));
        let change = json!({ "cost": 9 });
        let unknown = api.put(&path, &change).await.problem("validation_failed");
        assert_eq!((unknown.pointers(), unknown.errors[0].code.as_str()), (vec!["/cost"], "unknown_field"));
        api.post("/wares", &json!({ "name": "b", "grade": 9 })).await.problem("validation_failed");
        let created = api.post("/wares", &json!({ "name": "b" })).await.created();
        let stored = buyer.get(format!("/wares/{}", created["id"])).await.ok();
        assert_eq!((&stored["cost"], &stored["grade"]), (&json!(null), &json!(1)), "the defaults");
        assert_eq!(column(&buyer.get("/wares?sort=cost").await.ok(), "name"), ["b", "a"]);
    });
}

#[test]
fn batches_use_the_fields_visible_to_the_caller() {
    on_service(async |api| {
        let created = api.post("/wares/batch", &json!({ "items": [{ "name": "a" }] })).await.ok();
        assert_eq!(created["items"][0].as_object().map(serde_json::Map::len), Some(2), "{created}");
        let body = json!({ "items": [{ "name": "a", "cost": 1 }] });
        api.post("/wares/batch", &body).await.problem("validation_failed");
    });
}

#[test]
fn etag_depends_on_visible_fields_only() {
    on_service(async |api| {
        let buyer = caller(api, "1", &["buyer"], &[]);
        let path = format!("/wares/{}", buyer.post("/wares", &json!({ "name": "a" })).await.created()["id"]);
        let tag = api.get(&path).await.etag();
        buyer.put(&path, &json!({ "cost": 5 })).await.ok();
        api.put(&path, &json!({ "name": "b" })).header("if-match", &tag).await.ok();
    });
}

#[test]
fn audit_log_contains_the_fields_visible_to_the_caller() {
    on_service(async |api| {
        let buyer = caller(api, "1", &["buyer"], &[]);
        let path = format!("/wares/{}", buyer.post("/wares", &json!({ "name": "a", "cost": 1 })).await.created()["id"]);
        buyer.put(&path, &json!({ "cost": 2, "name": "b" })).await.ok();
        let history = format!("{path}/history");
        let seen = buyer.get(&history).await.ok();
        assert_eq!(seen["data"][1]["changes"], json!({ "name": "b", "cost": 2.0 }));
        let public = api.get(&history).await.ok();
        assert_eq!(public["data"][1]["changes"], json!({ "name": "b" }));
        assert_eq!(public["data"][1]["previous"], json!({ "name": "a" }));
        let admin = caller(api, "2", &["admin"], &[]).get("/audit-logs?entity_type=Ware").await.ok();
        assert_eq!(admin["data"][1]["changes"], json!({ "name": "b" }), "the admin lacks the role `buyer`");
    });
}

#[test]
fn history_has_no_entry_of_a_change_that_the_caller_may_not_see() {
    on_service(async |api| {
        let buyer = caller(api, "1", &["buyer"], &[]);
        let path = format!("/wares/{}", buyer.post("/wares", &json!({ "name": "a", "cost": 1 })).await.created()["id"]);
        for change in
            [json!({ "cost": 2 }), json!({ "name": "b" }), json!({ "cost": 3 }), json!({ "name": "c", "cost": 4 })]
        {
            buyer.put(&path, &change).await.ok();
        }
        let page = async |caller: &Caller<'_>, query: &str| caller.get(format!("{path}/history{query}")).await.ok();
        let names = |page: &Value| column(page, "changes").iter().map(|it| it["name"].clone()).collect::<Vec<_>>();
        assert_eq!(page(&buyer, "").await["total"], 5);
        let other = caller(api, "2", &[], &[]);
        let seen = page(&other, "").await;
        assert_eq!((names(&seen), &seen["total"]), (vec![json!("a"), json!("b"), json!("c")], &json!(3)));
        for (query, expected) in
            [("?limit=2", vec!["a", "b"]), ("?limit=2&skip=2", vec!["c"]), ("?action=update", vec!["b", "c"])]
        {
            assert_eq!(names(&page(&other, query).await), expected, "{query}");
        }
        let (first, total) = (page(&other, "?limit=2").await, page(&other, "?action=create").await["total"].clone());
        assert_eq!((&first["total"], &first["pages"], total), (&json!(3), &json!(2), json!(1)));
        // The log of all resources is for auditors, who see that something has changed.
        let log = caller(api, "3", &["admin"], &[]).get("/audit-logs?entity_type=Ware").await.ok();
        assert_eq!((&log["total"], &log["data"][1]["changes"]), (&json!(5), &json!({})));
    });
}
