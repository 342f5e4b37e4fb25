//! Documents as a crash leaves them: what is pending is finished by the next reader of the log, the next change and the
//! next start.

use crud_tests::{Api, Database};
use mongodb::bson::{Bson, Document, doc};
use serde_json::{Value, json};

use crate::mongodb::support::{on_mongodb, service, start};

/// An author whose creation was not finished: the entry is in its outbox.
async fn half_created(database: &Database, api: &Api) -> i64 {
    let id = api.post("/authors", &json!({ "name": "Ann" })).await.created()["id"].as_i64().unwrap();
    let log = database.collection("audit_logs").await;
    let entry = log.find_one_and_delete(doc! { "entity_type": "Author", "entity_id": id }).await.unwrap().unwrap();
    let pending = doc! { "_out": [{ "c": "audit_logs", "d": entry }], "_p": true };
    set(database, "authors", id, pending).await;
    id
}

async fn set(database: &Database, collection: &str, id: i64, fields: Document) {
    database.collection(collection).await.update_one(doc! { "_id": id }, doc! { "$set": fields }).await.unwrap();
}

async fn actions(api: &Api, entity: &str) -> Vec<Value> {
    let log = api.get(format!("/audit-logs?entity_type={entity}")).await.ok();
    crud_tests::fixtures::column(&log, "action")
}

async fn is_pending(database: &Database) -> bool {
    database.collection("authors").await.find_one(doc! { "_p": true }).await.unwrap().is_some()
}

#[test]
fn reader_of_the_log_sees_the_entry_of_an_interrupted_change() {
    on_mongodb(async |database| {
        let api = start(database).await;
        let id = half_created(database, &api).await;
        assert_eq!(api.get(format!("/authors/{id}/history")).await.ok()["total"], 1);
        assert!(!is_pending(database).await);
        assert_eq!(actions(&api, "Author").await, ["create"]);
        api.stop().await;
    });
}

#[test]
fn next_change_delivers_the_entry_of_an_interrupted_one_first() {
    on_mongodb(async |database| {
        let api = start(database).await;
        let id = half_created(database, &api).await;
        api.put(format!("/authors/{id}"), &json!({ "name": "Bea" })).await.ok();
        assert!(!is_pending(database).await);
        assert_eq!(actions(&api, "Author").await, ["create", "update"]);
        api.stop().await;
    });
}

#[test]
fn start_finishes_what_is_pending() {
    on_mongodb(async |database| {
        let api = start(database).await;
        half_created(database, &api).await;
        api.stop().await;
        drop(service(database).await);
        assert!(!is_pending(database).await);
        let entries = database.collection("audit_logs").await.count_documents(doc! {}).await.unwrap();
        assert_eq!(entries, 1);
    });
}

#[test]
fn entry_that_was_delivered_already_is_not_doubled() {
    on_mongodb(async |database| {
        let api = start(database).await;
        let id = api.post("/authors", &json!({ "name": "Ann" })).await.created()["id"].as_i64().unwrap();
        let entry = database.collection("audit_logs").await.find_one(doc! {}).await.unwrap().unwrap();
        set(database, "authors", id, doc! { "_out": [{ "c": "audit_logs", "d": entry }], "_p": true }).await;
        assert_eq!(actions(&api, "Author").await, ["create"]);
        api.stop().await;
    });
}

/// An article with two comments of one author; the keys of the author and the article.
async fn article_with_comments(api: &Api) -> (i64, i64) {
    let author = api.post("/authors", &json!({ "name": "Ann" })).await.created()["id"].as_i64().unwrap();
    let article = api.post("/articles", &json!({ "title": "a", "author_id": author })).await.created();
    let article = article["id"].as_i64().unwrap();
    for _ in 0..2 {
        api.post("/comments", &json!({ "article_id": article, "author_id": author })).await.created();
    }
    (author, article)
}

#[test]
fn interrupted_removal_is_finished_and_takes_along_what_depends_on_it() {
    on_mongodb(async |database| {
        let api = start(database).await;
        let (author, article) = article_with_comments(&api).await;
        // The removal was durable, and of what follows it only the end of its reference had happened.
        set(database, "articles", article, doc! { "_gone": true, "_p": true, "_v": 2_i64 }).await;
        set(database, "authors", author, doc! { "_r": 0_i64 }).await;
        assert_eq!(api.get("/articles").await.ok(), json!([]), "readers do not see it");
        api.get(format!("/articles/{article}")).await.problem("not_found");
        let new = json!({ "article_id": article, "author_id": null });
        api.post("/comments", &new).await.problem("reference_not_found");
        api.get("/audit-logs").await.ok();
        assert_eq!(api.get("/comments").await.ok(), json!([]));
        assert_eq!(database.collection("articles").await.count_documents(doc! {}).await.unwrap(), 0);
        api.delete(format!("/authors/{author}")).await.ok();
        api.stop().await;
    });
}

#[test]
fn cascade_clears_and_removes_and_restrict_refuses() {
    on_mongodb(async |database| {
        let api = start(database).await;
        let (author, article) = article_with_comments(&api).await;
        api.delete(format!("/authors/{author}")).await.problem("referenced");
        let other = api.post("/authors", &json!({ "name": "Bea" })).await.created()["id"].clone();
        api.put(format!("/articles/{article}"), &json!({ "author_id": other })).await.ok();
        api.delete(format!("/authors/{author}")).await.ok();
        let comments = api.get("/comments").await.ok();
        assert_eq!(crud_tests::fixtures::column(&comments, "author_id"), [Value::Null, Value::Null]);
        api.delete(format!("/articles/{article}")).await.ok();
        assert_eq!(api.get("/comments").await.ok(), json!([]));
        let counted = database.collection("authors").await.find_one(doc! {}).await.unwrap().unwrap();
        assert_eq!((counted.get("_r"), counted.get("_w")), (Some(&Bson::Int64(0)), Some(&Bson::Int64(0))));
        api.stop().await;
    });
}

#[test]
fn number_of_references_that_a_crash_left_too_high_is_corrected() {
    on_mongodb(async |database| {
        let api = start(database).await;
        let id = api.post("/authors", &json!({ "name": "Ann" })).await.created()["id"].as_i64().unwrap();
        let now = chrono_now();
        set(database, "authors", id, doc! { "_r": 1_i64, "_t": now }).await;
        api.delete(format!("/authors/{id}")).await.problem("referenced");
        set(database, "authors", id, doc! { "_t": now - 3_600_000_000_i64 }).await;
        api.delete(format!("/authors/{id}")).await.ok();
        api.stop().await;
    });
}

/// Now, in microseconds since 1970.
fn chrono_now() -> i64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(now.as_micros()).unwrap()
}
