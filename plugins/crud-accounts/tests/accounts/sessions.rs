//! The sessions of the caller.

use std::time::Duration;

use crud_accounts::Accounts;
use crud_runtime::auth::Auth;
use crud_tests::on_each_sql_backend;
use serde_json::json;

use crate::support::{ANN, BOB, PASSWORD, Shop, Tokens, on_shop, service};

#[test]
fn person_lists_and_ends_own_sessions() {
    on_shop(Accounts::new, async |shop, _| {
        let first = shop.sign_up(ANN).await;
        let login = shop.test.post("/auth/login", json!({ "username": ANN, "password": PASSWORD }));
        let second = Tokens::of(&login.header("user-agent", "Firefox").await.expect(200).json());
        let list = shop.get_as(&first.access, "/auth/sessions").await.expect(200).json();
        let list = list.as_array().expect("a list");
        assert_eq!(list.len(), 2);
        let current: Vec<_> = list.iter().filter(|session| session["current"] == true).collect();
        assert_eq!(current.len(), 1);
        let other = list.iter().find(|session| session["user_agent"] == "Firefox").expect("the second");
        let path = format!("/auth/sessions/{}", other["id"].as_str().expect("an id"));
        shop.delete_as(&first.access, &path).await.expect(204);
        assert_eq!(shop.get_as(&second.access, "/profile").await.status(), 401);
        shop.try_refresh(&second).await.problem("refresh_failed");
        shop.get_as(&first.access, "/profile").await.expect(200);
        shop.delete_as(&first.access, &path).await.problem("not_found");
    });
}

#[test]
fn session_of_another_person_is_not_found() {
    on_shop(Accounts::new, async |shop, _| {
        let (ann, bob) = (shop.sign_up(ANN).await, shop.sign_up(BOB).await);
        let list = shop.get_as(&ann.access, "/auth/sessions").await.expect(200).json();
        let path = format!("/auth/sessions/{}", list[0]["id"].as_str().expect("an id"));
        shop.delete_as(&bob.access, &path).await.problem("not_found");
        shop.get_as(&ann.access, "/profile").await.expect(200);
    });
}

#[test]
fn logged_out_session_is_not_listed() {
    on_shop(Accounts::new, async |shop, _| {
        let (first, second) = (shop.sign_up(ANN).await, shop.login(ANN).await);
        shop.post_as(&second.access, "/auth/logout", json!({})).await.expect(204);
        let list = shop.get_as(&first.access, "/auth/sessions").await.expect(200).json();
        assert_eq!(list.as_array().expect("a list").len(), 1);
    });
}

#[test]
fn session_whose_refresh_token_is_not_replaced_is_listed_until_that_expires() {
    on_each_sql_backend(async |database| {
        let auth = || Auth::builder().secret("the secret of the tests, which is public").logout();
        let shop = Shop::start(async |outbox| service(database, auth(), Accounts::new().mailer(outbox)).await).await;
        let first = shop.sign_up(ANN).await;
        shop.test.clock().advance(Duration::from_hours(6 * 24));
        shop.try_refresh(&first).await.expect(200);
        shop.test.clock().advance(Duration::from_hours(2 * 24));
        shop.try_refresh(&first).await.problem("refresh_failed");
        let second = shop.login(ANN).await;
        let list = shop.get_as(&second.access, "/auth/sessions").await.expect(200).json();
        assert_eq!(list.as_array().map(Vec::len), Some(1), "{list}");
    });
}
