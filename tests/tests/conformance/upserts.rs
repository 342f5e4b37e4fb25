//! Upserts: `POST …?on_conflict=…` and `PUT …/{id}?allow_missing=true`.

use crud_runtime::prelude::*;
use crud_tests::fixtures::column;
use crud_tests::kitchen::{Article, Label, NewArticle, NewLabel};
use crud_tests::{Api, Client, on_each_backend, on_each_transactional_backend, on_kitchen};
use futures_util::future::join_all;
use serde_json::{Value, json};

fn article(sku: &str, slot: i32) -> Value {
    json!({ "sku": sku, "shelf": 1, "slot": slot, "name": sku })
}

async fn upsert(kitchen: &Client, by: &str, body: &Value) -> crud_tests::Answer {
    kitchen.post(format!("/articles?on_conflict={by}"), body).await
}

/// The actions in the log of an article, the first one first.
async fn actions(kitchen: &Client, id: &Value) -> Vec<Value> {
    column(&kitchen.get(format!("/articles/{id}/history")).await.ok(), "action")
}

#[test]
fn a_record_is_created_or_the_one_with_its_values_changed() {
    on_kitchen(async |kitchen| {
        let created = upsert(kitchen, "sku", &article("a", 1)).await.expect(201);
        let id = created.json()["id"].clone();
        assert_eq!(created.require("location"), format!("/articles/{id}"));
        let changed =
            upsert(kitchen, "sku", &json!({ "sku": "a", "shelf": 1, "slot": 2, "name": "b" })).await.expect(200);
        assert_eq!(changed.header("location"), None);
        assert_eq!(changed.etag(), kitchen.get(format!("/articles/{id}")).await.expect(200).etag());
        let changed = changed.ok();
        assert_eq!((&changed["id"], &changed["slot"], &changed["name"]), (&id, &json!(2), &json!("b")));
        assert_eq!(actions(kitchen, &id).await, ["create", "update"]);
        assert_eq!(kitchen.get("/articles").await.ok().as_array().map(Vec::len), Some(1));
    });
}

#[test]
fn fields_that_the_body_leaves_out_keep_their_values() {
    on_kitchen(async |kitchen| {
        let body = json!({ "sku": "a", "shelf": 1, "slot": 1, "name": "a", "stock": 9, "maker": "m" });
        upsert(kitchen, "sku", &body).await.expect(201);
        let changed = upsert(kitchen, "sku", &article("a", 1)).await.ok();
        assert_eq!((&changed["stock"], &changed["maker"]), (&json!(9), &json!("m")));
        // Equal values change nothing, so that the log has no entry.
        assert_eq!(actions(kitchen, &changed["id"]).await, ["create"]);
        let created = upsert(kitchen, "sku", &article("b", 2)).await.created();
        assert_eq!(created["stock"], 5);
    });
}

#[test]
fn several_fields_find_the_record_together() {
    on_kitchen(async |kitchen| {
        let first = upsert(kitchen, "shelf,slot", &article("a", 1)).await.created();
        let second = upsert(kitchen, "slot,shelf", &article("b", 1)).await.ok();
        assert_eq!((&second["id"], &second["sku"]), (&first["id"], &json!("b")));
        upsert(kitchen, "shelf,slot", &article("a", 2)).await.expect(201);
        // Another unique value is of another record.
        let problem = upsert(kitchen, "shelf,slot", &article("a", 1)).await.problem("conflict");
        assert!(problem.detail.contains("sku"), "{problem}");
        upsert(kitchen, "sku", &article("c", 1)).await.problem("conflict");
        assert_eq!(kitchen.get(format!("/articles/{}", first["id"])).await.ok()["sku"], "b");
    });
}

#[test]
fn texts_of_other_letter_case_are_of_other_records() {
    on_kitchen(async |kitchen| {
        upsert(kitchen, "sku", &article("A", 1)).await.expect(201);
        upsert(kitchen, "sku", &article("a", 2)).await.expect(201);
        kitchen.put("/labels/A?allow_missing=true", &json!({ "text": "t" })).await.expect(201);
        kitchen.put("/labels/a?allow_missing=true", &json!({ "text": "t" })).await.expect(201);
    });
}

#[test]
fn a_conflict_can_be_ignored() {
    on_kitchen(async |kitchen| {
        let target = "/articles?on_conflict=sku&conflict=ignore";
        let created = kitchen.post(target, &article("a", 1)).await.created();
        let found = kitchen.post(target, &json!({ "sku": "a", "shelf": 7, "slot": 7, "name": "z" })).await.ok();
        assert_eq!(found, created);
        assert_eq!(actions(kitchen, &created["id"]).await, ["create"]);
    });
}

#[test]
fn the_body_is_a_valid_create() {
    on_kitchen(async |kitchen| {
        upsert(kitchen, "sku", &article("a", 1)).await.expect(201);
        let problem = upsert(kitchen, "sku", &json!({ "sku": "a", "name": "" })).await.problem("validation_failed");
        assert_eq!(problem.errors.len(), 3, "{problem}");
        let other = json!({ "sku": "a", "shelf": 1, "slot": 1, "name": "a", "maker": "x" });
        let problem = upsert(kitchen, "sku", &other).await.problem("validation_failed");
        assert_eq!((problem.only().at.as_str(), problem.only().code.as_str()), ("pointer /maker", "immutable"));
    });
}

