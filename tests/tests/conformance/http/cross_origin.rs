//! Cross-origin requests of web pages: only allowed origins read responses.

use std::time::Duration;

use crud_runtime::Service;
use crud_runtime::auth::Auth;
use crud_runtime::prelude::*;
use crud_tests::http::{on_each_backend, on_shop};
use crud_tests::{Answer, Api, Database};
use reqwest::Method;
use serde_json::json;

const ORIGIN: &str = "https://shop.example";

/// A resource whose handlers can fail in every way.
#[derive(Debug, Clone, Resource)]
#[crud(prefix = "/notes", access(list(public), create(public)))]
struct Note {
    id: i64,
    #[crud(validate(custom(no_bang)))]
    text: String,
}

fn no_bang(text: &str) -> Result<(), String> {
    match text {
        "bang" => panic!("a handler panics"),
        "" => Err("must not be empty".to_owned()),
        _ => Ok(()),
    }
}

async fn start(database: &Database, cors: Cors) -> Api {
    let auth = Auth::builder().secret("a secret of at least thirty-two bytes").build().expect("authentication");
    let service =
        database.service().await.resource::<Note>().auth(auth).limits(|limits| limits.body(100).requests_in_flight(20));
    Api::start(database, service.server(|server| server.cors(cors)).migrate().await.expect("the tables")).await
}

async fn preflight(api: &Api, target: &str, origin: &str) -> Answer {
    let request = api.options(target).header("origin", origin).header("access-control-request-method", "PATCH");
    request.header("access-control-request-headers", "authorization,if-match").await
}

/// The items of a header's list, in lower case.
fn list(answer: &Answer, header: &str) -> Vec<String> {
    answer.require(header).split(',').map(|item| item.trim().to_ascii_lowercase()).collect()
}

fn assert_allowed(answer: &Answer) {
    assert_eq!(answer.header("access-control-allow-origin"), Some(ORIGIN), "{answer}");
    assert!(answer.headers("vary").contains(&"origin"), "{answer}");
}

#[test]
fn preflight_needs_no_token_and_names_methods_and_headers() {
    on_each_backend(async |database| {
        let api = start(database, Cors::origins(["https://other.example", ORIGIN])).await;
        for target in ["/notes/1", "/auth/login", "/audit-logs", "/missing"] {
            let answer = preflight(&api, target, ORIGIN).await.expect(200);
            assert_allowed(&answer);
            assert_eq!(
                list(&answer, "access-control-allow-methods"),
                ["get", "head", "query", "post", "put", "patch", "delete"]
            );
            let headers = list(&answer, "access-control-allow-headers");
            for header in ["authorization", "content-type", "if-match", "if-none-match", "prefer", "x-session-token"] {
                assert!(headers.iter().any(|other| other == header), "{header} in {headers:?}");
            }
            assert_eq!(answer.header("access-control-max-age"), Some("3600"));
            assert_eq!(answer.header("access-control-allow-credentials"), None);
            answer.require("x-request-id");
        }
        api.stop().await;
    });
}

#[test]
fn response_names_the_headers_that_pages_may_read() {
    on_each_backend(async |database| {
        let api = start(database, Cors::origins([ORIGIN])).await;
        let created = api.post("/notes", &json!({ "text": "a" })).header("origin", ORIGIN).await.expect(201);
        assert_allowed(&created);
        let exposed = list(&created, "access-control-expose-headers");
        for header in ["etag", "location", "x-total-count", "content-range", "retry-after", "x-request-id"] {
            assert!(exposed.iter().any(|other| other == header), "{header} in {exposed:?}");
        }
        for route in ["/notes", "/health", "/", "/openapi.json", "/docs"] {
            assert_allowed(&api.get(route).header("origin", ORIGIN).await.expect(200));
        }
        api.stop().await;
    });
}

#[test]
fn errors_can_be_read_by_pages_too() {
    on_each_backend(async |database| {
        let api = start(database, Cors::origins([ORIGIN])).await;
        let long = json!({ "text": "x".repeat(200) });
        for (request, status) in [
            (api.get("/notes/1"), 401),
            (api.get("/missing"), 404),
            (api.post("/health", &json!({})), 405),
            (api.post("/notes", &long), 413),
            (api.request(Method::POST, "/notes").body("text/plain", "a"), 415),
            (api.post("/notes", &json!({ "text": 1 })), 422),
            (api.post("/notes", &json!({ "text": "bang" })), 500),
        ] {
            assert_allowed(&request.header("origin", ORIGIN).await.expect(status));
        }
        api.stop().await;
    });
}

#[test]
fn other_origins_are_not_allowed() {
    on_each_backend(async |database| {
        let api = start(database, Cors::origins([ORIGIN])).await;
        for origin in ["https://other.example", "https://shop.example.other", "http://shop.example", "null"] {
            let answers = [preflight(&api, "/notes", origin).await, api.get("/notes").header("origin", origin).await];
            for answer in answers {
                assert_eq!(answer.header("access-control-allow-origin"), None, "{origin}: {answer}");
                assert_eq!(answer.header("vary"), Some("origin"), "caches tell origins apart");
            }
        }
        let answer = api.get("/notes").await.expect(200);
        assert_eq!(answer.header("vary"), Some("origin"), "caches tell origins apart");
        api.stop().await;
    });
}

#[test]
fn any_origin_is_a_star() {
    on_each_backend(async |database| {
        let api = start(database, Cors::any().max_age(Duration::from_mins(1))).await;
        let answer = preflight(&api, "/notes", "https://other.example").await.expect(200);
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
        assert_eq!(answer.header("access-control-max-age"), Some("60"));
        api.stop().await;
    });
}

#[test]
fn credentials_are_allowed_to_listed_origins_alone() {
    on_each_backend(async |database| {
        let api = start(database, Cors::origins([ORIGIN]).credentials()).await;
        let answer = api.get("/notes").header("origin", ORIGIN).await.expect(200);
        assert_allowed(&answer);
        assert_eq!(answer.header("access-control-allow-credentials"), Some("true"));
        api.stop().await;
        let refused = |service: Service| service.into_router().expect_err("a mistake").to_string();
        let error = refused(database.service().await.server(|server| server.cors(Cors::any().credentials())));
        assert!(error.contains("`Cors::origins`"), "{error}");
    });
}

#[test]
fn origin_that_no_browser_sends_is_an_error_at_start() {
    on_each_backend(async |database| {
        for origin in ["*", "shop.example", "https://shop.example/", "https://Shop.example", "https://shop.example:443"]
        {
            let service = database.service().await.server(|server| server.cors(Cors::origins([origin])));
            let error = service.into_router().expect_err(origin).to_string();
            assert!(error.contains(&format!("not `{origin}`")), "{error}");
        }
    });
}

#[test]
fn options_without_an_origin_is_not_a_preflight() {
    on_each_backend(async |database| {
        let api = start(database, Cors::origins([ORIGIN])).await;
        assert!(api.options("/notes").await.expect(204).allow().contains(&"POST"));
        api.stop().await;
    });
}

#[test]
fn without_a_rule_responses_have_no_cross_origin_headers() {
    on_shop(async |shop| {
        for answer in [
            preflight(shop, "/products", ORIGIN).await.expect(204),
            shop.get("/products").header("origin", ORIGIN).await.expect(200),
        ] {
            assert_eq!(answer.header("access-control-allow-origin"), None);
            assert_eq!(answer.header("vary"), None);
        }
    });
}
