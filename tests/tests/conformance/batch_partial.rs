//! In a partial batch, valid items succeed when others fail.

use crud_tests::fixtures::{batch, column, ids, path};
use crud_tests::{Client, audit_log, on_kitchen, on_kitchen_with_sql};
use reqwest::Method;
use serde_json::{Value, json};

fn slip(code: &str, amount: i32) -> Value {
    json!({ "code": code, "amount": amount })
}

async fn slips(kitchen: &Client, codes: &[&str]) -> Vec<Value> {
    let answer = kitchen.post("/slips/batch", &batch(codes.iter().map(|code| slip(code, 1)))).await.ok();
    answer["items"].as_array().expect("items").clone()
}

async fn stored(kitchen: &Client) -> Vec<Value> {
    column(&kitchen.get("/slips?sort=code").await.ok(), "code")
}

/// The index and code of each error of a partial response; checks each as a problem.
#[track_caller]
fn failures(answer: &Value) -> Vec<(u64, &str)> {
    let errors = answer["errors"].as_array().unwrap_or_else(|| panic!("the response has no errors: {answer}"));
    assert_eq!(answer["failed"], errors.len(), "{answer}");
    let failure = |error: &'_ Value| {
        let code = error["code"].as_str().expect("a code").to_owned();
        let status = match code.as_str() {
            "validation_failed" | "constraint_failed" => 422,
            "not_found" => 404,
            _ => 409,
        };
        assert_eq!(error["status"], status, "{error}");
        assert!(error["detail"].as_str().is_some_and(|detail| !detail.is_empty()), "{error}");
        let known = ["index", "status", "code", "detail", "errors"];
        assert!(error.as_object().expect("an object").keys().all(|key| known.contains(&key.as_str())), "{error}");
    };
    errors.iter().for_each(failure);
    errors
        .iter()
        .map(|error| (error["index"].as_u64().expect("an index"), error["code"].as_str().unwrap_or("")))
        .collect()
}

/// The pointers of one failure's field errors.
fn pointers(answer: &Value, failure: usize) -> Vec<&str> {
    let errors = answer["errors"][failure]["errors"].as_array().map_or(&[][..], Vec::as_slice);
    errors.iter().map(|error| error["pointer"].as_str().expect("a pointer")).collect()
}

#[test]
fn batch_without_failures_is_200() {
    on_kitchen(async |kitchen| {
        let created = kitchen.post("/slips/batch", &batch([slip("b", 1), slip("a", 2)])).await.ok();
        let members: Vec<_> = created.as_object().expect("an object").keys().cloned().collect();
        assert_eq!((&created["created"], &created["failed"], &created["errors"]), (&json!(2), &json!(0), &json!([])));
        assert_eq!(members.len(), 4, "{members:?}");
        assert_eq!(column(&created["items"], "code"), ["b", "a"]);
        let item = json!({ "id": created["items"][0]["id"], "amount": 9 });
        let updated = kitchen.put("/slips/batch", &batch([item])).await.ok();
        assert_eq!((&updated["updated"], &updated["failed"], &updated["errors"]), (&json!(1), &json!(0), &json!([])));
        let body = ids(created["items"].as_array().expect("items"));
        let deleted = kitchen.request(Method::DELETE, "/slips/batch").json(&body).await.ok();
        assert_eq!((&deleted["deleted"], &deleted["failed"], &deleted["errors"]), (&json!(2), &json!(0), &json!([])));
    });
}

#[test]
fn empty_batch_succeeds() {
    on_kitchen(async |kitchen| {
        let answer = kitchen.post("/slips/batch", &batch([])).await.ok();
        assert_eq!(answer, json!({ "created": 0, "items": [], "failed": 0, "errors": [] }));
    });
}

