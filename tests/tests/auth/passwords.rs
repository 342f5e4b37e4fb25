//! `POST /auth/password`.

use std::time::Duration;

use crud_tests::{Answer, Api};
use serde_json::{Value, json};

use crate::support::{ADA, PASSWORD, auth, login, on_service, profile, refresh, try_login};

const NEW: &str = "another password";

async fn change(api: &Api, token: &str, old: &str, new: &str) -> Answer {
    send(api, token, &json!({ "old_password": old, "new_password": new })).await
}

async fn send(api: &Api, token: &str, body: &Value) -> Answer {
    api.post("/auth/password", body).header("authorization", &format!("Bearer {token}")).await
}

#[test]
fn a_user_who_knows_the_password_changes_it() {
    on_service(auth, async |api, _| {
        let tokens = login(api).await;
        change(api, &tokens.access, PASSWORD, NEW).await.expect(204);
        try_login(api, ADA, PASSWORD).await.problem("invalid_credentials");
        try_login(api, ADA, NEW).await.ok();
        refresh(api, &tokens.refresh).await.problem("refresh_failed");
        // An access token lives on to its end, where none can be revoked.
        profile(api, &tokens.access).await.ok();
    });
}

#[test]
fn the_session_that_changes_it_ends_where_sessions_can() {
    on_service(
        || auth().logout(),
        async |api, _| {
            let tokens = login(api).await;
            change(api, &tokens.access, PASSWORD, NEW).await.expect(204);
            profile(api, &tokens.access).await.problem("invalid_token");
            refresh(api, &tokens.refresh).await.problem("refresh_failed");
            try_login(api, ADA, NEW).await.ok();
        },
    );
}

#[test]
fn what_is_wrong_is_named_and_changes_nothing() {
    on_service(auth, async |api, users| {
        let token = login(api).await.access;
        let wrong = change(api, &token, "not the password", NEW).await.problem("validation_failed");
        assert_eq!((wrong.pointers(), wrong.only().code.as_str()), (vec!["/old_password"], "wrong"));
        let short = change(api, &token, PASSWORD, "seven!!").await.problem("validation_failed");
        assert_eq!(short.pointers(), ["/new_password"]);
        change(api, &token, PASSWORD, &"x".repeat(1025)).await.problem("validation_failed");
        send(api, &token, &json!({ "old_password": PASSWORD })).await.problem("validation_failed");
        send(api, &token, &json!({ "old_password": PASSWORD, "new_password": NEW, "username": "bob" }))
            .await
            .problem("validation_failed");
        let body = json!({ "old_password": PASSWORD, "new_password": NEW });
        api.post("/auth/password", &body).await.problem("authentication_failed");
        send(api, "x.y.z", &body).await.problem("invalid_token");
        try_login(api, ADA, PASSWORD).await.ok();
        users.disable(ADA).await.expect("a user");
        change(api, &token, PASSWORD, NEW).await.problem("authentication_failed");
    });
}

#[test]
fn guesses_of_the_old_password_are_limited_as_logins_are() {
    on_service(
        || auth().login_attempts(3, Duration::from_mins(1)),
        async |api, _| {
            let token = login(api).await.access;
            let mut statuses = Vec::new();
            for _ in 0..5 {
                statuses.push(change(api, &token, "not the password", NEW).await.status());
            }
            assert_eq!(statuses[..3], [422, 422, 422]);
            assert_eq!(statuses.last(), Some(&429), "{statuses:?}");
        },
    );
}
