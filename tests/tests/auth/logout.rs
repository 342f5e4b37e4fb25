//! `POST /auth/logout`, and revoked tokens.

use crud_tests::{Answer, Api, on_each_backend};
use serde_json::json;

use crate::support::{ADA, PASSWORD, Tokens, auth, claims, login, on_service, part, profile, refresh, sign};

fn revocable() -> crud_runtime::auth::AuthBuilder {
    auth().logout()
}

async fn logout(api: &Api, token: &str) -> Answer {
    api.request(reqwest::Method::POST, "/auth/logout").header("authorization", &format!("Bearer {token}")).await
}

#[test]
fn logout_revokes_every_token_of_its_session() {
    for auth in [revocable, || revocable().rotate_refresh_tokens()] {
        on_service(auth, async |api, _| {
            let first = login(api).await;
            let second = Tokens::from_body(&refresh(api, &first.refresh).await.ok());
            let other = login(api).await;
            logout(api, &second.access).await.expect(204);
            for token in [&first.access, &second.access] {
                assert_eq!(profile(api, token).await.expect(401).problem("invalid_token").detail, "invalid token");
                logout(api, token).await.expect(401).problem("invalid_token");
            }
            for token in [&first.refresh, &second.refresh] {
                refresh(api, token).await.expect(401).problem("refresh_failed");
            }
            profile(api, &other.access).await.ok();
            refresh(api, &other.refresh).await.ok();
            profile(api, &login(api).await.access).await.ok();
        });
    }
}

#[test]
fn logout_requires_an_access_token() {
    on_service(revocable, async |api, _| {
        api.request(reqwest::Method::POST, "/auth/logout").await.expect(401).problem("authentication_failed");
        logout(api, &login(api).await.refresh).await.expect(401).problem("invalid_token");
        assert_eq!(api.get("/auth/logout").await.expect(405).allow(), ["OPTIONS", "POST"]);
    });
}

#[test]
fn token_without_an_id_is_rejected_where_tokens_are_revocable() {
    on_service(revocable, async |api, _| {
        profile(api, &sign(&claims())).await.expect(401).problem("invalid_token");
    });
}

#[test]
fn tokens_and_sessions_are_revoked_by_id() {
    on_each_backend(async |database| {
        let service = database.service().await.auth(revocable().build().expect("the authentication"));
        let service = service.migrate().await.expect("the tables");
        service.users().create_user(ADA, PASSWORD).await.expect("the user");
        let state = service.state().expect("the state");
        let api = Api::start(database, service).await;
        let auth = state.auth().expect("authentication");
        let (one, other) = (login(&api).await, login(&api).await);
        let id = part(&one.access, 1)["jti"].as_str().expect("an id").to_owned();
        for _ in 0..2 {
            auth.revoke(&id).await.expect("revoked, twice");
        }
        profile(&api, &one.access).await.expect(401).problem("invalid_token");
        let refreshed = Tokens::from_body(&refresh(&api, &one.refresh).await.ok());
        profile(&api, &refreshed.access).await.ok();
        auth.revoke(part(&one.access, 1)["sid"].as_str().expect("a session")).await.expect("revoked");
        profile(&api, &refreshed.access).await.expect(401).problem("invalid_token");
        refresh(&api, &one.refresh).await.expect(401).problem("refresh_failed");
        profile(&api, &other.access).await.ok();
        api.stop().await;
    });
}

#[test]
fn logout_persists_across_a_restart() {
    on_each_backend(async |database| {
        let start = async || {
            let service = database.service().await.auth(revocable().build().expect("the authentication"));
            let service = service.migrate().await.expect("the tables");
            // On the second start the user exists.
            service.users().create_user(ADA, PASSWORD).await.ok();
            Api::start(database, service).await
        };
        let api = start().await;
        let (ended, open) = (login(&api).await, login(&api).await);
        logout(&api, &ended.access).await.expect(204);
        api.stop().await;
        let api = start().await;
        profile(&api, &ended.access).await.expect(401).problem("invalid_token");
        profile(&api, &open.access).await.ok();
        api.stop().await;
    });
}

#[test]
fn logout_ignores_its_body() {
    on_service(revocable, async |api, _| {
        let token = login(api).await.access;
        let request = api.post("/auth/logout", &json!({ "refresh_token": "x" }));
        request.header("authorization", &format!("Bearer {token}")).await.expect(204);
    });
}

/// Claims of an access token with an id, of another issuer that has the key.
fn with_id(changes: &serde_json::Value) -> serde_json::Value {
    let mut claims = claims();
    claims["jti"] = json!("0192f0c1-7a5b-7c3d-8e4f-5a6b7c8d9e0f");
    for (name, value) in changes.as_object().expect("an object") {
        claims[name] = value.clone();
    }
    claims
}

#[test]
fn token_that_cannot_be_revoked_is_rejected() {
    on_service(revocable, async |api, _| {
        let good = sign(&with_id(&json!({})));
        profile(api, &good).await.ok();
        logout(api, &good).await.expect(204);
        profile(api, &good).await.expect(401);
        for changes in [
            json!({ "jti": "x".repeat(300) }),
            json!({ "jti": "a\0b" }),
            json!({ "jti": "" }),
            json!({ "jti": "fine", "sid": "x".repeat(300) }),
            json!({ "jti": "fine", "sid": "a\0b" }),
            json!({ "jti": "fine", "exp": 1_900_000_000_000_i64 }),
            json!({ "jti": "fine", "exp": i64::MAX }),
            json!({ "jti": "fine", "exp": 1e300 }),
        ] {
            let token = sign(&with_id(&changes));
            profile(api, &token).await.expect(401).problem("invalid_token");
            logout(api, &token).await.expect(401).problem("invalid_token");
        }
        let latest = sign(&with_id(&json!({ "jti": "of the last year", "exp": 253_402_300_798_i64 })));
        profile(api, &latest).await.ok();
        logout(api, &latest).await.expect(204);
        profile(api, &latest).await.expect(401);
    });
}
