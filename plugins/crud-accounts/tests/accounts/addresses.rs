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