#[test]
fn parameters_name_what_the_resource_has() {
    on_kitchen(async |kitchen| {
        for target in [
            "/articles?on_conflict=name",
            "/articles?on_conflict=shelf",
            "/articles?on_conflict=",
            "/articles?on_conflict=sku,sku",
            "/articles?on_conflict=sku&on_conflict=sku",
            "/articles?conflict=ignore",
            "/articles?on_conflict=sku&conflict=replace",
        ] {
            kitchen.post(target, &article("a", 1)).await.problem("validation_failed");
        }
        kitchen.post("/bares?on_conflict=name", &json!({ "name": "a" })).await.expect(404);
        let problem =
            kitchen.post("/bare?on_conflict=name", &json!({ "name": "a" })).await.problem("validation_failed");
        assert_eq!(problem.only().code, "unknown_parameter");
        let items = json!({ "items": [article("a", 1)] });
        kitchen.post("/articles/batch?on_conflict=sku", &items).await.problem("validation_failed");
        assert_eq!(kitchen.get("/articles").await.ok(), json!([]));
        let target = "/articles/1?allow_missing=true";
        kitchen.put(target, &article("a", 1)).await.problem("validation_failed");
        kitchen.patch("/labels/a?allow_missing=true", &json!({ "text": "t" })).await.problem("validation_failed");
        kitchen.put("/labels/a?allow_missing=maybe", &json!({ "text": "t" })).await.problem("validation_failed");
    });
}

#[test]
fn a_soft_deleted_record_stays_as_it_is() {
    on_kitchen(async |kitchen| {
        let created = upsert(kitchen, "sku", &article("a", 1)).await.created();
        let deleted = kitchen.delete(format!("/articles/{}", created["id"])).await.ok();
        let direct = kitchen.post("/articles", &article("a", 2)).await.problem("conflict");
        let problem = upsert(kitchen, "sku", &article("a", 2)).await.problem("conflict");
        assert_eq!(problem.detail, direct.detail, "as a create says it");
        kitchen.post("/articles?on_conflict=sku&conflict=ignore", &article("a", 2)).await.problem("conflict");
        let still = kitchen.get(format!("/articles/{}?include_deleted=true", created["id"])).await.ok();
        assert_eq!(still, deleted);
    });
}

#[test]
fn a_put_creates_the_record_of_its_key() {
    on_kitchen(async |kitchen| {
        let target = "/labels/a%2Fb?allow_missing=true";
        let problem = kitchen.put(target, &json!({ "hint": "n" })).await.problem("validation_failed");
        assert_eq!(problem.only().at, "pointer /text");
        kitchen.put("/labels/a%2Fb", &json!({ "text": "t" })).await.problem("not_found");
        let created = kitchen.put(target, &json!({ "text": "t", "hint": "n" })).await.expect(201);
        assert_eq!(created.require("location"), "/labels/a%2Fb");
        assert_eq!(*created.json(), json!({ "code": "a/b", "text": "t", "hint": "n" }));
        let changed = kitchen.put(target, &json!({ "hint": null })).await.ok();
        assert_eq!(changed, json!({ "code": "a/b", "text": "t", "hint": null }));
        let problem = kitchen.put(target, &json!({ "code": "c", "text": "t" })).await.problem("validation_failed");
        assert_eq!(problem.only().at, "pointer /code");
        kitchen.put("/labels/search?allow_missing=true", &json!({ "text": "t" })).await.problem("validation_failed");
        // The key is a target of a create too.
        let found = kitchen.post("/labels?on_conflict=code", &json!({ "code": "a/b", "text": "u" })).await.ok();
        assert_eq!(found["text"], "u");
    });
}

#[test]
fn preconditions_hold() {
    on_kitchen(async |kitchen| {
        let target = "/labels/a?allow_missing=true";
        let body = json!({ "text": "t" });
        let put = |name: &'static str, value: &str| kitchen.put(target, &body).header(name, value);
        put("if-match", "*").await.problem("precondition_failed");
        put("if-none-match", "*").await.expect(201);
        put("if-none-match", "*").await.problem("precondition_failed");
        put("if-match", "\"other\"").await.problem("precondition_failed");
        let etag = kitchen.get("/labels/a").await.expect(200).etag();
        kitchen.put(target, &json!({ "text": "u" })).header("if-match", &etag).await.expect(200);
        kitchen
            .post("/articles?on_conflict=sku", &article("a", 1))
            .header("prefer", "return=minimal")
            .await
            .expect(201);
        let minimal =
            kitchen.post("/articles?on_conflict=sku", &article("a", 1)).header("prefer", "return=minimal").await;
        assert_eq!((minimal.status(), minimal.body()), (204, &b""[..]));
    });
}

