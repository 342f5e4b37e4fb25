//! The sessions of the caller.

use crud_accounts::Accounts;
use serde_json::json;

use crate::support::{ANN, BOB, PASSWORD, Tokens, on_shop};

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