#[test]
fn valid_items_are_created_and_failed_items_leave_nothing() {
    on_kitchen(async |kitchen| {
        kitchen.post("/slips", &slip("taken", 1)).await.created();
        let nowhere = json!({ "code": "d", "amount": 1, "team_id": 4711 });
        let items = [slip("z", 1), slip("taken", 1), slip("y", 101), nowhere, slip("a", 2)];
        let answer = kitchen.post("/slips/batch", &batch(items)).await.expect(207).into_json();
        assert_eq!(answer["created"], 2);
        assert_eq!(column(&answer["items"], "code"), ["z", "a"]);
        assert_eq!(failures(&answer), [(1, "conflict"), (2, "validation_failed"), (3, "reference_not_found")]);
        assert_eq!(pointers(&answer, 0), ["/code"]);
        assert_eq!(pointers(&answer, 1), ["/amount"]);
        assert_eq!(pointers(&answer, 2), ["/team_id"]);
        assert_eq!(stored(kitchen).await, ["a", "taken", "z"]);
        for item in answer["items"].as_array().expect("items") {
            assert_eq!(kitchen.get(path("/slips", item)).await.ok(), *item);
        }
        let entries = audit_log::entries(kitchen, "Slip").await;
        assert_eq!(audit_log::actions(&entries), ["create"; 3]);
        let codes: Vec<_> = entries.iter().map(|entry| entry["changes"]["code"].clone()).collect();
        assert_eq!(codes, ["taken", "z", "a"]);
    });
}

#[test]
fn item_reports_all_its_errors() {
    on_kitchen(async |kitchen| {
        let items = [json!({ "amount": "x", "colour": 1 }), slip("a", 1), json!("text")];
        let answer = kitchen.post("/slips/batch", &batch(items)).await.expect(207).into_json();
        assert_eq!(failures(&answer), [(0, "validation_failed"), (2, "validation_failed")]);
        let mut places = pointers(&answer, 0);
        places.sort_unstable();
        assert_eq!(places, ["/amount", "/code", "/colour"]);
        assert_eq!(pointers(&answer, 1), [""]);
        assert_eq!(stored(kitchen).await, ["a"]);
    });
}

#[test]
fn duplicate_value_in_a_batch_succeeds_for_the_first_item() {
    on_kitchen(async |kitchen| {
        let items = [slip("a", 1), slip("b", 2), slip("a", 3)];
        let answer = kitchen.post("/slips/batch", &batch(items)).await.expect(207).into_json();
        assert_eq!(failures(&answer), [(2, "conflict")]);
        assert_eq!(column(&answer["items"], "amount"), [1, 2]);
        assert_eq!(stored(kitchen).await, ["a", "b"]);
    });
}

#[test]
fn failed_item_does_not_take_its_unique_value() {
    on_kitchen(async |kitchen| {
        let nowhere = json!({ "code": "a", "amount": 1, "team_id": 4711 });
        let answer = kitchen.post("/slips/batch", &batch([nowhere, slip("a", 2)])).await.expect(207).into_json();
        assert_eq!(failures(&answer), [(0, "reference_not_found")]);
        assert_eq!(column(&answer["items"], "amount"), [2]);
    });
}

#[test]
fn all_items_may_fail() {
    on_kitchen(async |kitchen| {
        let answer =
            kitchen.post("/slips/batch", &batch([slip("a", -1), slip("b", 101)])).await.expect(207).into_json();
        assert_eq!((&answer["created"], &answer["items"]), (&json!(0), &json!([])));
        assert_eq!(failures(&answer), [(0, "validation_failed"), (1, "validation_failed")]);
        assert_eq!(stored(kitchen).await, [""; 0]);
        assert_eq!(audit_log::entries(kitchen, "Slip").await, [Value::Null; 0]);
    });
}

#[test]
fn valid_items_are_updated() {
    on_kitchen(async |kitchen| {
        let slips = slips(kitchen, &["a", "b", "c", "d"]).await;
        let id = |number: usize| &slips[number]["id"];
        let items = [
            json!({ "id": id(3), "amount": 4 }),
            json!({ "id": id(1), "code": "a" }),
            json!({ "id": 4711, "amount": 4 }),
            json!({ "id": id(2), "amount": 101, "code": "x" }),
            json!({ "id": id(0), "amount": 5 }),
        ];
        let answer = kitchen.put("/slips/batch", &batch(items)).await.expect(207).into_json();
        assert_eq!(answer["updated"], 2);
        assert_eq!(column(&answer["items"], "amount"), [4, 5]);
        assert_eq!(failures(&answer), [(1, "conflict"), (2, "not_found"), (3, "validation_failed")]);
        let list = kitchen.get("/slips?sort=code").await.ok();
        assert_eq!(column(&list, "amount"), [5, 1, 1, 4]);
        for number in [1, 2] {
            assert_eq!(kitchen.get(path("/slips", &slips[number])).await.ok(), slips[number]);
        }
        let entries = audit_log::entries(kitchen, "Slip").await;
        assert_eq!(audit_log::actions(&entries[4..]), ["update", "update"]);
        let states = audit_log::replay(&entries).expect("a consistent log");
        for state in states.values().flatten() {
            assert_eq!(kitchen.get(path("/slips", state)).await.ok(), *state);
        }
    });
}

