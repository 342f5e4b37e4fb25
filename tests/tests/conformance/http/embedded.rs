//! Single operations as routes in a program's own router.

use axum::Router;
use crud_runtime::prelude::*;
use crud_tests::Client;
use crud_tests::http::on_each_backend;
use serde_json::json;
use shop::{Category, Product};
use tokio::net::TcpListener;

/// Runs a test against a program that mounts the shop's routes itself.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_program(test: impl AsyncFn(&Client)) {
    on_each_backend(async |database| {
        let service = shop::open_shop(database.service().await).migrate().await.expect("the shop's tables");
        let program = Router::new()
            .route("/shelf", Category::route(Operation::List))
            .route("/shelf/{id}", Category::route(Operation::Get))
            .route("/new-shelf", Category::route(Operation::Create))
            .merge(Product::router("/goods"))
            .with_state(service.state().expect("the state"));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("the port's address");
        let server = tokio::spawn(async move { axum::serve(listener, program).await });
        test(&Client::of_program(format!("http://{address}"), database.secrets())).await;
        server.abort();
    });
}

#[test]
fn operation_is_mounted_at_the_programs_path() {
    on_program(async |program| {
        let category = program.post("/new-shelf", &json!({ "name": "Lamps" })).await.created();
        assert_eq!(program.get("/shelf").await.ok()["data"], json!([category]));
        assert_eq!(program.get(format!("/shelf/{}", category["id"])).await.ok(), category);
    });
}

#[test]
fn route_of_an_operation_has_only_its_methods() {
    on_program(async |program| {
        let answer = program.post("/shelf", &json!({ "name": "Lamps" })).await.expect(405);
        assert_eq!(answer.header("allow").map(|allow| allow.contains("POST")), Some(false));
        program.delete("/shelf/1").await.expect(405);
    });
}

#[test]
fn answers_have_the_request_id_and_headers_of_the_service() {
    on_program(async |program| {
        for path in ["/shelf", "/goods", "/goods/7"] {
            let answer = program.get(path).header("x-request-id", "mine").await;
            assert_eq!(answer.require("x-request-id"), "mine", "{path}");
            assert_eq!(answer.require("x-content-type-options"), "nosniff", "{path}");
        }
        program.delete("/goods/7").await.expect(404).require("x-request-id");
    });
}

#[test]
fn resource_router_is_mounted_at_the_programs_path() {
    on_program(async |program| {
        program.post("/new-shelf", &json!({ "name": "Lamps" })).await.created();
        let body = json!({ "name": "Lamp", "price": 1, "stock": 1, "category_id": 1 });
        let created = program.post("/goods", &body).await.expect(201);
        assert_eq!(created.require("location"), "/goods/1");
        assert_eq!(program.get("/goods/1").await.ok(), *created.json());
        assert_eq!(program.put("/goods/1", &json!({ "stock": 2 })).await.ok()["stock"], 2);
        assert_eq!(program.get("/goods?stock=2").await.ok()["total"], 1);
        program.delete("/goods/1").await.ok();
        program.get("/goods/1").await.problem("not_found");
    });
}
