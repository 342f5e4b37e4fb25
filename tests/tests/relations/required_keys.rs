//! Records of a resource with `idempotency(required)`, written by requests for another one.

use crud_runtime::prelude::*;
use crud_tests::fixtures::column;
use crud_tests::{Answer, Api, on_each_transactional_backend};
use reqwest::Method;
use serde_json::{Value, json};

/// A basket.
#[derive(Debug, Clone, Resource)]
#[crud(idempotency, has_many(items(Item::basket_id, nested)), many_to_many(tags(BasketTag)))]
struct Basket {
    id: i64,
    name: String,
}

/// An item, whose changes need a key.
#[derive(Debug, Clone, Resource)]
#[crud(idempotency(required))]
struct Item {
    id: i64,
    #[crud(references(Basket))]
    basket_id: i64,
    product: String,
}

/// A tag.
#[derive(Debug, Clone, Resource)]
struct Tag {
    id: i64,
    name: String,
}

/// A tag of a basket, whose changes need a key.
#[derive(Debug, Clone, Resource)]
#[crud(idempotency(required))]
struct BasketTag {
    #[crud(id, references(Basket))]
    basket_id: i64,
    #[crud(id, references(Tag))]
    tag_id: i64,
}

#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_each(test: impl AsyncFn(&Api)) {
    on_each_transactional_backend(async |database| {
        let service = database.service().await.resource::<Basket>().resource::<Item>();
        let service = service.resource::<Tag>().resource::<BasketTag>().migrate().await.expect("the tables");
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        test(&api).await;
        api.stop().await;
    });
}

async fn with_key(api: &Api, method: Method, path: &str, key: &str, body: &Value) -> Answer {
    api.request(method, path).header("idempotency-key", key).json(body).await
}

#[test]
fn body_with_items_that_need_a_key_needs_it() {
    on_each(async |api| {
        let body = json!({ "name": "a", "items": [{ "product": "nail" }] });
        api.post("/baskets", &body).await.problem("idempotency_key_required");
        assert_eq!(api.get("/baskets").await.ok(), json!([]));
        let first = with_key(api, Method::POST, "/baskets", "k", &body).await.expect(201);
        let again = with_key(api, Method::POST, "/baskets", "k", &body).await.expect(201);
        assert_eq!((again.header("idempotency-replayed"), again.text()), (Some("true"), first.text()));
        assert_eq!(column(&api.get("/items").await.ok(), "product"), ["nail"]);

        let path = format!("/baskets/{}", first.json()["id"]);
        let id = api.get("/items").await.ok()[0]["id"].clone();
        for items in [
            json!([{ "product": "nut" }]),
            json!([{ "id": id, "product": "nut" }]),
            json!([{ "id": id, "_delete": true }]),
        ] {
            let body = json!({ "items": items });
            api.patch(&path, &body).await.problem("idempotency_key_required");
            api.put(&path, &body).await.problem("idempotency_key_required");
        }
        assert_eq!(column(&api.get("/items").await.ok(), "product"), ["nail"]);
        let body = json!({ "items": [{ "id": id, "product": "nut" }] });
        with_key(api, Method::PATCH, &path, "p", &body).await.expect(200);
        assert_eq!(column(&api.get("/items").await.ok(), "product"), ["nut"]);
        // The basket alone needs none.
        api.patch(&path, &json!({ "name": "b" })).await.ok();
        api.patch(&path, &json!({ "name": "c", "items": [] })).await.ok();
        api.post("/baskets", &json!({ "name": "d" })).await.created();
    });
}

#[test]
fn change_of_links_that_need_a_key_needs_it() {
    on_each(async |api| {
        let basket = api.post("/baskets", &json!({ "name": "a" })).await.created();
        let tag = api.post("/tags", &json!({ "name": "red" })).await.created();
        let (path, ids) = (format!("/baskets/{}/tags", basket["id"]), json!({ "ids": [tag["id"]] }));
        api.put(&path, &ids).await.problem("idempotency_key_required");
        api.post(&path, &ids).await.problem("idempotency_key_required");
        assert_eq!(column(&api.get(&path).await.ok(), "name"), [""; 0]);
        let linked = with_key(api, Method::PUT, &path, "k", &ids).await.ok();
        assert_eq!(column(&linked, "name"), ["red"]);
        let one = format!("{path}/{}", tag["id"]);
        api.delete(&one).await.problem("idempotency_key_required");
        assert_eq!(column(&api.get(&path).await.ok(), "name"), ["red"]);
        api.delete(&one).header("idempotency-key", "d").await.ok();
        assert_eq!(column(&api.get(&path).await.ok(), "name"), [""; 0]);
    });
}

/// A shelf, whose requests take no keys.
#[derive(Debug, Clone, Resource)]
#[crud(has_many(boxes(Carton::shelf_id, nested)))]
struct Shelf {
    id: i64,
}

/// A carton, whose changes need a key.
#[derive(Debug, Clone, Resource)]
#[crud(idempotency(required))]
struct Carton {
    id: i64,
    #[crud(references(Shelf))]
    shelf_id: i64,
}

/// A wall, whose requests take no keys.
#[derive(Debug, Clone, Resource)]
#[crud(many_to_many(hooks(WallHook)))]
struct Wall {
    id: i64,
}

/// A hook.
#[derive(Debug, Clone, Resource)]
struct Hook {
    id: i64,
}

/// A hook of a wall, whose changes need a key.
#[derive(Debug, Clone, Resource)]
#[crud(idempotency(required))]
struct WallHook {
    #[crud(id, references(Wall))]
    wall_id: i64,
    #[crud(id, references(Hook))]
    hook_id: i64,
}

#[test]
fn records_that_need_a_key_are_in_requests_that_take_one() {
    on_each_transactional_backend(async |database| {
        let nested = database.service().await.resource::<Shelf>().resource::<Carton>();
        let linked = database.service().await.resource::<Wall>().resource::<Hook>().resource::<WallHook>();
        for (service, written, of) in [(nested, "Carton", "Shelf"), (linked, "WallHook", "Wall")] {
            let error = match service.migrate().await.and_then(Service::into_router) {
                Ok(_) => panic!("the service starts"),
                Err(error) => error.to_string(),
            };
            let expected = format!(
                "{written} has `idempotency(required)`, and requests for {of} take no `Idempotency-Key`: add \
                 `idempotency` to {of}"
            );
            assert!(error.contains(&expected), "{error}");
        }
    });
}
