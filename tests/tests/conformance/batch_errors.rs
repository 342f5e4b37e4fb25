//! An atomic batch with a failing item changes nothing and reports every failure.

use crud_tests::fixtures::{batch, path};
use crud_tests::{Client, audit_log, on_kitchen, on_kitchen_with_sql, on_kitchen_with_transactions};
use reqwest::Method;
use serde_json::{Value, json};

fn parcel(code: &str) -> Value {
    json!({ "code": code, "weight": 1 })
}

/// Checks that these parcels are the stored ones, and that the log has only their creation.
async fn assert_untouched(kitchen: &Client, parcels: &[Value]) {
    assert_eq!(kitchen.get("/parcels").await.ok()["data"], json!(parcels));
    let entries = audit_log::entries(kitchen, "Parcel").await;
    assert_eq!(audit_log::actions(&entries), vec!["create"; parcels.len()]);
}

#[test]
fn every_failing_item_is_reported_and_nothing_is_written() {
    on_kitchen_with_transactions(async |kitchen| {
        let items = [
            parcel("a"),
            json!({ "code": "", "weight": -1 }),
            parcel("b"),
            json!({ "weight": 1 }),
            json!({ "code": "c", "weight": "x", "colour": "red" }),
        ];
        let problem = kitchen.post("/parcels/batch", &batch(items)).await.problem("validation_failed");
        let mut places = problem.items();
        assert!(places.is_sorted_by_key(|(index, _)| *index), "{problem}");
        places.sort_unstable();
        assert_eq!(places, [(1, "/code"), (1, "/weight"), (3, "/code"), (4, "/colour"), (4, "/weight")]);
        assert_untouched(kitchen, &[]).await;
    });
}

#[test]
fn item_error_equals_that_of_a_single_request() {
    on_kitchen_with_transactions(async |kitchen| {
        let bad = json!({ "code": "", "weight": "x", "colour": "red" });
        let single = kitchen.post("/parcels", &bad).await.expect(422).into_json();
        let whole = kitchen.post("/parcels/batch", &batch([parcel("a"), bad])).await.expect(422).into_json();
        let mut expected = single["errors"].clone();
        for error in expected.as_array_mut().expect("errors") {
            error["index"] = json!(1);
        }
        assert_eq!(whole["errors"], expected);
        let taken = kitchen.post("/parcels", &parcel("a")).await.created();
        let single = kitchen.post("/parcels", &parcel("a")).await.expect(409).into_json();
        let whole = kitchen.post("/parcels/batch", &batch([parcel("a")])).await.expect(409).into_json();
        let mut expected = single["errors"].clone();
        expected[0]["index"] = json!(0);
        assert_eq!(whole["errors"], expected);
        assert_untouched(kitchen, &[taken]).await;
    });
}

#[test]
fn status_is_that_of_the_first_failing_item() {
    on_kitchen_with_transactions(async |kitchen| {
        let parcels = [kitchen.post("/parcels", &parcel("a")).await.created()];
        let nowhere = json!({ "code": "x", "weight": 1, "team_id": 4711 });
        let problem = kitchen.post("/parcels/batch", &batch([parcel("b"), parcel("a"), nowhere.clone()])).await;
        assert_eq!(problem.problem("conflict").items()[0], (1, "/code"));
        let problem = kitchen.post("/parcels/batch", &batch([nowhere.clone(), parcel("a")])).await;
        assert_eq!(problem.problem("reference_not_found").items()[0], (0, "/team_id"));
        let problem = kitchen.post("/parcels/batch", &batch([parcel(""), parcel("a")])).await;
        assert_eq!(problem.problem("validation_failed").items()[0], (0, "/code"));
        let missing = json!({ "id": 4711, "weight": 2 });
        let twin = json!({ "id": parcels[0]["id"], "team_id": 4711 });
        let problem = kitchen.put("/parcels/batch", &batch([missing, twin])).await;
        assert_eq!(problem.problem("not_found").items()[0], (0, ""));
        assert_untouched(kitchen, &parcels).await;
    });
}

#[test]
fn duplicate_value_in_a_batch_fails_the_later_item() {
    on_kitchen_with_transactions(async |kitchen| {
        let items = [parcel("a"), parcel("b"), parcel("a"), parcel("b")];
        let problem = kitchen.post("/parcels/batch", &batch(items)).await.problem("conflict");
        assert_eq!(problem.items()[0], (2, "/code"));
        assert_untouched(kitchen, &[]).await;
    });
}

