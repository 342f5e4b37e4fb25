//! Refresh tokens for single use.

use futures_util::future::join_all;

use crate::support::{ADA, Tokens, auth, claims_with, login, on_service, part, profile, refresh, sign};

fn rotating() -> crud_runtime::auth::AuthBuilder {
    auth().rotate_refresh_tokens()
}

#[test]
fn every_refresh_returns_a_new_refresh_token() {
    on_service(rotating, async |api, _| {
        let first = login(api).await;
        let second = Tokens::from_body(&refresh(api, &first.refresh).await.ok());
        let third = Tokens::from_body(&refresh(api, &second.refresh).await.ok());
        assert!(first.refresh != second.refresh && second.refresh != third.refresh);
        let sessions = [&first, &second, &third].map(|tokens| part(&tokens.refresh, 1)["sid"].clone());
        assert!(sessions[0].is_string() && sessions.iter().all(|session| *session == sessions[0]));
        profile(api, &third.access).await.ok();
    });
}

#[test]
fn reused_refresh_token_ends_its_session() {
    on_service(rotating, async |api, _| {
        let (stolen, other) = (login(api).await, login(api).await);
        let newest = Tokens::from_body(&refresh(api, &stolen.refresh).await.ok());
        let problem = refresh(api, &stolen.refresh).await.expect(401).problem("refresh_failed");
        assert_eq!(problem.detail, "the refresh token was already used");
        refresh(api, &newest.refresh).await.expect(401).problem("refresh_failed");
        refresh(api, &other.refresh).await.ok();
        login(api).await;
    });
}

#[test]
fn at_most_one_of_concurrent_refreshes_succeeds() {
    on_service(rotating, async |api, _| {
        for _ in 0..5 {
            let token = login(api).await.refresh;
            let answers = join_all((0..8).map(|_| refresh(api, &token))).await;
            let refreshed: Vec<_> = answers.iter().filter(|answer| answer.status() == 200).collect();
            assert!(refreshed.len() <= 1, "{} of them", refreshed.len());
            for answer in refreshed {
                refresh(api, &Tokens::from_body(answer.json()).refresh).await.expect(401).problem("refresh_failed");
            }
        }
    });
}

#[test]
fn failed_refresh_does_not_use_up_the_token() {
    on_service(rotating, async |api, users| {
        let token = login(api).await.refresh;
        users.disable(ADA).await.expect("a disabled user");
        refresh(api, &token).await.expect(401);
        users.enable(ADA).await.expect("an enabled user");
        refresh(api, &token).await.ok();
    });
}

#[test]
fn refresh_token_without_a_session_is_rejected() {
    on_service(rotating, async |api, _| {
        for changes in [serde_json::json!({}), serde_json::json!({ "jti": "a" }), serde_json::json!({ "sid": "a" })] {
            let mut claims = claims_with(&changes);
            claims["type"] = "refresh".into();
            refresh(api, &sign(&claims)).await.expect(401).problem("refresh_failed");
        }
    });
}
