//! `GET /profile`

use serde_json::json;

use crate::support::{auth, claims, claims_with, login, on_service, profile, sign};

#[test]
fn profile_returns_the_users_id_and_roles() {
    on_service(auth, async |api, _| {
        let token = login(api).await.access;
        let answer = profile(api, &token).await;
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert_eq!(answer.ok(), json!({ "user_id": "1", "roles": ["editor"] }));
        let head = api.head("/profile").header("authorization", &format!("Bearer {token}")).await.expect(200);
        assert_eq!(head.header("content-length"), Some("34"));
    });
}

#[test]
fn profile_requires_a_token() {
    on_service(auth, async |api, _| {
        let answer = api.get("/profile").await.expect(401);
        assert_eq!(answer.header("www-authenticate"), Some("Bearer realm=\"api\""));
        assert_eq!(answer.header("link"), Some("</auth/login>; rel=\"login\""), "where a token is had");
        assert_eq!(answer.problem("authentication_failed").detail, "authentication failed");
    });
}

#[test]
fn roles_claim_is_optional_but_must_be_a_list_of_texts() {
    on_service(auth, async |api, _| {
        let bare = sign(&claims_with(&json!({ "roles": null, "permissions": null, "iat": null })));
        assert_eq!(profile(api, &bare).await.ok(), json!({ "user_id": "1", "roles": [] }));
        for roles in [json!("admin"), json!({ "admin": true }), json!([1]), json!([["admin"]])] {
            let mut claims = claims();
            claims["roles"] = roles;
            profile(api, &sign(&claims)).await.expect(401).problem("invalid_token");
        }
    });
}
