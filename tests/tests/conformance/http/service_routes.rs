//! Service routes: `/`, `/health`, `/ready`, and the request id.

use std::collections::HashSet;
use std::io::Read;

use crud_tests::http::{on_kitchen, on_shop};
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

/// `Accept` header of browsers.
const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

#[test]
fn root_is_a_page_for_browsers() {
    on_shop(async |shop| {
        let page = shop.get("/").header("accept", BROWSER).await.expect(200);
        assert_eq!(page.require("content-type"), "text/html; charset=utf-8");
        assert!(page.require("content-security-policy").starts_with("default-src 'none'; script-src 'self'"), "{page}");
        assert_eq!(page.require("vary"), "Accept");
        let text = page.text();
        assert!(text.contains("<h1>Shop API</h1>") && text.contains("A product in the catalogue."), "{text}");
        for path in super::documents::loaded_paths(&text) {
            shop.get(path).await.expect(200);
        }
        for other in ["*/*", "application/json", "application/json, text/html;q=0.9"] {
            let answer = shop.get("/").header("accept", other).await.expect(200);
            assert_eq!(
                (answer.require("content-type"), answer.require("vary")),
                ("application/json", "Accept"),
                "{other}"
            );
        }
        shop.get("/favicon.ico").await.expect(200);
    });
}

#[test]
fn docs_file_whose_name_is_not_utf_8_is_missing() {
    on_shop(async |shop| {
        shop.get("/docs/%ff").await.problem("route_not_found");
    });
}

#[test]
fn document_and_pages_are_compressed_for_clients_that_take_it_so() {
    on_shop(async |shop| {
        // Not through the harness, which reads JSON as it comes.
        let client = reqwest::Client::new();
        for path in ["/openapi.json", "/docs/swagger-ui.css"] {
            let plain = shop.get(path).await.expect(200);
            assert_eq!((plain.header("content-encoding"), plain.require("vary")), (None, "Accept-Encoding"));
            let request = client.get(format!("{}{path}", shop.origin())).header("accept-encoding", "br, gzip");
            let compressed = request.send().await.expect("an answer");
            assert_eq!(compressed.headers()["content-encoding"], "gzip", "{path}");
            assert_eq!(compressed.headers()["vary"], "Accept-Encoding", "{path}");
            let bytes = compressed.bytes().await.expect("a body");
            assert!(bytes.len() * 4 < plain.body().len(), "{path}");
            let mut expanded = Vec::new();
            flate2::read::GzDecoder::new(&bytes[..]).read_to_end(&mut expanded).expect("gzip");
            assert_eq!(expanded, plain.body(), "{path}");
            let refused = shop.get(path).header("accept-encoding", "gzip;q=0").await.expect(200);
            assert_eq!(refused.header("content-encoding"), None);
        }
    });
}
