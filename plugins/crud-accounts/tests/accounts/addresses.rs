//! Another address of a user.

use crud_accounts::Accounts;
use serde_json::json;

use crate::support::{ANN, BOB, PASSWORD, assert_used, on_shop, token_of};

const NEW: &str = "anna@example.com";

#[test]
fn new_address_confirms_and_the_former_is_told() {
    on_shop(Accounts::new, async |shop, _| {
        let tokens = shop.sign_up(ANN).await;
        let change = json!({ "email": "Anna@example.com", "password": PASSWORD });
        shop.post_as(&tokens.access, "/auth/email", change).await.expect(202);
        let token = shop.token_for(NEW).await;
        shop.login(ANN).await;
        shop.post("/auth/email/confirm", json!({ "token": token })).await.expect(204);
        shop.try_login(ANN, PASSWORD).await.problem("invalid_credentials");
        shop.login(NEW).await;
        let mails = shop.mails().await;
        assert_eq!((mails.len(), mails[0].to.as_str()), (1, ANN));
        assert_eq!(mails[0].subject, "Your address for Shop has changed");
        assert_used(&shop.post("/auth/email/confirm", json!({ "token": token })).await);
    });
}

#[test]
fn change_of_the_address_needs_the_password() {
    on_shop(Accounts::new, async |shop, _| {
        let tokens = shop.sign_up(ANN).await;
        let change = json!({ "email": NEW, "password": "wrong horse" });
        shop.post_as(&tokens.access, "/auth/email", change.clone()).await.problem("invalid_credentials");
        shop.post("/auth/email", change).await.problem("authentication_failed");
        assert_eq!(shop.mails().await.len(), 0);
    });
}

#[test]
fn address_of_another_user_is_not_taken() {
    on_shop(Accounts::new, async |shop, _| {
        let tokens = shop.sign_up(ANN).await;
        let change = json!({ "email": BOB, "password": PASSWORD });
        shop.post_as(&tokens.access, "/auth/email", change.clone()).await.expect(202);
        let token = token_of(&shop.mails().await[0]);
        shop.sign_up(BOB).await;
        assert_used(&shop.post("/auth/email/confirm", json!({ "token": token })).await);
        // Now that it is known to have an account, it is told so, and there is no token.
        shop.post_as(&tokens.access, "/auth/email", change).await.expect(202);
        assert_eq!(shop.mails().await[0].subject, "You have an account at Shop");
        shop.login(ANN).await;
        shop.login(BOB).await;
    });
}

#[test]
fn end_of_the_sessions_revokes_a_change_of_the_address() {
    on_shop(Accounts::new, async |shop, _| {
        let tokens = shop.sign_up(ANN).await;
        let change = json!({ "email": NEW, "password": PASSWORD });
        shop.post_as(&tokens.access, "/auth/email", change.clone()).await.expect(202);
        let of_thief = shop.token_for(NEW).await;
        shop.post("/auth/forgot", json!({ "email": ANN })).await.expect(202);
        let reset = json!({ "token": shop.token_for(ANN).await, "password": PASSWORD });
        shop.post("/auth/reset", reset).await.expect(204);
        assert_used(&shop.post("/auth/email/confirm", json!({ "token": of_thief })).await);
        // Whatever ends them: here, the change was asked for before the end, and its mail was sent after.
        let tokens = shop.login(ANN).await;
        shop.post_as(&tokens.access, "/auth/email", change).await.expect(202);
        shop.test.users().end_sessions(ANN).await.expect("the user");
        let late = shop.token_for(NEW).await;
        assert_used(&shop.post("/auth/email/confirm", json!({ "token": late })).await);
        shop.login(ANN).await;
    });
}

#[test]
fn last_new_address_of_a_user_counts() {
    on_shop(Accounts::new, async |shop, _| {
        let tokens = shop.sign_up(ANN).await;
        let mut links = Vec::new();
        for address in ["mistyped@example.com", NEW] {
            let change = json!({ "email": address, "password": PASSWORD });
            shop.post_as(&tokens.access, "/auth/email", change).await.expect(202);
            links.push(json!({ "token": shop.token_for(address).await }));
        }
        assert_used(&shop.post("/auth/email/confirm", links.remove(0)).await);
        shop.post("/auth/email/confirm", links.remove(0)).await.expect(204);
        shop.login(NEW).await;
    });
}
