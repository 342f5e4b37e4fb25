//! `POST /auth/refresh`

use serde_json::{Value, json};

use crate::support::{
    ADA, PASSWORD, Tokens, auth, claims_with, login, on_service, part, profile, refresh, sign, try_login,
};

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
    });
}

#[test]
fn enabled_user_must_log_in_again() {
    on_service(auth, async |api, users| {
        let tokens = login(api).await;
        users.disable(ADA).await.expect("a disabled user");
        users.enable(ADA).await.expect("an enabled user");
        refresh(api, &tokens.refresh).await.expect(401).problem("refresh_failed");
        let again = login(api).await;
        users.enable(ADA).await.expect("a user that is enabled already");
        refresh(api, &again.refresh).await.ok();
    });
}

#[test]
fn changed_password_ends_sessions_of_the_same_second() {
    on_service(auth, async |api, users| {
        let mut password = PASSWORD.to_owned();
        for round in 0..3 {
            let before = Tokens::from_body(&try_login(api, ADA, &password).await.ok()).refresh;
            refresh(api, &before).await.ok();
            password = format!("{PASSWORD} {round}");
            users.set_password(ADA, &password).await.expect("another password");
            refresh(api, &before).await.expect(401).problem("refresh_failed");
        }
        let after = Tokens::from_body(&try_login(api, ADA, &password).await.ok()).refresh;
        users.set_roles(ADA, ["reader"]).await.expect("other roles");
        refresh(api, &after).await.ok();
    });
}

#[test]
fn refresh_token_of_another_generation_is_refused() {
    on_service(auth, async |api, users| {
        let with_generation = |generation: Value| sign(&claims_with(&json!({ "type": "refresh", "gen": generation })));
        refresh(api, &with_generation(json!(null))).await.ok();
        refresh(api, &with_generation(json!("x"))).await.expect(401).problem("refresh_failed");
        users.set_password(ADA, "another password").await.expect("another password");
        for generation in [json!(null), json!(""), json!("x"), json!(1)] {
            refresh(api, &with_generation(generation)).await.expect(401).problem("refresh_failed");
        }
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
