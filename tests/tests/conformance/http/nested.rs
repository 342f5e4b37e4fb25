//! Links of a service nested under another router include the mount path.

use axum::Router;
use axum::routing::get;
use crud_tests::Client;
use crud_tests::fixtures::{category, id, product_body};
use crud_tests::http::on_each_backend;
use serde_json::json;
use tokio::net::TcpListener;

/// Runs a test with a shop nested under `/api/v2` in a program with a route.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_nested_shop(test: impl AsyncFn(&Client)) {
    on_each_backend(async |database| {
        let service = shop::open_shop(database.service().await).migrate().await.expect("the shop's tables");
        let router = service.into_router().expect("the shop's router");
        let program = Router::new().nest("/api/v2", router).route("/own", get(async || "own"));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("the port's address");
        let server = tokio::spawn(async move { axum::serve(listener, program).await });
        test(&Client::new(format!("http://{address}"), database.secrets())).await;
        server.abort();
    });
}

#[test]
fn programs_own_route_is_served() {
    on_nested_shop(async |program| {
        let answer = program.stream("/own").await.text().await.expect("a text");
        assert_eq!(answer, "own");
    });
}

#[test]
fn location_includes_the_mount_path() {
    on_nested_shop(async |program| {
        let client = Client::new(format!("{}/api/v2", program.origin()), Vec::new());
        let category = category(&client, "Lamps").await;
        let answer = client.post("/products", &product_body(category, "Lamp")).await.expect(201);
        assert_eq!(answer.require("location"), format!("/api/v2/products/{}", id(answer.json())));
        let record = program.get(answer.require("location")).await.ok();
        assert_eq!(&record, answer.json());
    });
}

#[test]
fn root_includes_the_mount_path() {
    on_nested_shop(async |program| {
        // axum routes `/api/v2` to a nested root; also `/api/v2/` where the inner route is `/`.
        let root = program.get("/api/v2").await.ok();
        assert_eq!(root["docs"], "/api/v2/docs");
        let endpoints = json!({
            "categories": "/api/v2/categories", "products": "/api/v2/products", "orders": "/api/v2/orders"
        });
        assert_eq!(root["endpoints"], endpoints);
    });
}

#[test]
fn document_includes_the_mount_path() {
    on_nested_shop(async |program| {
        let document = program.get("/api/v2/openapi.json").await.ok();
        assert_eq!(document["servers"][0]["url"], "/api/v2");
        assert!(document["paths"].get("/products").is_some(), "paths are relative to the server");
    });
}

#[test]
fn docs_load_assets_under_the_mount_path() {
    on_nested_shop(async |program| {
        let docs = program.get("/api/v2/docs").await.expect(200).text();
        for path in super::documents::loaded_paths(&docs) {
            let target =
                if path.starts_with('/') { path.clone() } else { format!("/api/v2/{}", path.trim_start_matches("./")) };
            assert!(target.starts_with("/api/v2/"), "{path}");
            program.get(&target).await.expect(200);
        }
    });
}

#[test]
fn lists_and_errors_are_unchanged_by_nesting() {
    on_nested_shop(async |program| {
        assert_eq!(program.get("/api/v2/products?limit=1").await.ok()["total"], 0);
        program.get("/api/v2/products/7").await.problem("not_found");
        program.get("/api/v2/products?prise=1").await.problem("validation_failed");
        program.get("/api/v2/nowhere").await.problem("route_not_found");
    });
}
