//! The form of documents, and documents of other programs.

use crud_runtime::prelude::*;
use crud_tests::Api;
use mongodb::bson::spec::BinarySubtype;
use mongodb::bson::{Bson, doc};
use serde_json::json;

use crate::mongodb::support::{Article, Author, on_mongodb, start};

/// A field of each kind that is stored in another form than its JSON.
#[derive(Debug, Clone, Resource)]
#[crud(table = "samples", prefix = "/samples")]
struct Sample {
    id: Uuid,
    at: DateTime<Utc>,
    day: NaiveDate,
    #[crud(decimal(8, 2))]
    price: Decimal,
    data: serde_json::Value,
    tags: Vec<String>,
    note: Option<String>,
}

#[test]
fn values_have_the_documented_form() {
    on_mongodb(async |database| {
        let service = database.service().await.resource::<Sample>().migrate().await.unwrap();
        let api = Api::start(database, service).await;
        let sample = json!({
            "at": "2026-01-31T00:00:00.000001Z", "day": "1970-01-03", "price": "12.50",
            "data": { "a": 1 }, "tags": ["x", "y"],
        });
        let created = api.post("/samples", &sample).await.created();
        let stored = database.collection("samples").await.find_one(doc! {}).await.unwrap().unwrap();
        let Some(Bson::Binary(key)) = stored.get("_id") else { panic!("{stored}") };
        assert_eq!((key.subtype, key.bytes.len()), (BinarySubtype::Uuid, 16));
        assert_eq!(stored.get("at"), Some(&Bson::Int64(1_769_817_600_000_001)));
        assert_eq!(stored.get("day"), Some(&Bson::Int32(2)));
        assert_eq!(stored.get("price"), Some(&Bson::Int64(1_250)));
        assert_eq!(stored.get("data"), Some(&Bson::String("{\"a\":1}".to_owned())));
        assert_eq!(stored.get_array("tags").unwrap(), &[Bson::from("x"), Bson::from("y")]);
        assert_eq!(stored.get("note"), Some(&Bson::Null));
        assert_eq!(stored.get("_v"), Some(&Bson::Int64(1)));
        assert_eq!(api.get("/samples").await.ok(), json!([created]));
        api.stop().await;
    });
}

#[test]
fn document_that_does_not_fit_is_reported_by_its_key() {
    on_mongodb(async |database| {
        let api = start(database).await;
        let authors = database.collection("authors").await;
        authors.insert_one(doc! { "_id": 7_i64, "name": 5 }).await.unwrap();
        assert_eq!(api.get("/authors/7").await.ok(), json!({ "id": 7, "name": null, "unreadable": ["/name"] }));
        api.stop().await;
        let lines = database.service().await.resource::<Author>().plan().await.unwrap_err().to_string();
        assert!(
            lines.contains("collection `authors`, document 7: field `name` is the integer 5, must be a string"),
            "{lines}"
        );
    });
}

#[test]
fn null_replaces_a_value_that_cannot_be_read() {
    on_mongodb(async |database| {
        let api = start(database).await;
        let author = api.post("/authors", &json!({ "name": "Ann" })).await.created()["id"].clone();
        let article =
            api.post("/articles", &json!({ "title": "A", "author_id": author })).await.created()["id"].clone();
        let stored = doc! { "_id": 7_i64, "article_id": article.as_i64(), "author_id": "Ann" };
        database.collection("comments").await.insert_one(stored).await.unwrap();
        assert_eq!(api.get("/comments/7").await.ok()["unreadable"], json!(["/author_id"]));
        let mended = json!({ "id": 7, "article_id": article, "author_id": null });
        assert_eq!(api.patch("/comments/7", &json!({ "author_id": null })).await.ok(), mended);
        assert_eq!(api.get("/comments/7").await.ok(), mended);
        api.stop().await;
    });
}

#[test]
fn document_of_another_program_takes_part_once_it_changes() {
    on_mongodb(async |database| {
        let api = start(database).await;
        database.collection("authors").await.insert_one(doc! { "_id": 7_i64, "name": "Ann" }).await.unwrap();
        assert_eq!(api.get("/authors/7").await.ok()["name"], "Ann");
        assert_eq!(api.put("/authors/7", &json!({ "name": "Bea" })).await.ok()["name"], "Bea");
        api.post("/authors", &json!({ "name": "Bea" })).await.problem("conflict");
        // Keys that it gave are passed over.
        for number in 0..10 {
            assert_ne!(api.post("/authors", &json!({ "name": format!("{number}") })).await.created()["id"], 7);
        }
        api.stop().await;
    });
}

#[test]
fn keys_of_other_programs_are_passed_over() {
    on_mongodb(async |database| {
        let api = start(database).await;
        let authors = database.collection("authors").await;
        authors.insert_many((1..=3_i64).map(|id| doc! { "_id": id, "name": format!("{id}") })).await.unwrap();
        assert_eq!(api.post("/authors", &json!({ "name": "next" })).await.created()["id"], 4);
        api.stop().await;
    });
}

#[test]
fn names_of_the_adapter_and_the_server_are_refused() {
    #[derive(Debug, Clone, Resource)]
    #[crud(table = "_schema", prefix = "/notes")]
    #[allow(dead_code, reason = "only the names matter")]
    struct Note {
        id: i64,
        #[crud(column = "_v")]
        version: i64,
    }
    on_mongodb(async |database| {
        let error = database.service().await.resource::<Note>().migrate().await.unwrap_err().to_string();
        assert!(error.contains("collection `_schema`: its name must not begin with `_`"), "{error}");
        assert!(error.contains("field `_v`: its name must not begin with `_`"), "{error}");
        let none = database.service().await.resource::<Article>().migrate().await;
        assert!(none.is_ok(), "{none:?}");
    });
}