#[test]
fn valid_items_are_deleted() {
    on_kitchen(async |kitchen| {
        let slips = slips(kitchen, &["a", "b", "c"]).await;
        kitchen.delete(path("/slips", &slips[1])).await.ok();
        let body = json!({ "ids": [slips[2]["id"], slips[1]["id"], 4711, "x", slips[0]["id"]] });
        let answer = kitchen.request(Method::DELETE, "/slips/batch").json(&body).await.expect(207).into_json();
        assert_eq!(answer["deleted"], 2);
        assert_eq!(column(&answer["items"], "code"), ["c", "a"]);
        assert_eq!(failures(&answer), [(1, "not_found"), (2, "not_found"), (3, "validation_failed")]);
        assert_eq!(stored(kitchen).await, [""; 0]);
        assert_eq!(kitchen.get("/slips?only_deleted=true").await.ok()["total"], 3);
        let entries = audit_log::entries(kitchen, "Slip").await;
        assert_eq!(audit_log::actions(&entries[3..]), ["soft_delete"; 3]);
    });
}

#[test]
fn database_constraint_fails_its_item_only() {
    on_kitchen_with_sql(async |kitchen, database| {
        database.add_check("slips", "amount <> 13").await;
        let items = [slip("a", 1), slip("b", 13), slip("c", 3)];
        let answer = kitchen.post("/slips/batch", &batch(items)).await.expect(207).into_json();
        assert_eq!(failures(&answer), [(1, "constraint_failed")]);
        assert_eq!(stored(kitchen).await, ["a", "c"]);
        let items = [
            json!({ "id": answer["items"][0]["id"], "amount": 13, "code": "x" }),
            json!({ "id": answer["items"][1]["id"], "amount": 4 }),
        ];
        let answer = kitchen.put("/slips/batch", &batch(items)).await.expect(207).into_json();
        assert_eq!(failures(&answer), [(0, "constraint_failed")]);
        assert_eq!(stored(kitchen).await, ["a", "c"]);
        let entries = audit_log::entries(kitchen, "Slip").await;
        assert_eq!(audit_log::actions(&entries), ["create", "create", "update"]);
    });
}

#[test]
fn error_of_the_whole_request_fails_the_batch() {
    on_kitchen(async |kitchen| {
        let slips = slips(kitchen, &["a", "b"]).await;
        let six = (0..6).map(|number| slip(&number.to_string(), 1));
        kitchen.post("/slips/batch", &batch(six)).await.problem("batch_too_large");
        let item = |number: usize, amount: i32| json!({ "id": slips[number]["id"], "amount": amount });
        let twice = batch([item(0, 2), item(1, 3), item(0, 4)]);
        kitchen.put("/slips/batch", &twice).await.problem("validation_failed");
        let twice = json!({ "ids": [slips[0]["id"], slips[1]["id"], slips[0]["id"]] });
        kitchen.post("/slips/batch/delete", &twice).await.problem("validation_failed");
        for (body, pointer) in [
            (json!({}), "/items"),
            (json!({ "items": 5 }), "/items"),
            (json!({ "items": [slip("c", 1)], "mode": "atomic" }), "/mode"),
        ] {
            let problem = kitchen.post("/slips/batch", &body).await.problem("validation_failed");
            assert_eq!(problem.pointers(), [pointer], "{body}");
        }
        kitchen.post_bytes("/slips/batch", r#"{"items":[{"code":"c","amount":1},"#).await.problem("malformed_json");
        assert_eq!(kitchen.get("/slips").await.ok()["data"], json!(slips));
        assert_eq!(audit_log::entries(kitchen, "Slip").await.len(), 2);
    });
}

#[test]
fn disabled_operation_is_disabled_in_batches_too() {
    on_kitchen(async |kitchen| {
        let answer = kitchen.post("/coupons/batch", &batch([json!({ "worth": 0 }), json!({ "worth": 1 })])).await;
        let answer = answer.expect(207).into_json();
        let body = batch([json!({ "id": answer["items"][0]["id"], "worth": 2 })]);
        let refused = kitchen.put("/coupons/batch", &body).await;
        assert_eq!(refused.allow(), ["DELETE", "OPTIONS", "POST"]);
        refused.problem("method_not_allowed");
        assert_eq!(column(&kitchen.get("/coupons").await.ok(), "worth"), [1]);
    });
}
