//! `GET /profile`

use serde_json::json;

use crate::support::{auth, claims, claims_with, login, on_service, profile, sign};

#[test]
fn a_profile_is_the_user_and_her_roles() {
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
fn without_a_token_there_is_none() {
    on_service(auth, async |api, _| {
        let answer = api.get("/profile").await.expect(401);
        assert_eq!(answer.header("www-authenticate"), Some("Bearer realm=\"api\""));
        assert_eq!(answer.problem("authentication_failed").detail, "authentication failed");
    });
}

#[test]
fn roles_may_be_missing_but_not_of_another_type() {
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
