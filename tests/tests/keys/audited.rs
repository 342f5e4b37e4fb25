//! The audit log of records of composite keys.

use crud_tests::fixtures::column;
use crud_tests::{on_each_backend, query};
use serde_json::json;

use crate::line::{HOSTILE, line, path, shop, text};

#[test]
fn an_entry_has_the_text_of_the_path() {
    on_each_backend(async |database| {
        let api = shop(database).await;
        for code in HOSTILE {
            api.post("/lines", &line(1, code, 1)).await.created();
            api.post("/lines", &line(2, code, 1)).await.created();
            api.patch(path(1, code), &json!({ "amount": 2 })).await.ok();
            let history = api.get(format!("{}/history", path(1, code))).await.ok();
            assert_eq!(column(&history, "action"), ["create", "update"], "{code}");
            assert_eq!(column(&history, "entity_id"), [text(1, code), text(1, code)]);
            let entries =
                api.get(query("/audit-logs", [("entity_type", "Line"), ("entity_id", &*text(2, code))])).await.ok();
            assert_eq!(column(&entries, "action"), ["create"], "{code}");
            api.delete(path(1, code)).await.ok();
            let history = api.get(format!("{}/history", path(1, code))).await.ok();
            assert_eq!(column(&history, "action"), ["create", "update", "delete"]);
        }
    });
}

#[test]
fn a_record_is_read_as_of_a_time() {
    on_each_backend(async |database| {
        let api = shop(database).await;
        api.post("/lines", &line(1, "a/b,c", 1)).await.created();
        let history = api.get(format!("{}/history", path(1, "a/b,c"))).await.ok();
        let created = history["data"][0]["timestamp"].as_str().expect("a time").to_owned();
        api.patch(path(1, "a/b,c"), &json!({ "amount": 2 })).await.ok();
        let past = api.get(query(&path(1, "a/b,c"), [("as_of", &*created)])).await.ok();
        assert_eq!(past, line(1, "a/b,c", 1));
        assert_eq!(api.get(path(1, "a/b,c")).await.ok(), line(1, "a/b,c", 2));
    });
}
