//! A new password for one that is forgotten.

use std::future::IntoFuture;
use std::time::Duration;

use crud_accounts::Accounts;
use crud_tests::{wait_until, within_pauses};
use serde_json::json;

use crate::support::{ANN, BOB, PASSWORD, Shop, assert_used, on_shop};

const NEW: &str = "another horse";

async fn reset(shop: &Shop, token: &str) -> crud_runtime::testing::TestAnswer {
    shop.post("/auth/reset", json!({ "token": token, "password": NEW })).await
}

#[test]
fn reset_ends_all_sessions_and_logs_nobody_in() {
    on_shop(Accounts::new, async |shop, _| {
        let (first, other) = (shop.sign_up(ANN).await, shop.sign_up(BOB).await);
        let second = shop.login(ANN).await;
        shop.post("/auth/forgot", json!({ "email": ANN })).await.expect(202);
        let token = shop.token_for(ANN).await;
        let answer = reset(shop, &token).await.expect(204);
        assert!(answer.bytes().is_empty() && answer.header("set-cookie").is_none());
        for ended in [&first, &second] {
            assert_eq!(shop.get_as(&ended.access, "/profile").await.status(), 401);
            shop.try_refresh(ended).await.problem("refresh_failed");
        }
        shop.get_as(&other.access, "/profile").await.expect(200);
        shop.try_login(ANN, PASSWORD).await.problem("invalid_credentials");
        shop.try_login(ANN, NEW).await.expect(200);
        assert_used(&reset(shop, &token).await);
    });
}

#[test]
fn reset_whose_client_leaves_ends_all_sessions_too() {
    on_shop(Accounts::new, async |shop, database| {
        shop.sign_up(ANN).await;
        let hash = async || database.texts("SELECT password_hash FROM auth_users").await;
        let (mut token, mut session, mut former) = (String::new(), shop.login(ANN).await, hash().await);
        for pauses in 0.. {
            if token.is_empty() {
                shop.test.clock().advance(Duration::from_hours(1));
                shop.post("/auth/forgot", json!({ "email": ANN })).await.expect(202);
                (token, session) = (shop.token_for(ANN).await, shop.login(ANN).await);
            }
            let body = json!({ "token": token, "password": PASSWORD });
            let mut reset = Box::pin(shop.test.post("/auth/reset", body).into_future());
            let status = within_pauses(pauses, &mut reset).await.map(|answer| answer.status());
            drop(reset);
            if status == Some(204) {
                break;
            }
            if status.is_some() || hash().await != former {
                let is_ended = async || shop.get_as(&session.access, "/profile").await.status() == 401;
                wait_until("the end of the session", is_ended).await;
                (token, former) = (String::new(), hash().await);
            }
        }
    });
}

/// A thief may begin many sessions, so that the first one is not among the most recent.
#[test]
fn reset_ends_more_sessions_than_a_list_has() {
    on_shop(Accounts::new, async |shop, database| {
        let first = shop.sign_up(ANN).await;
        let subject = &database.texts("SELECT subject FROM accounts_session").await[0];
        let later = database.time_literal("2100-01-01T00:00:00.000000Z");
        let row = |number: usize| format!("('{number}', '{subject}', {later}, {later}, {later})");
        let rows: Vec<String> = (0..1000).map(row).collect();
        let columns = "(id, subject, started_at, refreshed_at, expires_at)";
        database.execute(&format!("INSERT INTO accounts_session {columns} VALUES {}", rows.join(", "))).await;
        shop.post("/auth/forgot", json!({ "email": ANN })).await.expect(202);
        let token = shop.token_for(ANN).await;
        reset(shop, &token).await.expect(204);
        assert_eq!(shop.get_as(&first.access, "/profile").await.status(), 401);
        assert!(database.texts("SELECT id FROM accounts_session").await.is_empty());
    });
}

#[test]
fn address_without_an_account_gets_no_mail() {
    on_shop(Accounts::new, async |shop, _| {
        shop.sign_up(ANN).await;
        shop.test.users().disable(ANN).await.expect("the user");
        for address in [ANN, BOB] {
            shop.post("/auth/forgot", json!({ "email": address })).await.expect(202);
        }
        assert_eq!(shop.mails().await.len(), 0);
    });
}

#[test]
fn token_of_a_reset_is_valid_for_an_hour() {
    on_shop(Accounts::new, async |shop, _| {
        shop.sign_up(ANN).await;
        shop.post("/auth/forgot", json!({ "email": ANN })).await.expect(202);
        let token = shop.token_for(ANN).await;
        shop.test.clock().advance(Duration::from_hours(1));
        assert_used(&reset(shop, &token).await);
    });
}

#[test]
fn token_is_for_its_own_purpose() {
    on_shop(Accounts::new, async |shop, _| {
        shop.sign_up(ANN).await;
        shop.post("/auth/forgot", json!({ "email": ANN })).await.expect(202);
        let of_reset = shop.token_for(ANN).await;
        assert_used(&shop.try_verify(&of_reset).await);
        assert_used(&shop.post("/auth/email/confirm", json!({ "token": of_reset })).await);
        shop.post("/auth/register", json!({ "email": BOB })).await.expect(202);
        let of_sign_up = shop.token_for(BOB).await;
        assert_used(&reset(shop, &of_sign_up).await);
        reset(shop, &of_reset).await.expect(204);
        shop.verify(&of_sign_up).await;
    });
}
