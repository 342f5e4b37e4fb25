//! Batches, imports and exports of records of composite keys.

use crud_tests::{on_each_backend, on_each_backend_with_transactions};
use serde_json::{Value, json};

use crate::line::{HOSTILE, codes, line, path, shop, text};

#[test]
fn a_batch_names_records_by_their_keys() {
    on_each_backend_with_transactions(async |database| {
        let api = shop(database).await;
        let items: Vec<Value> = HOSTILE.iter().map(|code| line(1, code, 1)).collect();
        let others: Vec<Value> = HOSTILE.iter().map(|code| line(2, code, 1)).collect();
        let created = api.post("/lines/batch", &json!({ "items": items })).await.ok();
        assert_eq!(codes(&created["items"]), HOSTILE);
        api.post("/lines/batch", &json!({ "items": others })).await.ok();
        let changes: Vec<Value> =
            HOSTILE.iter().map(|code| json!({ "code": code, "order_id": 1, "amount": 8 })).collect();
        let updated = api.put("/lines/batch", &json!({ "items": changes })).await.ok();
        let expected: Vec<Value> = HOSTILE.iter().map(|code| line(1, code, 8)).collect();
        assert_eq!(updated["items"], Value::from(expected));
        let ids: Vec<String> = HOSTILE.iter().map(|code| text(1, code)).collect();
        let deleted = api.post("/lines/batch/delete", &json!({ "ids": ids })).await.ok();
        assert_eq!((&deleted["deleted"], codes(&deleted["items"])), (&json!(HOSTILE.len()), codes(&updated["items"])));
        let left = api.get("/lines").await.ok();
        assert_eq!(left["total"], HOSTILE.len());
        assert!(
            left["data"].as_array().expect("lines").iter().all(|line| line["order_id"] == 2 && line["amount"] == 1)
        );
    });
}

#[test]
fn a_batch_without_a_whole_key_is_refused() {
    on_each_backend_with_transactions(async |database| {
        let api = shop(database).await;
        api.post("/lines", &line(1, "a", 1)).await.created();
        let body = json!({ "items": [{ "code": "a", "amount": 2 }] });
        let problem = api.put("/lines/batch", &body).await.problem("validation_failed");
        assert_eq!(problem.pointers(), ["/order_id"], "{problem}");
        let twice = json!({ "items": [line(1, "b", 1), line(1, "b", 2)] });
        let problem = api.post("/lines/batch", &twice).await.problem("validation_failed");
        assert_eq!(problem.only().detail, "must be unique in the batch, but item 0 has 1,b too");
        let problem = api.post("/lines/batch/delete", &json!({ "ids": ["1"] })).await.problem("validation_failed");
        assert_eq!(problem.only().detail, "must be `order_id,code`");
        let missing = json!({ "ids": ["1,a", "2,a"] });
        api.post("/lines/batch/delete", &missing).await.problem("not_found");
        assert_eq!(api.get(path(1, "a")).await.ok()["amount"], 1);
    });
}

#[test]
fn a_file_has_every_part() {
    on_each_backend_with_transactions(async |database| {
        let api = shop(database).await;
        let lines: Vec<String> = HOSTILE.iter().map(|code| line(1, code, 1).to_string()).collect();
        let imported = api
            .request(reqwest::Method::POST, "/lines/import")
            .body("application/x-ndjson", lines.join("\n"))
            .await
            .ok();
        assert_eq!(imported["created"], HOSTILE.len(), "{imported}");
        let file = api.get("/lines/export?format=ndjson&sort=code").await.expect(200).text();
        let mut exported: Vec<Value> = file.lines().map(|line| serde_json::from_str(line).expect("a line")).collect();
        let mut expected: Vec<Value> = HOSTILE.iter().map(|code| line(1, code, 1)).collect();
        exported.sort_by_key(Value::to_string);
        expected.sort_by_key(Value::to_string);
        assert_eq!(exported, expected);
    });
}

#[test]
fn one_record_is_a_batch_everywhere() {
    on_each_backend(async |database| {
        let api = shop(database).await;
        api.post("/lines", &line(1, "a/b,c", 1)).await.created();
        let deleted = api.post("/lines/batch/delete", &json!({ "ids": [text(1, "a/b,c")] })).await.ok();
        assert_eq!(deleted["items"], json!([line(1, "a/b,c", 1)]));
    });
}