#[test]
fn simultaneous_upserts_make_one_record() {
    on_kitchen(async |kitchen| {
        let bodies: Vec<Value> = (0..8).map(|n| json!({ "sku": "a", "shelf": 1, "slot": n, "name": "a" })).collect();
        let answers = join_all(bodies.iter().map(|body| upsert(kitchen, "sku", body))).await;
        let statuses: Vec<u16> = answers.iter().map(crud_tests::Answer::status).collect();
        assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 7, "{statuses:?}");
        assert_eq!(kitchen.get("/articles").await.ok().as_array().map(Vec::len), Some(1));
    });
}

#[test]
fn a_repeated_request_with_its_key_is_carried_out_once() {
    #[derive(Debug, Clone, Resource)]
    #[crud(table = "keyed", prefix = "/articles", unique(shelf, slot), upsert(sku), audit, idempotency)]
    struct Keyed {
        id: i64,
        #[crud(unique, length(max = 40))]
        sku: String,
        shelf: i32,
        slot: i32,
        name: String,
    }
    on_each_transactional_backend(async |database| {
        let service = database.service().await.resource::<Keyed>().migrate().await.expect("the table");
        let mut kitchen = Api::start(database, service).await;
        kitchen.check_against_document().await;
        let kitchen = &kitchen;
        let send = async |key: &str, body: &Value| {
            kitchen.post("/articles?on_conflict=sku", body).header("idempotency-key", key).await
        };
        let body = article("a", 1);
        let created = send("k1", &body).await.expect(201);
        let again = send("k1", &body).await.expect(201);
        assert_eq!((again.header("idempotency-replayed"), again.json()), (Some("true"), created.json()));
        let found = send("k2", &article("a", 2)).await.expect(200);
        assert_eq!((found.header("idempotency-replayed"), &found.json()["slot"]), (None, &json!(2)));
        // A retry of the first one does not undo the second.
        send("k1", &body).await.expect(201);
        assert_eq!(kitchen.get(format!("/articles/{}", created.json()["id"])).await.ok()["slot"], 2);
        let kinds: Vec<Value> = actions(kitchen, &created.json()["id"]).await;
        assert_eq!(kinds, ["create", "update"]);
        // Inside the transaction of the key, a conflict of another field is one too.
        send("k3", &article("b", 3)).await.expect(201);
        send("k4", &article("c", 3)).await.problem("conflict");
    });
}

#[test]
fn a_store_upserts() {
    on_each_backend(async |database| {
        let service =
            database.service().await.resource::<Article>().resource::<Label>().migrate().await.expect("tables");
        let articles = service.store::<Article>();
        let new = |sku: &str, slot: i32, stock: Option<i32>| NewArticle {
            sku: sku.to_owned(),
            shelf: 1,
            slot,
            name: "n".to_owned(),
            stock,
            maker: None,
        };
        let first = articles.upsert(Article::FIELDS.sku, new("a", 1, Some(7))).await.expect("an article");
        assert!(first.created);
        let second = articles.upsert(Article::FIELDS.sku, new("a", 2, None)).await.expect("an article");
        assert_eq!((second.created, second.record.id, second.record.slot), (false, first.record.id, 2));
        assert_eq!(second.record.stock, 7, "what is left out stays");
        let by = (Article::FIELDS.slot, Article::FIELDS.shelf);
        let third = articles.upsert(by, new("b", 2, Some(1))).await.expect("an article");
        assert_eq!((third.created, third.record.sku.as_str(), third.record.stock), (false, "b", 1));
        assert!(articles.upsert(Article::FIELDS.name, new("c", 3, None)).await.is_err(), "a name is not unique");
        articles.delete(first.record.id).await.expect("the article is deleted");
        assert!(articles.upsert(Article::FIELDS.sku, new("b", 9, None)).await.is_err(), "its holder is deleted");
        let labels = service.store::<Label>();
        let label = |text: &str| NewLabel { code: "x".to_owned(), text: text.to_owned(), hint: None };
        assert!(labels.upsert(Label::FIELDS.code, label("t")).await.expect("a label").created);
        let label = labels.upsert(Label::FIELDS.code, label("u")).await.expect("a label");
        assert_eq!((label.created, label.record.text.as_str()), (false, "u"));
    });
}

#[test]
fn upserts_by_the_key_do_not_conflict_with_creates_and_deletes_of_the_record() {
    on_kitchen(async |kitchen| {
        let body = json!({ "code": "a", "text": "t" });
        let put = async |number: usize| {
            for round in 0..40 {
                let body = json!({ "text": format!("{number} {round}") });
                let status = kitchen.put("/labels/a?allow_missing=true", &body).await.status();
                assert!(matches!(status, 200 | 201), "{status}");
            }
        };
        let create_and_delete = async || {
            for _ in 0..60 {
                assert!(matches!(kitchen.post("/labels", &body).await.status(), 201 | 409));
                assert!(matches!(kitchen.delete("/labels/a").await.status(), 200 | 404));
            }
        };
        tokio::join!(put(0), put(1), create_and_delete(), create_and_delete());
    });
}
