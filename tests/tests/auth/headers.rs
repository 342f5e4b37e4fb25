//! Tokens in the wrong place or in a malformed header.

use std::fmt::Write;

use crud_tests::{Api, RawConnection};
use serde_json::json;

use crate::support::{auth, claims_with, login, on_service, refresh, sign};

async fn assert_rejected(api: &Api, values: &[&str], code: &str) {
    let request = values.iter().fold(api.get("/profile"), |request, value| request.header("authorization", value));
    let detail = request.await.expect(401).problem(code).detail;
    assert_eq!(detail, code.replace('_', " "), "{values:?}");
}

#[test]
fn scheme_is_case_insensitive() {
    on_service(auth, async |api, _| {
        let token = login(api).await.access;
        for scheme in ["Bearer", "bearer", "BEARER", "bEaReR"] {
            api.get("/profile").header("authorization", &format!("{scheme} {token}")).await.ok();
        }
        api.get("/profile").header("authorization", &format!("Bearer   {token}")).await.ok();
    });
}

#[test]
fn unknown_scheme_is_unauthenticated() {
    on_service(auth, async |api, _| {
        let token = login(api).await.access;
        for value in [
            "Basic YWRhOmNvcnJlY3QgaG9yc2U=",
            &format!("Token {token}"),
            &token,
            "Bearer",
            "",
            &format!("Bearer\t{token}"),
        ] {
            assert_rejected(api, &[value], "authentication_failed").await;
        }
    });
}

#[test]
fn several_authorization_headers_are_rejected() {
    on_service(auth, async |api, _| {
        let good = format!("Bearer {}", login(api).await.access);
        for values in [[good.as_str(), good.as_str()], [&good, "Bearer x"], ["Bearer x", &good], ["Basic x", &good]] {
            assert_rejected(api, &values, "authentication_failed").await;
        }
        assert_rejected(api, &[&format!("{good}, {good}")], "invalid_token").await;
        assert_rejected(api, &[&format!("{good} {good}")], "invalid_token").await;
    });
}

#[test]
fn oversized_token_is_rejected() {
    on_service(auth, async |api, _| {
        let huge = "a".repeat(31 * 1024);
        assert_rejected(api, &[&format!("Bearer {huge}")], "invalid_token").await;
        // Even with a valid signature.
        let roles: Vec<String> = (0..1500).map(|number| format!("role-{number}")).collect();
        let signed = sign(&claims_with(&json!({ "roles": roles })));
        assert!(signed.len() > 16 * 1024 && signed.len() < 31 * 1024, "{}", signed.len());
        assert_rejected(api, &[&format!("Bearer {signed}")], "invalid_token").await;
        refresh(api, &"a".repeat(20_000)).await.expect(401).problem("refresh_failed");
    });
}

#[test]
fn token_outside_the_authorization_header_is_ignored() {
    on_service(auth, async |api, _| {
        let token = login(api).await.access;
        for name in ["access_token", "token", "authorization", "bearer"] {
            api.get(format!("/profile?{name}={token}")).await.expect(401).problem("authentication_failed");
            api.get("/profile").header("cookie", &format!("{name}={token}")).await.problem("authentication_failed");
        }
        api.get("/profile")
            .header("proxy-authorization", &format!("Bearer {token}"))
            .await
            .problem("authentication_failed");
    });
}

#[test]
fn authorization_header_must_be_ascii() {
    on_service(auth, async |api, _| {
        for value in [&b"Bearer \xff\xfe"[..], b"Bearer \xc3\xa9", b"\xffBearer x"] {
            let mut raw = RawConnection::connect(api.address()).await;
            let mut head = b"GET /profile HTTP/1.1\r\nHost: x\r\nAuthorization: ".to_vec();
            head.extend_from_slice(value);
            head.extend_from_slice(b"\r\n\r\n");
            raw.send(head).await;
            assert_eq!(raw.answer().await.expect("an answer").status, 401);
        }
        let mut many = "GET /profile HTTP/1.1\r\nHost: x\r\n".to_owned();
        for _ in 0..50 {
            write!(many, "Authorization: Bearer x\r\n").expect("a string");
        }
        let mut raw = RawConnection::connect(api.address()).await;
        raw.send(many + "\r\n").await;
        assert_eq!(raw.answer().await.expect("an answer").status, 401);
    });
}
