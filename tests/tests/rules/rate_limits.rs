//! Limits of a caller's requests: to a resource, and to an own route.

use std::time::Duration;

use crud_runtime::access::Access;
use crud_runtime::auth::{Auth, Principal};
use crud_runtime::descriptor::RateLimit;
use crud_runtime::prelude::*;
use crud_runtime::routing::{get, post};
use crud_runtime::testing::Test;
use crud_tests::{Database, http};
use serde_json::json;

#[derive(Debug, Clone, Resource)]
#[crud(rate_limit(3, per = "1m"), access(read(public), write(role("staff"))))]
struct Report {
    id: i64,
    title: String,
}

async fn nothing() {}

/// One letter an hour.
const LETTERS: RateLimit = RateLimit::new(1, Duration::from_hours(1));

async fn service(database: &Database) -> Service {
    let auth =
        Auth::builder().secret("the secret of these tests, which is public").build().expect("the authentication");
    database
        .service()
        .await
        .auth(auth)
        .resource::<Report>()
        .route("/reports/totals", get(nothing))
        .route("/letters", post(nothing).access(Access::Authenticated).rate_limit(LETTERS))
}

async fn test(database: &Database) -> Test {
    service(database).await.test().await.expect("the service")
}

#[test]
fn requests_beyond_the_limit_are_refused_until_the_window_ends() {
    http::on_each_backend(async |database| {
        let test = test(database).await;
        test.clock().set("2026-01-31T12:00:00Z".parse().expect("a time"));
        let ann = test.as_principal(Principal::new("ann").with_roles(["staff"]));
        let first = ann.post("/reports", json!({ "title": "A" })).await.expect(201);
        assert_eq!(first.header("ratelimit-policy"), Some("\"default\";q=3;w=60"));
        assert_eq!(first.header("ratelimit"), Some("\"default\";r=2;t=60"));
        test.clock().advance(Duration::from_secs(20));
        ann.get("/reports/totals").await.expect(204);
        let last = ann.get("/reports/7").await.expect(404);
        assert_eq!(last.header("ratelimit"), Some("\"default\";r=0;t=40"));
        let refused = ann.get("/reports").await.expect(429);
        assert_eq!(
            (refused.header("retry-after"), refused.json()["code"].as_str()),
            (Some("40"), Some("too_many_requests"))
        );
        assert_eq!(refused.header("ratelimit"), Some("\"default\";r=0;t=40"));
        ann.get("/reports/totals").await.problem("too_many_requests");
        test.clock().advance(Duration::from_secs(40));
        ann.get("/reports").await.expect(200);
    });
}

#[test]
fn each_principal_and_each_network_has_its_own_limit() {
    http::on_each_backend(async |database| {
        let test = test(database).await;
        let (ann, bob) = (test.as_principal(Principal::new("ann")), test.as_principal(Principal::new("bob")));
        for _ in 0..3 {
            ann.get("/reports").await.expect(200);
        }
        ann.get("/reports").await.problem("too_many_requests");
        bob.get("/reports").await.expect(200);
        test.get("/reports").await.expect(200);
    });
}

#[test]
fn refused_access_counts_and_beyond_the_limit_comes_first() {
    http::on_each_backend(async |database| {
        let ann = test(database).await.as_principal(Principal::new("ann"));
        for _ in 0..3 {
            ann.post("/reports", json!({ "title": "A" })).await.problem("permission_denied");
        }
        ann.post("/reports", json!({ "title": "A" })).await.problem("too_many_requests");
    });
}

#[test]
fn refused_credentials_count_for_their_network() {
    http::on_each_backend(async |database| {
        let test = test(database).await;
        let forged = || test.post("/reports", json!({ "title": "A" })).header("authorization", "Bearer forged");
        for _ in 0..3 {
            forged().await.expect(401);
        }
        forged().await.problem("too_many_requests");
        test.get("/reports").await.problem("too_many_requests");
        test.as_principal(Principal::new("ann")).get("/reports").await.expect(200);
    });
}

#[test]
fn limit_of_an_own_route_is_its_own() {
    http::on_each_backend(async |database| {
        let ann = test(database).await.as_principal(Principal::new("ann"));
        let sent = ann.post("/letters", json!({})).await.expect(204);
        assert_eq!(sent.header("ratelimit-policy"), Some("\"default\";q=1;w=3600"));
        ann.post("/letters", json!({})).await.problem("too_many_requests");
        assert_eq!(ann.get("/reports").await.expect(200).header("ratelimit"), Some("\"default\";r=2;t=60"));
        assert_eq!(ann.get("/health").await.expect(200).header("ratelimit"), None);
    });
}

#[test]
fn options_of_the_service_override_the_limit_of_the_struct() {
    http::on_each_backend(async |database| {
        let service = database.service().await.without_auth();
        let open = service.resource_with::<Report>(|options| options.rate_limit(None));
        let test = open.test().await.expect("the service");
        for _ in 0..5 {
            assert_eq!(test.get("/reports").await.expect(200).header("ratelimit"), None);
        }
    });
}

#[test]
fn document_has_the_limits() {
    http::on_each_backend(async |database| {
        let document = test(database).await.get("/openapi.json").await.expect(200).json();
        for (path, method, status) in
            [("/reports", "get", "200"), ("/reports/totals", "get", "204"), ("/letters", "post", "204")]
        {
            let responses = &document["paths"][path][method]["responses"];
            assert!(responses["429"].is_object(), "{path}");
            assert!(responses[status]["headers"]["RateLimit"].is_object(), "{path}: {responses}");
            assert!(responses[status]["headers"]["RateLimit-Policy"].is_object(), "{path}");
        }
        assert!(document["paths"]["/health"]["get"]["responses"]["429"].is_null());
    });
}
