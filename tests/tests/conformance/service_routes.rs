//! Section 8: `/`, `/health`, `/ready`, and the request id.

use std::collections::HashSet;

use crud_tests::{on_kitchen, on_shop};
use serde_json::{Value, json};

#[test]
fn root_lists_the_endpoints() {
    on_shop(async |shop| {
        let root = shop.get("/").await.ok();
        let members: Vec<_> = root.as_object().expect("an object").keys().collect();
        assert_eq!(members, ["message", "docs", "endpoints"]);
        assert!(root["message"].as_str().is_some_and(|message| message.contains("Shop API")), "{root}");
        assert_eq!(root["docs"], "/docs");
        let endpoints = json!({ "categories": "/categories", "products": "/products", "orders": "/orders" });
        assert_eq!(root["endpoints"], endpoints);
        for path in root["endpoints"].as_object().expect("an object").values().chain([&root["docs"]]) {
            shop.get(path.as_str().expect("a path")).await.expect(200);
        }
    });
}

#[test]
fn prefix_of_several_segments_is_one_key() {
    on_kitchen(async |kitchen| {
        assert_eq!(kitchen.get("/").await.ok()["endpoints"]["v1/clamped"], "/v1/clamped");
    });
}

#[test]
fn health_and_readiness_are_json() {
    on_shop(async |shop| {
        for target in ["/health", "/ready"] {
            let answer = shop.get(target).await.expect(200);
            assert!(answer.json().is_object(), "{answer}");
        }
    });
}

#[test]
fn request_without_an_id_gets_a_unique_one() {
    on_shop(async |shop| {
        let mut seen = HashSet::new();
        for target in ["/", "/health", "/products", "/products", "/products/7", "/nowhere", "/products?x=1", "/docs"] {
            let answer = shop.get(target).await;
            assert!(seen.insert(answer.require("x-request-id").to_owned()), "{answer}");
        }
    });
}

#[test]
fn request_id_is_returned() {
    on_shop(async |shop| {
        for target in ["/", "/products", "/products/7", "/nowhere"] {
            let answer = shop.get(target).header("x-request-id", "abc-123_XYZ.4").await;
            assert_eq!(answer.require("x-request-id"), "abc-123_XYZ.4");
        }
    });
}

#[test]
fn unsafe_request_id_is_replaced() {
    on_shop(async |shop| {
        for id in ["", " ", "a b\tc", "\"quoted\"", "<script>", &"x".repeat(1_000)] {
            let answer = shop.get("/health").header("x-request-id", id).await;
            assert_ne!(answer.require("x-request-id"), id);
        }
    });
}

#[test]
fn service_without_resources_serves_its_routes() {
    crud_tests::on_each_backend(async |database| {
        let api = crud_tests::Api::start(database, database.service().await).await;
        assert_eq!(api.get("/").await.ok()["endpoints"], Value::Object(serde_json::Map::new()));
        api.get("/openapi.json").await.ok();
        api.stop().await;
    });
}
