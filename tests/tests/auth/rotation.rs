//! Refresh tokens for single use.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crud_runtime::prelude::Utc;
use crud_runtime::testing::{Test, TestAnswer};
use crud_tests::on_each_backend;
use futures_util::future::join_all;
use serde_json::json;

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

/// A service that rotates, with the one user, whose clock stands still.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_stopped_clock(test: impl AsyncFn(&Test)) {
    on_each_backend(async |database| {
        let service = database.service().await.auth(rotating().logout().build().expect("the authentication"));
        let service = service.test().await.expect("the service");
        service.users().create_user(ADA, PASSWORD).await.expect("the user");
        service.clock().set(Utc::now());
        test(&service).await;
    });
}

async fn logged_in(test: &Test) -> Tokens {
    let login = test.post("/auth/login", json!({ "username": ADA, "password": PASSWORD })).await;
    Tokens::from_body(&login.expect(200).json())
}

async fn refreshed(test: &Test, token: &str) -> TestAnswer {
    test.post("/auth/refresh", json!({ "refresh_token": token })).await
}

async fn successor(test: &Test, token: &str) -> String {
    Tokens::from_body(&refreshed(test, token).await.expect(200).json()).refresh
}

#[test]
fn refresh_token_that_is_used_after_the_grace_ends_its_session() {
    on_stopped_clock(async |test| {
        let (stolen, other) = (logged_in(test).await, logged_in(test).await);
        let newest = successor(test, &stolen.refresh).await;
        test.clock().advance(Duration::from_secs(21));
        let problem = refreshed(test, &stolen.refresh).await.problem("refresh_failed");
        assert_eq!(problem["detail"], "the refresh token was already used");
        refreshed(test, &newest).await.problem("refresh_failed");
        successor(test, &other.refresh).await;
        logged_in(test).await;
    });
}

/// A browser with several tabs sends one token for each.
#[test]
fn concurrent_refreshes_get_one_successor() {
    on_service(rotating, async |api, _| {
        for _ in 0..5 {
            let token = login(api).await.refresh;
            let answers = join_all((0..8).map(|_| refresh(api, &token))).await;
            let tokens: Vec<_> = answers.into_iter().map(|answer| Tokens::from_body(&answer.ok()).refresh).collect();
            let ids: BTreeSet<_> = tokens.iter().map(|token| part(token, 1)["jti"].to_string()).collect();
            assert_eq!(ids.len(), 1);
            for token in tokens {
                refresh(api, &token).await.ok();
            }
        }
    });
}

#[test]
fn used_refresh_token_gets_its_successor_within_the_grace() {
    on_stopped_clock(async |test| {
        let first = logged_in(test).await.refresh;
        let second = successor(test, &first).await;
        let third = successor(test, &second).await;
        test.clock().advance(Duration::from_secs(18));
        let ids = [successor(test, &first).await, second.clone()].map(|token| part(&token, 1)["jti"].clone());
        assert_eq!(ids[0], ids[1]);
        // The grace is that of the first use: another one does not begin it anew.
        test.clock().advance(Duration::from_secs(3));
        refreshed(test, &first).await.problem("refresh_failed");
        refreshed(test, &third).await.problem("refresh_failed");
    });
}

#[test]
fn used_refresh_token_of_a_session_that_ended_is_refused() {
    on_stopped_clock(async |test| {
        let tokens = logged_in(test).await;
        successor(test, &tokens.refresh).await;
        let logout = test.post("/auth/logout", json!({})).header("authorization", format!("Bearer {}", tokens.access));
        logout.await.expect(204);
        refreshed(test, &tokens.refresh).await.problem("refresh_failed");
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
