//! Deprecated resources and routes, and redirects from the prefixes that a resource had.

use crud_runtime::access::Access;
use crud_runtime::descriptor::Deprecation;
use crud_runtime::prelude::*;
use crud_runtime::routing::get;
use crud_tests::{Api, Database, on_each_backend, on_sqlite};
use reqwest::Method;
use serde_json::json;

/// A product of the old version.
#[derive(Debug, Clone, Resource)]
#[crud(
    prefix = "/v2/products",
    moved_from("/v1/products", "/products"),
    filter,
    pagination(cursor),
    deprecated(since = "2026-01-01", sunset = "2026-12-31", link = "https://example.com/changes")
)]
struct Product {
    id: i64,
    #[crud(deprecated)]
    name: String,
}

async fn report() -> &'static str {
    "report"
}

const OLD: Deprecation = Deprecation::new().since("2025-05-01");

async fn service(database: &Database) -> Service {
    let service = database.service().await.resource::<Product>();
    let service = service.route("/report", get(report).access(Access::Public).deprecated(OLD));
    service.migrate().await.expect("the tables")
}

#[test]
fn responses_and_document_say_what_is_deprecated() {
    on_each_backend(async |database| {
        let mut api = Api::start(database, service(database).await).await;
        api.check_against_document().await;
        let created = api.post("/v2/products", &json!({ "name": "desk" })).await.expect(201);
        for answer in
            [created, api.get("/v2/products?limit=1").await.expect(200), api.get("/v2/products/9").await.expect(404)]
        {
            assert_eq!(answer.require("deprecation"), "@1767225600");
            assert_eq!(answer.require("sunset"), "Thu, 31 Dec 2026 00:00:00 GMT");
            let link = "<https://example.com/changes>; rel=\"deprecation sunset\"";
            assert!(answer.headers("link").contains(&link), "{:?}", answer.headers("link"));
        }
        let report = api.get("/report").await.expect(200);
        assert_eq!((report.require("deprecation"), report.header("sunset")), ("@1746057600", None));
        let document = api.get("/openapi.json").await.ok();
        assert_eq!(document["paths"]["/v2/products"]["get"]["deprecated"], true);
        assert_eq!(document["paths"]["/report"]["get"]["deprecated"], true);
        assert_eq!(document["components"]["schemas"]["Product"]["properties"]["name"]["deprecated"], true);
        api.stop().await;
    });
}

#[test]
fn old_prefix_redirects_with_its_path_and_query() {
    on_sqlite(async |database| {
        let api = Api::start(database, service(database).await).await;
        let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().expect("a client");
        for (method, from, to) in [
            (Method::GET, "/v1/products?name=a%20b&limit=5", "/v2/products?name=a%20b&limit=5"),
            (Method::GET, "/products/7", "/v2/products/7"),
            (Method::PATCH, "/v1/products/7", "/v2/products/7"),
            (Method::POST, "/v1/products/search", "/v2/products/search"),
        ] {
            let answer = client.request(method, format!("{}{from}", api.origin())).send().await.expect("an answer");
            let location = answer.headers().get("location").and_then(|location| location.to_str().ok());
            assert_eq!((answer.status().as_u16(), location), (308, Some(to)), "{from}");
        }
        let followed = reqwest::Client::new().post(format!("{}/v1/products", api.origin()));
        let followed = followed.json(&json!({ "name": "desk" })).send().await.expect("an answer");
        assert_eq!(followed.status().as_u16(), 201, "the method and the body stay");
        api.stop().await;
    });
}

#[test]
fn own_route_at_an_old_prefix_is_refused_at_start() {
    on_sqlite(async |database| {
        let taken = ["which redirects to `/v2/products`", "and requests there cannot be redirected"];
        for path in ["", "/{id}", "/{product}/report", "/{*rest}", "/{*path}"] {
            let service = database.service().await.resource::<Product>();
            let service = service.route(format!("/v1/products{path}"), get(report));
            let error = service.into_router().map(drop).expect_err("an error").to_string();
            assert!(taken.iter().any(|text| error.contains(text)), "{path}: {error}");
        }
    });
}

mod taken {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(prefix = "/v2/parts", moved_from("/products/parts"))]
    pub(super) struct Part {
        pub(super) id: i64,
    }
}

#[test]
fn old_prefix_of_another_route_is_refused_at_start() {
    on_sqlite(async |database| {
        let service = database.service().await.resource::<Product>().resource::<taken::Part>();
        let service = service.migrate().await;
        let error = service.and_then(|service| service.into_router().map(drop)).expect_err("an error").to_string();
        assert!(error.contains("has moved from") && error.contains("cannot be redirected"), "{error}");
    });
}
