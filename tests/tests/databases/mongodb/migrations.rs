//! `migrate` creates collections, indexes and descriptions; documents of a changed struct are read by the new rules.

use crud_runtime::prelude::*;
use crud_tests::{Api, Database};
use mongodb::bson::doc;
use serde_json::json;

use crate::mongodb::support::{Author, on_mongodb, service, start};

/// Authors of the same table, whose nicknames are unique and whose mentors are other authors.
mod changed {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "authors", prefix = "/authors")]
    #[allow(dead_code, reason = "it is served, not read")]
    pub(super) struct Author {
        id: i64,
        name: String,
        #[crud(unique)]
        nickname: Option<String>,
        #[crud(references(Author))]
        mentor_id: Option<i64>,
    }
}

/// Offers in cents, and in tenths of a cent.
mod offers {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "offers", prefix = "/offers")]
    pub(super) struct Cents {
        pub(super) id: i64,
        #[crud(decimal(12, 2))]
        pub(super) price: Decimal,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "offers", prefix = "/offers")]
    pub(super) struct Tenths {
        pub(super) id: i64,
        #[crud(decimal(12, 3))]
        pub(super) price: Decimal,
    }
}

/// Starts the changed authors, or says why they do not start.
async fn start_changed(database: &Database) -> Result<Api, String> {
    let service = database.service().await.resource::<changed::Author>().migrate().await;
    match service {
        Ok(service) => Ok(Api::start(database, service).await),
        Err(error) => Err(error.to_string()),
    }
}

#[test]
fn plan_lists_what_is_missing_and_creates_nothing() {
    on_mongodb(async |database| {
        let empty = database.service().await.resource::<Author>();
        let plan = empty.plan().await.unwrap();
        assert!(plan.contains(&"create collection `authors`".to_owned()), "{plan:?}");
        assert!(
            plan.iter().any(|line| line.starts_with("create unique index `ux_authors__name` on `authors`")),
            "{plan:?}"
        );
        assert!(plan.contains(&"describe `authors` in `_schema`".to_owned()), "{plan:?}");
        assert_eq!(empty.plan().await.unwrap(), plan);
        drop(service(database).await);
        assert_eq!(database.service().await.resource::<Author>().plan().await.unwrap(), [""; 0]);
    });
}

#[test]
fn collection_that_was_not_migrated_is_not_served() {
    on_mongodb(async |database| {
        let api = Api::start(database, database.service().await.resource::<Author>()).await;
        api.get("/authors").await.problem("unavailable");
        api.post("/authors", &json!({ "name": "Ann" })).await.problem("unavailable");
        api.stop().await;
    });
}

#[test]
fn new_unique_value_counts_in_documents_that_are_there() {
    on_mongodb(async |database| {
        start(database).await.stop().await;
        let authors = database.collection("authors").await;
        authors.insert_one(doc! { "_id": 1_i64, "name": "Ann", "nickname": "A" }).await.unwrap();
        let api = start_changed(database).await.unwrap();
        api.post("/authors", &json!({ "name": "Bea", "nickname": "A" })).await.problem("conflict");
        api.stop().await;
    });
}

#[test]
fn new_unique_value_that_two_documents_have_is_reported() {
    on_mongodb(async |database| {
        start(database).await.stop().await;
        let authors = database.collection("authors").await;
        let ann = doc! { "_id": 1_i64, "name": "Ann", "nickname": "A" };
        authors.insert_many([ann, doc! { "_id": 2_i64, "name": "Bea", "nickname": "A" }]).await.unwrap();
        let error = start_changed(database).await.unwrap_err();
        assert!(error.contains("document 2: `nickname` has the value of another document"), "{error}");
        assert!(start_changed(database).await.is_err(), "the second time too");
    });
}

#[test]
fn new_reference_counts_in_documents_that_are_there() {
    on_mongodb(async |database| {
        start(database).await.stop().await;
        let authors = database.collection("authors").await;
        let ann = doc! { "_id": 1_i64, "name": "Ann" };
        authors.insert_many([ann, doc! { "_id": 2_i64, "name": "Bea", "mentor_id": 1_i64 }]).await.unwrap();
        let api = start_changed(database).await.unwrap();
        api.delete("/authors/1").await.problem("referenced");
        api.delete("/authors/2").await.ok();
        api.delete("/authors/1").await.ok();
        api.stop().await;
    });
}

#[test]
fn new_reference_to_a_missing_document_is_reported() {
    on_mongodb(async |database| {
        start(database).await.stop().await;
        let authors = database.collection("authors").await;
        authors.insert_one(doc! { "_id": 2_i64, "name": "Bea", "mentor_id": 1_i64 }).await.unwrap();
        let error = start_changed(database).await.unwrap_err();
        assert!(error.contains("document 2: `mentor_id` refers to a document that does not exist"), "{error}");
    });
}

#[test]
fn decimal_of_another_scale_is_refused_where_there_are_documents() {
    on_mongodb(async |database| {
        let cents = database.service().await.resource::<offers::Cents>().migrate().await.unwrap();
        drop(database.service().await.resource::<offers::Tenths>().migrate().await.expect("no document counts cents"));
        drop(database.service().await.resource::<offers::Cents>().migrate().await.unwrap());
        let api = Api::start(database, cents).await;
        api.post("/offers", &json!({ "price": "12.34" })).await;
        api.stop().await;
        let error = database.service().await.resource::<offers::Tenths>().migrate().await.unwrap_err().to_string();
        assert!(
            error.contains("field `price`: its integers are units of 0.01, the struct reads units of 0.001"),
            "{error}"
        );
        let error = database.service().await.resource::<offers::Tenths>().plan().await.unwrap_err().to_string();
        assert!(error.contains("field `price`"), "{error}");
        let api = Api::start(database, database.service().await.resource::<offers::Cents>()).await;
        assert_eq!(api.get("/offers/1").await.json()["price"], "12.34");
        api.stop().await;
    });
}
