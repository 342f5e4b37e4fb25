//! Refresh tokens for single use.

use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::join_all;

use crate::support::{
    ADA, PASSWORD, Tokens, auth, claims_with, login, on_service, part, profile, refresh, sign, try_login,
};

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
fn session_that_rotates_while_the_password_changes_ends() {
    on_service(rotating, async |api, users| {
        let mut password = PASSWORD.to_owned();
        for round in 0..3 {
            let mut stolen = Tokens::from_body(&try_login(api, ADA, &password).await.ok()).refresh;
            password = format!("{PASSWORD} {round}");
            let is_changed = AtomicBool::new(false);
            let change = async {
                users.set_password(ADA, &password).await.expect("another password");
                is_changed.store(true, Ordering::Relaxed);
            };
            let rotate = async {
                // The last refresh begins after the change, with a token of just before it.
                loop {
                    let is_last = is_changed.load(Ordering::Relaxed);
                    let answer = refresh(api, &stolen).await;
                    if answer.status() != 200 || is_last {
                        return answer;
                    }
                    stolen = Tokens::from_body(answer.json()).refresh;
                }
            };
            let ((), last) = tokio::join!(change, rotate);
            last.expect(401).problem("refresh_failed");
        }
    });
}

#[test]
fn enabled_user_cannot_rotate_an_earlier_session() {
    on_service(rotating, async |api, users| {
        let token = login(api).await.refresh;
        users.disable(ADA).await.expect("a disabled user");
        users.enable(ADA).await.expect("an enabled user");
        refresh(api, &token).await.expect(401).problem("refresh_failed");
        refresh(api, &login(api).await.refresh).await.ok();
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