#[test]
fn database_constraint_fails_the_batch() {
    on_kitchen_with_sql(async |kitchen, database| {
        database.add_check("parcels", "weight <> 13").await;
        let stored = kitchen.post("/parcels", &parcel("a")).await.created();
        let items = [parcel("b"), json!({ "code": "c", "weight": 13 }), parcel("d")];
        let problem = kitchen.post("/parcels/batch", &batch(items)).await.problem("constraint_failed");
        assert!(problem.errors.iter().all(|error| error.index == Some(1)), "{problem}");
        let items = [json!({ "id": stored["id"], "weight": 13 })];
        kitchen.put("/parcels/batch", &batch(items)).await.problem("constraint_failed");
        assert_untouched(kitchen, &[stored]).await;
    });
}

#[test]
fn body_has_only_items() {
    on_kitchen(async |kitchen| {
        for method in [Method::POST, Method::PUT] {
            for (body, pointer) in [
                (json!({}), "/items"),
                (json!({ "items": 5 }), "/items"),
                (json!({ "items": null }), "/items"),
                (json!({ "items": { "code": "a" } }), "/items"),
                (json!({ "items": [], "all": true }), "/all"),
                (json!([parcel("a")]), ""),
                (json!("items"), ""),
            ] {
                let request = kitchen.request(method.clone(), "/parcels/batch").json(&body);
                let problem = request.await.problem("validation_failed");
                assert_eq!(problem.pointers(), [pointer], "{method} {body}");
            }
            let both = json!({ "items": 5, "all": true, "mode": 1 });
            let problem = kitchen.request(method, "/parcels/batch").json(&both).await.problem("validation_failed");
            assert_eq!(problem.pointers(), ["/all", "/items", "/mode"], "every error at once");
        }
        assert_untouched(kitchen, &[]).await;
    });
}

#[test]
fn item_must_be_an_object() {
    on_kitchen_with_transactions(async |kitchen| {
        let items = [parcel("a"), json!(5), json!(null), json!([parcel("b")])];
        for method in [Method::POST, Method::PUT] {
            let body = batch(items[usize::from(method == Method::PUT)..].iter().cloned());
            let problem = kitchen.request(method.clone(), "/parcels/batch").json(&body).await;
            let problem = problem.problem("validation_failed");
            let first = 1 - usize::from(method == Method::PUT);
            assert_eq!(problem.items(), [(first, ""), (first + 1, ""), (first + 2, "")], "{method}");
        }
        assert_untouched(kitchen, &[]).await;
    });
}

#[test]
fn malformed_json_is_rejected() {
    on_kitchen(async |kitchen| {
        let nested = format!(r#"{{"items":[{}1{}]}}"#, "[".repeat(100), "]".repeat(100));
        for bytes in
            ["", "{", r#"{"items":[{"code":"a","weight":1}"#, r#"{"items":[{"code":"a","weight":1e999}]}"#, &nested]
        {
            kitchen.post_bytes("/parcels/batch", bytes).await.problem("malformed_json");
        }
        let text = kitchen.request(Method::POST, "/parcels/batch").body("text/plain", batch([parcel("a")]).to_string());
        text.await.problem("unsupported_media_type");
        let twice = r#"{"items":[{"code":"a","code":"b","weight":1}]}"#;
        let problem = kitchen.post_bytes("/parcels/batch", twice).await.problem("validation_failed");
        assert_eq!(problem.items(), [(0, "/code")]);
        let twice = r#"{"items":[],"items":[{"code":"a","weight":1}]}"#;
        let problem = kitchen.post_bytes("/parcels/batch", twice).await.problem("validation_failed");
        assert_eq!(problem.pointers(), ["/items"]);
        let nul = batch([json!({ "code": "a\u{0}", "weight": 1 })]);
        let problem = kitchen.post("/parcels/batch", &nul).await.problem("validation_failed");
        assert_eq!(problem.items(), [(0, "/code")]);
        assert_untouched(kitchen, &[]).await;
    });
}

#[test]
fn batch_route_reports_its_methods() {
    on_kitchen(async |kitchen| {
        for method in [Method::GET, Method::PATCH] {
            let answer = kitchen.request(method.clone(), "/parcels/batch").json(&batch([])).await;
            assert_eq!(answer.allow(), ["DELETE", "OPTIONS", "POST", "PUT"], "{method}");
            answer.problem("method_not_allowed");
        }
        assert_eq!(kitchen.options("/parcels/batch").await.expect(204).allow(), ["DELETE", "OPTIONS", "POST", "PUT"]);
        assert_untouched(kitchen, &[]).await;
    });
}

#[test]
fn resource_without_batch_has_no_batch_routes() {
    on_kitchen(async |kitchen| {
        let post = kitchen.post("/posts", &json!({ "title": "x" })).await.created();
        kitchen.post("/posts/batch", &batch([json!({ "title": "y" })])).await.problem("method_not_allowed");
        kitchen.post("/posts/batch/delete", &json!({ "ids": [post["id"]] })).await.problem("route_not_found");
        assert_eq!(kitchen.get(path("/posts", &post)).await.ok(), post);
        assert_eq!(kitchen.get("/posts").await.ok()["total"], 1);
    });
}
