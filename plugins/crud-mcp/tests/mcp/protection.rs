//! Tokens: where clients get them, and that every call needs one.

use crud_mcp::Mcp;
use crud_runtime::prelude::*;
use crud_tests::{on_each_backend, on_sqlite};
use serde_json::json;

use crate::support::{call, called, request, with, workshop};

#[test]
fn requests_without_a_token_learn_where_to_log_in() {
    on_each_backend(async |database| {
        let issuer = "https://login.example/realms/shop";
        let test = with(database, Mcp::new().authorization_server(issuer)).await;
        let refusal = request(&test, "server/discover", json!({})).header("host", "shop.example").await;
        let challenge = refusal.header("www-authenticate").expect("a challenge").to_owned();
        let metadata = "resource_metadata=\"https://shop.example/.well-known/oauth-protected-resource/mcp\"";
        assert!(challenge.starts_with("Bearer ") && challenge.ends_with(metadata), "{challenge}");
        refusal.problem("authentication_failed");
        let stale = request(&test, "tools/list", json!({})).header("authorization", "Bearer x.y.z").await;
        assert!(stale.header("www-authenticate").is_some_and(|it| it.contains("resource_metadata")));
        stale.problem("invalid_token");
        let elsewhere = test.get("/jobs").await;
        assert!(elsewhere.header("www-authenticate").is_some_and(|it| !it.contains("resource_metadata")));

        let metadata = test.get("/.well-known/oauth-protected-resource/mcp").header("host", "shop.example");
        let metadata = metadata.await.expect(200).json();
        let resource = json!({
            "resource": "https://shop.example/mcp", "bearer_methods_supported": ["header"], "authorization_servers": [issuer],
        });
        assert_eq!(metadata, resource);
        let local = test.get("/.well-known/oauth-protected-resource/mcp").header("host", "localhost:8000");
        assert_eq!(local.await.expect(200).json()["resource"], "http://localhost:8000/mcp");
    });
}

#[test]
fn metadata_has_the_stated_url_of_the_service() {
    on_sqlite(async |database| {
        let service = workshop(database).await.plugin(Mcp::new().path("/agents")).expect("one plugin");
        let service = service.server(|server| server.public_url("https://api.example/"));
        let test = service.test().await.expect("the tables");
        let metadata = test.get("/.well-known/oauth-protected-resource/agents").header("host", "evil.example");
        assert_eq!(metadata.await.expect(200).json()["resource"], "https://api.example/agents");
    });
}

#[test]
fn public_endpoint_shows_what_is_public() {
    on_each_backend(async |database| {
        let test = with(database, Mcp::new().public().writes()).await;
        let names = call(&test, "resources", json!({})).await;
        assert_eq!(
            names,
            json!({ "resources": [{ "name": "machines", "can": ["list", "get"], "about": "A machine of the workshop." }] })
        );
        test.get("/.well-known/oauth-protected-resource/mcp").await.expect(404);
        let answer = called(&test, "create", json!({ "resource": "machines", "values": { "name": "x" } })).await;
        assert_eq!(answer.json()["result"]["structuredContent"]["code"], "authentication_failed");
    });
}

#[test]
fn service_without_authentication_needs_no_token() {
    on_sqlite(async |database| {
        let service = database.service().await.without_auth().resource::<crate::support::Machine>();
        let test = service.plugin(Mcp::new().writes()).expect("one plugin").test().await.expect("the tables");
        let made = call(&test, "create", json!({ "resource": "machines", "values": { "name": "Lathe" } })).await;
        assert_eq!(made["record"]["name"], "Lathe");
    });
}

#[test]
fn calls_of_one_user_are_limited() {
    on_sqlite(async |database| {
        use std::time::Duration;

        use crud_runtime::RateLimit;
        let test = with(database, Mcp::new().rate_limit(RateLimit::new(2, Duration::from_mins(1)))).await;
        let (ann, bob) = (test.as_principal(Principal::new("ann")), test.as_principal(Principal::new("bob")));
        for _ in 0..2 {
            request(&ann, "tools/list", json!({})).await.expect(200);
        }
        request(&ann, "tools/list", json!({})).await.problem("too_many_requests");
        request(&bob, "tools/list", json!({})).await.expect(200);
    });
}
