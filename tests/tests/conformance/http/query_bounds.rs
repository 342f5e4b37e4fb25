//! A query string has at most 8 KiB and 200 parameters, on every route that a resource, the log or
//! authentication has. A problem lists at most 100 errors.

use crud_tests::http::{on_kitchen, on_shop};
use crud_tests::{Api, Client};
use reqwest::Method;
use serde_json::{Value, json};

/// Every operation that needs no record, and some that miss theirs: a method, a path, its status within the bounds. The
/// parameter is unknown, which only a GET of a record or a list may ignore.
const REQUESTS: [(Method, &str, u16); 12] = [
    (Method::GET, "/drafts", 200),
    (Method::HEAD, "/drafts", 200),
    (Method::GET, "/drafts/1", 404),
    (Method::POST, "/drafts", 422),
    (Method::PUT, "/drafts/1", 422),
    (Method::DELETE, "/drafts/1", 422),
    (Method::POST, "/drafts/restore", 422),
    (Method::DELETE, "/drafts/deleted", 422),
    (Method::POST, "/drafts/1/restore", 422),
    (Method::DELETE, "/drafts/1/permanent", 422),
    (Method::GET, "/drafts/1/history", 422),
    (Method::GET, "/audit-logs", 422),
];

async fn send(kitchen: &Client, method: &Method, path: &str, query: &str) -> crud_tests::Answer {
    let request = kitchen.request(method.clone(), format!("{path}?{query}")).header("prefer", "handling=lenient");
    match *method {
        Method::POST | Method::PUT => request.json(&json!({})).await,
        _ => request.await,
    }
}

async fn assert_bound(kitchen: &Api, within: &str, beyond: &str, status: u16, code: &str) {
    for (method, path, expected) in &REQUESTS {
        let answer = send(kitchen, method, path, within).await;
        assert_eq!(answer.status(), *expected, "{method} {path}: {answer}");
        if *method != Method::HEAD {
            assert_ne!(answer.json()["code"], code, "{method} {path}");
        }
        let answer = send(kitchen, method, path, beyond).await;
        assert_eq!(answer.status(), status, "{method} {path}: {answer}");
        if *method != Method::HEAD {
            answer.problem(code);
        }
    }
}

#[test]
fn query_string_has_at_most_8_kib() {
    on_kitchen(async |kitchen| {
        let (within, beyond) = (format!("x={}", "x".repeat(8_190)), format!("x={}", "x".repeat(8_191)));
        assert_eq!((within.len(), beyond.len()), (8_192, 8_193));
        assert_bound(kitchen, &within, &beyond, 414, "query_too_long").await;
    });
}

#[test]
fn query_string_has_at_most_200_parameters() {
    on_kitchen(async |kitchen| {
        let parameters = |count: usize| vec!["x=1"; count].join("&");
        assert_bound(kitchen, &parameters(200), &parameters(201), 422, "query_too_complex").await;
        // Parameters without a value count too; empty ones are none.
        kitchen.get(format!("/drafts?{}", "x&".repeat(201))).await.problem("query_too_complex");
        kitchen.get(format!("/drafts?{}", "&".repeat(1_000))).await.expect(200);
    });
}

#[test]
fn problem_lists_a_hundred_errors() {
    on_shop(async |shop| {
        let names: Vec<String> = (0..200).map(|number| format!("nam{number}=1")).collect();
        let problem = shop.get(format!("/products?{}", names.join("&"))).await.problem("validation_failed");
        assert_eq!(problem.errors.len(), 100);
        assert!(problem.detail.ends_with("(and 199 more errors)"), "{}", problem.detail);
        let members: serde_json::Map<String, Value> =
            (0..50_000).map(|number| (format!("nam{number}"), json!(number))).collect();
        let problem = shop.post("/products", &members.into()).await.problem("validation_failed");
        assert_eq!(problem.errors.len(), 100);
        let hints = problem.errors.iter().filter(|error| error.detail.contains("did you mean")).count();
        assert_eq!(hints, 3, "{problem}");
    });
}

#[test]
fn every_failed_item_of_a_partial_batch_is_listed() {
    on_shop(async |shop| {
        let items: Vec<Value> = (0..150).map(|_| json!({ "nam": 1 })).collect();
        let answer = shop.post("/orders/batch", &json!({ "items": items })).await.expect(207);
        let errors = answer.json()["errors"].as_array().expect("the failed items");
        let indexes: Vec<u64> = errors.iter().filter_map(|error| error["index"].as_u64()).collect();
        assert_eq!(indexes, (0..150).collect::<Vec<_>>());
    });
}
