//! Sign-up: an address is proved before there is a user.

use std::time::Duration;

use crud_accounts::{Accounts, Letter};
use crud_runtime::auth::UserStore;
use serde_json::json;

use crate::support::{ANN, PASSWORD, URL, assert_used, link_of, on_shop, token_of};

#[test]
fn person_signs_up_by_the_link_of_a_mail() {
    on_shop(
        || Accounts::new().roles(["customer"]),
        async |shop, _| {
            shop.post("/auth/register", json!({ "email": " Ann@Example.com " })).await.expect(202);
            assert_eq!(shop.test.users().list().await.expect("the users"), []);
            let mails = shop.mails().await;
            assert_eq!((mails.len(), mails[0].to.as_str()), (1, ANN));
            assert_eq!(mails[0].subject, "Confirm your address for Shop");
            assert!(link_of(&mails[0]).starts_with(&format!("{URL}/account/verify#")), "{}", mails[0].text);
            let tokens = shop.verify(&token_of(&mails[0])).await;
            let profile = shop.get_as(&tokens.access, "/profile").await.expect(200).json();
            assert_eq!(profile, json!({ "user_id": "1", "roles": ["customer"] }));
            assert_eq!(shop.try_refresh(&tokens).await.status(), 200);
            shop.login(ANN).await;
            assert_used(&shop.try_verify(&token_of(&mails[0])).await);
        },
    );
}

#[test]
fn last_mail_counts() {
    on_shop(Accounts::new, async |shop, _| {
        shop.post("/auth/register", json!({ "email": ANN })).await.expect(202);
        let first = shop.token_for(ANN).await;
        shop.post("/auth/register", json!({ "email": ANN })).await.expect(202);
        let last = shop.token_for(ANN).await;
        assert_used(&shop.try_verify(&first).await);
        shop.verify(&last).await;
    });
}

#[test]
fn token_is_valid_for_a_day() {
    on_shop(Accounts::new, async |shop, _| {
        shop.post("/auth/register", json!({ "email": ANN })).await.expect(202);
        let token = shop.token_for(ANN).await;
        shop.test.clock().advance(Duration::from_hours(24));
        assert_used(&shop.try_verify(&token).await);
    });
}

#[test]
fn password_that_is_refused_leaves_the_token() {
    on_shop(Accounts::new, async |shop, _| {
        shop.post("/auth/register", json!({ "email": ANN })).await.expect(202);
        let token = shop.token_for(ANN).await;
        let short = shop.post("/auth/verify", json!({ "token": token, "password": "short" })).await;
        assert_eq!(short.problem("validation_failed")["errors"][0]["pointer"], "/password");
        shop.verify(&token).await;
    });
}

#[test]
fn address_with_an_account_gets_a_mail_that_says_so() {
    on_shop(Accounts::new, async |shop, _| {
        shop.sign_up(ANN).await;
        shop.post("/auth/register", json!({ "email": "ANN@example.com" })).await.expect(202);
        let mails = shop.mails().await;
        assert_eq!(mails[0].subject, "You have an account at Shop");
        assert_eq!(link_of(&mails[0]), format!("{URL}/account/sign-in"));
    });
}

#[test]
fn program_replaces_the_text_of_a_mail() {
    let accounts = || Accounts::new().template(Letter::Verification, "Hi from {service}\n\n{link}\n{address}\n");
    on_shop(accounts, async |shop, _| {
        shop.post("/auth/register", json!({ "email": ANN })).await.expect(202);
        let mails = shop.mails().await;
        assert_eq!(mails[0].subject, "Hi from Shop");
        assert!(mails[0].text.ends_with(&format!("\n{ANN}\n")), "{}", mails[0].text);
    });
}

#[test]
fn user_that_was_made_meanwhile_keeps_its_password() {
    on_shop(Accounts::new, async |shop, _| {
        shop.post("/auth/register", json!({ "email": ANN })).await.expect(202);
        let token = shop.token_for(ANN).await;
        let user = shop.test.users().create_user(ANN, "another password").await.expect("a user");
        assert_used(&shop.try_verify(&token).await);
        let found = shop.test.users().find_by_username(ANN).await.expect("a lookup");
        assert_eq!(found, Some(user));
        shop.try_login(ANN, PASSWORD).await.problem("invalid_credentials");
    });
}
