//! `QUERY` (RFC 10008): the list of a search, by a safe request with a body.

use crud_runtime::auth::Auth;
use crud_runtime::prelude::*;
use crud_tests::Api;
use crud_tests::fixtures::product;
use crud_tests::http::{on_each_backend, on_shop};
use jsonwebtoken::{EncodingKey, Header, encode, get_current_timestamp};
use reqwest::Method;
use serde_json::{Value, json};

const SECRET: &str = "a secret of at least thirty-two bytes";

fn query() -> Method {
    Method::from_bytes(b"QUERY").expect("a method")
}

#[test]
fn query_answers_as_the_search_and_the_list_do() {
    on_shop(async |shop| {
        for name in ["Lamp", "Desk", "Desk lamp"] {
            product(shop, name).await;
        }
        let body = json!({ "where": { "name__like": "Desk%" }, "sort": ["-name"] });
        let queried = shop.request(query(), "/products").json(&body).await.expect(200);
        let searched = shop.post("/products/search", &body).await.expect(200);
        let listed = shop.get("/products?name__like=Desk%25&sort=-name").await.expect(200);
        assert_eq!((queried.json(), queried.json()), (searched.json(), listed.json()));
        for name in ["content-type", "x-total-count", "content-range", "cache-control", "vary", "etag"] {
            assert_eq!(queried.headers(name), listed.headers(name), "{name}");
        }
        let lenient = shop.request(query(), "/products").header("prefer", "count=none").json(&json!({})).await;
        assert_eq!(lenient.expect(200).require("preference-applied"), "count=none");
    });
}

#[test]
fn query_has_the_errors_of_a_search() {
    on_shop(async |shop| {
        let send = |body: &str, media_type: &'static str| shop.request(query(), "/products").body(media_type, body);
        send("{}", "").await.problem("unsupported_media_type");
        send("name=Lamp", "application/x-www-form-urlencoded").await.problem("unsupported_media_type");
        send("{", "application/json").await.problem("malformed_json");
        send("", "application/json").await.problem("malformed_json");
        send(r#"{"where":{"nothing":1}}"#, "application/json").await.problem("validation_failed");
        let with_parameters = shop.request(query(), "/products?sort=name").json(&json!({})).await;
        with_parameters.problem("validation_failed");
        shop.request(query(), "/products/7").json(&json!({})).await.problem("method_not_allowed");
        shop.request(query(), "/categories/search").json(&json!({})).await.expect(405);
    });
}

#[test]
fn options_names_the_bodies_of_query_and_patch() {
    on_shop(async |shop| {
        let answer = shop.options("/products").await.expect(204);
        assert!(answer.allow().contains(&"QUERY"), "{answer}");
        assert_eq!(answer.require("accept-query"), "application/json");
        let record = shop.options("/products/7").await.expect(204);
        let patches = "application/json, application/merge-patch+json, application/json-patch+json";
        assert_eq!((record.header("accept-query"), record.require("accept-patch")), (None, patches));
    });
}

/// A resource without a filter: there is nothing to ask by a body.
#[derive(Debug, Clone, Resource)]
#[crud(prefix = "/marks")]
struct Mark {
    id: i64,
}

/// A resource whose list needs a role.
#[derive(Debug, Clone, Resource)]
#[crud(prefix = "/notes", filter(text), access(list(role("reader")), create(public)))]
struct Note {
    id: i64,
    text: String,
}

#[test]
fn query_has_the_access_of_the_list_and_pages_of_other_origins_may_send_it() {
    on_each_backend(async |database| {
        let auth = Auth::builder().secret(SECRET).build().expect("authentication");
        let now = get_current_timestamp();
        let claims = json!({ "sub": "1", "roles": ["reader"], "iat": now, "exp": now + 600, "type": "access" });
        let token = encode(&Header::default(), &claims, &EncodingKey::from_secret(SECRET.as_bytes()).expect("a key"))
            .expect("a token");
        let service = database.service().await.resource::<Note>().resource::<Mark>().auth(auth);
        let service = service.server(|server| server.cors(Cors::origins(["https://shop.example"])));
        let api = Api::start(database, service.migrate().await.expect("the tables")).await;
        let ask = || api.request(query(), "/notes").json(&json!({}));
        ask().await.expect(401);
        ask().header("authorization", &format!("Bearer {token}")).await.expect(200);
        let preflight = api.options("/notes").header("origin", "https://shop.example");
        let answer = preflight.header("access-control-request-method", "QUERY").await.expect(200);
        assert!(answer.require("access-control-allow-methods").contains("QUERY"), "{answer}");
        assert_eq!(api.options("/marks").await.allow(), ["GET", "HEAD", "OPTIONS", "POST"]);
    });
}

#[test]
fn document_of_3_2_has_what_only_it_can_say() {
    on_shop(async |shop| {
        let older = shop.get("/openapi.json").await.ok();
        assert_eq!(older, shop.get("/openapi.json?version=3.1").await.ok());
        assert_eq!(older["openapi"], "3.1.0");
        let newer = shop.get("/openapi.json?version=3.2").await.ok();
        assert_eq!(
            (newer["openapi"].as_str(), newer["$self"].as_str()),
            (Some("3.2.0"), Some("/openapi.json?version=3.2"))
        );
        let search = &newer["paths"]["/products"]["query"];
        assert_eq!(search["operationId"], "queryProducts");
        assert_eq!(
            search["requestBody"]["content"]["application/json"]["schema"]["$ref"],
            "#/components/schemas/ProductSearch"
        );
        let of_export = |document: &Value| {
            document["paths"]["/products/export"]["get"]["responses"]["200"]["content"]["application/x-ndjson"].clone()
        };
        assert_eq!(of_export(&newer), json!({ "itemSchema": { "$ref": "#/components/schemas/Product" } }));
        assert_eq!(of_export(&older), json!({ "schema": { "type": "string" } }));
        assert_eq!(older["paths"]["/products"].get("query"), None);
        assert!(older["tags"].as_array().expect("the tags").iter().all(|tag| tag.get("kind").is_none()), "{older}");
        let tags = newer["tags"].as_array().expect("the tags");
        let parent = |name: &str| tags.iter().find(|tag| tag["name"] == name).expect(name)["parent"].clone();
        assert_eq!((parent("orders"), parent("products")), (json!("products"), json!(null)));
        shop.get("/openapi.json?version=2.0").await.problem("validation_failed");
    });
}
