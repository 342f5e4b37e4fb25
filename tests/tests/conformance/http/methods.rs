//! `HEAD` has the headers of `GET`; `OPTIONS` lists the methods; others are 405 with `Allow`.

use crud_tests::fixtures::{id, product};
use crud_tests::http::{on_kitchen, on_shop};
use reqwest::Method;
use serde_json::json;

const COLLECTION: [&str; 5] = ["GET", "HEAD", "OPTIONS", "POST", "QUERY"];
const RECORD: [&str; 6] = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "PUT"];

#[test]
fn head_returns_the_headers_of_get() {
    on_shop(async |shop| {
        let path = format!("/products/{}", id(&product(shop, "Lamp").await));
        for target in [path.as_str(), "/products", "/", "/health", "/openapi.json"] {
            let (get, head) = (shop.get(target).await.expect(200), shop.head(target).await.expect(200));
            for name in ["content-type", "etag", "x-total-count", "content-range"] {
                assert_eq!(head.header(name), get.header(name), "{name} of {target}");
            }
        }
    });
}

#[test]
fn head_of_an_error_has_no_body() {
    on_shop(async |shop| {
        shop.head("/products/7").await.expect(404);
        shop.head("/nowhere").await.expect(404);
        shop.head("/products?limit=0").await.expect(422);
    });
}

#[test]
fn options_is_204_with_the_methods() {
    on_shop(async |shop| {
        assert_eq!(shop.options("/products").await.expect(204).allow(), COLLECTION);
        assert_eq!(shop.options("/products/7").await.expect(204).allow(), RECORD);
    });
}

#[test]
fn unsupported_method_is_405_with_allow() {
    on_shop(async |shop| {
        for method in [Method::PUT, Method::PATCH, Method::DELETE] {
            let answer = shop.request(method, "/products").json(&json!({})).await;
            assert_eq!(answer.allow(), COLLECTION);
            answer.problem("method_not_allowed");
        }
        let answer = shop.post("/products/7", &json!({})).await;
        assert_eq!(answer.allow(), RECORD);
        answer.problem("method_not_allowed");
    });
}

#[test]
fn unknown_method_is_405_with_allow() {
    on_shop(async |shop| {
        for name in ["TRACE", "PURGE", "get"] {
            let method = Method::from_bytes(name.as_bytes()).expect("a method");
            let answer = shop.request(method, "/products").await;
            assert_eq!(answer.allow(), COLLECTION, "{name}");
            answer.problem("method_not_allowed");
        }
    });
}

#[test]
fn service_routes_are_read_only() {
    on_shop(async |shop| {
        for path in ["/", "/health", "/ready", "/openapi.json", "/docs"] {
            let answer = shop.post(path, &json!({})).await;
            assert_eq!(answer.allow(), ["GET", "HEAD", "OPTIONS"], "{path}");
            answer.problem("method_not_allowed");
        }
    });
}

#[test]
fn disabled_operations_are_405() {
    on_kitchen(async |kitchen| {
        let record = kitchen.post("/fixed", &json!({ "name": "stone" })).await.created();
        let path = format!("/fixed/{}", id(&record));
        for method in [Method::PUT, Method::PATCH, Method::DELETE] {
            let answer = kitchen.request(method, &path).json(&json!({ "name": "sand" })).await;
            assert_eq!(answer.allow(), ["GET", "HEAD", "OPTIONS"]);
            answer.problem("method_not_allowed");
        }
        assert_eq!(kitchen.options(&path).await.expect(204).allow(), ["GET", "HEAD", "OPTIONS"]);
        assert_eq!(kitchen.get(&path).await.ok(), record);
    });
}
