//! Bounds of answers.

use crud_mcp::Mcp;
use crud_tests::on_each_backend;
use serde_json::json;

use crate::support::{call, called, editor, with};

#[test]
fn service_of_many_resources_fits_a_context() {
    on_each_backend(async |database| {
        let ed = editor(&with(database, Mcp::new().answer_limit(150)).await);
        let named = call(&ed, "resources", json!({})).await;
        assert_eq!(named["resources"], json!(["machines", "jobs", "notes"]));
        let found = call(&ed, "resources", json!({ "search": "WORKSHOP" })).await;
        assert_eq!(found["resources"][0]["name"], "machines", "{found}");
        let described = call(&ed, "describe", json!({ "resource": "jobs" })).await;
        assert!(described.to_string().len() < 600, "{described}");
    });
}

#[test]
fn long_texts_and_pages_are_cut_to_the_limit() {
    on_each_backend(async |database| {
        let ed = editor(&with(database, Mcp::new().writes().answer_limit(8 * 1024)).await);
        for number in 0..60 {
            let body = json!({ "title": format!("Job {number:02}"), "text": "ü".repeat(5_000) });
            ed.post("/jobs", body).await.expect(201);
        }
        let listed = called(&ed, "list", json!({ "resource": "jobs", "sort": "title", "limit": 60 })).await;
        let size = listed.bytes().len();
        assert!(size < 3 * 8 * 1024, "a text and the same as structured content: {size}");
        let page = &listed.json()["result"]["structuredContent"];
        let shown = page["records"].as_array().expect("records").len();
        assert!((2..60).contains(&shown), "{shown}");
        assert_eq!((&page["total"], &page["next_skip"]), (&json!(60), &json!(shown)));
        assert!(page["note"].as_str().expect("a note").contains("ask for fewer"), "{}", page["note"]);
        let id = page["records"][0]["id"].clone();
        let read = called(&ed, "get", json!({ "resource": "jobs", "id": id })).await;
        assert!(read.bytes().len() < 3 * 8 * 1024);
        let one = call(&ed, "get", json!({ "resource": "jobs", "id": id, "fields": ["title"] })).await;
        assert_eq!(one["record"], json!({ "title": "Job 00" }));
    });
}

#[test]
fn lists_without_pages_are_read_in_parts() {
    on_each_backend(async |database| {
        let ed = editor(&with(database, Mcp::new().writes()).await);
        for number in 0..25 {
            ed.post("/machines", json!({ "name": format!("M{number:02}") })).await.expect(201);
        }
        let first = call(&ed, "list", json!({ "resource": "machines", "sort": "name" })).await;
        assert_eq!((&first["total"], &first["next_skip"]), (&json!(25), &json!(20)));
        let last = call(&ed, "list", json!({ "resource": "machines", "sort": "name", "skip": 20 })).await;
        assert_eq!(last["records"].as_array().map(Vec::len), Some(5));
        assert_eq!(last.get("next_skip"), None);
        let beyond = call(&ed, "list", json!({ "resource": "machines", "skip": 100 })).await;
        assert_eq!(beyond["records"], json!([]));
    });
}
