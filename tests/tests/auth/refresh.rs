//! `POST /auth/refresh`

use serde_json::json;

use crate::support::{ADA, Tokens, auth, claims_with, login, on_service, part, profile, refresh, sign, try_login};

#[test]
fn refresh_returns_a_new_access_token_and_the_same_refresh_token() {
    on_service(auth, async |api, _| {
        let tokens = login(api).await;
        let answer = refresh(api, &tokens.refresh).await.expect(200);
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        let body = answer.json();
        assert_eq!(body["expires_in"], 900);
        let refreshed = Tokens::from_body(body);
        assert_eq!(refreshed.refresh, tokens.refresh);
        assert_eq!(profile(api, &refreshed.access).await.ok()["roles"], json!(["editor"]));
        refresh(api, &refreshed.refresh).await.ok();
    });
}

#[test]
fn refresh_uses_the_users_current_roles() {
    on_service(auth, async |api, users| {
        let tokens = login(api).await;
        users.set_roles(ADA, ["reader"]).await.expect("other roles");
        users.set_permissions(ADA, ["orders:read"]).await.expect("other permissions");
        let refreshed = Tokens::from_body(&refresh(api, &tokens.refresh).await.ok());
        let claims = part(&refreshed.access, 1);
        assert_eq!((&claims["roles"], &claims["permissions"]), (&json!(["reader"]), &json!(["orders:read"])));
        // An ordinary request does not read the user.
        assert_eq!(profile(api, &tokens.access).await.ok()["roles"], json!(["editor"]));
    });
}

#[test]
fn disabled_user_cannot_refresh() {
    on_service(auth, async |api, users| {
        let tokens = login(api).await;
        users.disable(ADA).await.expect("a disabled user");
        refresh(api, &tokens.refresh).await.expect(401).problem("refresh_failed");
        users.enable(ADA).await.expect("an enabled user");
        refresh(api, &tokens.refresh).await.ok();
    });
}

#[test]
fn changed_password_ends_earlier_sessions() {
    on_service(auth, async |api, users| {
        let now = jsonwebtoken::get_current_timestamp();
        let before = sign(&claims_with(&json!({ "type": "refresh", "iat": now - 2 })));
        refresh(api, &before).await.ok();
        users.set_password(ADA, "another password").await.expect("another password");
        refresh(api, &before).await.expect(401).problem("refresh_failed");
        let timeless = sign(&claims_with(&json!({ "type": "refresh", "iat": null })));
        refresh(api, &timeless).await.expect(401).problem("refresh_failed");
        let after = try_login(api, ADA, "another password").await.ok();
        refresh(api, &Tokens::from_body(&after).refresh).await.ok();
    });
}

#[test]
fn unknown_subject_cannot_refresh() {
    on_service(auth, async |api, _| {
        for subject in ["2", "01", "+1", "1.0", "ada", "9223372036854775808"] {
            let token = sign(&claims_with(&json!({ "sub": subject, "type": "refresh" })));
            refresh(api, &token).await.expect(401).problem("refresh_failed");
        }
    });
}

#[test]
fn failed_refresh_reports_the_reason() {
    on_service(auth, async |api, _| {
        let now = jsonwebtoken::get_current_timestamp();
        let expired = sign(&claims_with(&json!({ "type": "refresh", "exp": now - 1 })));
        assert_eq!(refresh(api, &expired).await.expect(401).problem("refresh_failed").detail, "token expired");
        for token in ["", "x", "a.b.c", &login(api).await.access] {
            assert_eq!(refresh(api, token).await.expect(401).problem("refresh_failed").detail, "invalid token");
        }
    });
}
