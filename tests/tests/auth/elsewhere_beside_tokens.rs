//! The program's own authentication beside the service's tokens.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crud_tests::fixtures::records;
use crud_tests::{Api, on_each_backend};
use serde_json::json;

use crate::elsewhere::{by_key, scheme, service};
use crate::support::{ADA, PASSWORD, auth, login, profile, refresh};

#[test]
fn tokens_decide_where_the_program_has_no_principal() {
    on_each_backend(async |database| {
        let service =
            service(database).await.access(|access| access.authenticate_with(by_key).security_scheme("key", scheme()));
        let service = service
            .auth(auth().logout().build().expect("the authentication"))
            .access(|access| access.users_role("admin"));
        let service = service.migrate().await.expect("the tables");
        service.users().create_user(ADA, PASSWORD).roles(["editor"]).await.expect("a user");
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        let tokens = login(&api).await;
        let bearer = format!("Bearer {}", tokens.access);
        assert_eq!(profile(&api, &tokens.access).await.ok()["user_id"], "1");
        assert_eq!(api.get("/profile").header("x-api-key", "carl").await.ok()["user_id"], "carl");
        let both = || api.get("/profile").header("authorization", &bearer).header("x-api-key", "carl");
        assert_eq!(both().await.ok()["user_id"], "carl", "the program goes first");
        let invalid = api.get("/profile").header("authorization", &bearer).header("x-api-key", "unknown").await;
        invalid.problem("invalid_token");
        profile(&api, "x").await.problem("invalid_token");

        let document = api.get("/openapi.json").await.ok();
        let security = &document["paths"]["/orders"]["post"]["security"];
        assert_eq!(*security, json!([{ "bearerAuth": [] }, { "key": [] }]));
        api.stop().await;
    });
}

#[test]
fn routes_of_sessions_are_for_tokens_alone() {
    on_each_backend(async |database| {
        let service = service(database).await.access(|access| access.authenticate_with(by_key));
        let service = service.auth(auth().logout().build().expect("the authentication"));
        let service = service.migrate().await.expect("the tables");
        let users = service.users();
        users.create_user(ADA, PASSWORD).await.expect("a user");
        let api = Api::start(database, service).await;
        let tokens = login(&api).await;
        api.post("/auth/logout", &json!({})).header("x-api-key", "carl").await.problem("authentication_failed");
        let change = json!({ "old_password": PASSWORD, "new_password": "another horse" });
        api.post("/auth/password", &change).header("x-api-key", "carl").await.problem("authentication_failed");
        // The principal of a key that is also the id of a user of the table, who is disabled there.
        users.disable(ADA).await.expect("it is disabled");
        refresh(&api, &tokens.refresh).await.problem("refresh_failed");
        assert_eq!(api.get("/profile").header("x-api-key", "7").await.ok()["user_id"], "7");
        let note = api.post("/pages", &json!({ "title": "a" })).header("x-api-key", "7").await.created();
        assert_eq!(note["title"], "a");
        api.stop().await;
    });
}

#[test]
fn principal_that_the_program_ends_has_no_further_request() {
    on_each_backend(async |database| {
        let is_active = Arc::new(AtomicBool::new(true));
        let asked = is_active.clone();
        let service = service(database).await.access(|access| {
            access.authenticate_with(move |parts| {
                let is_active = asked.load(Ordering::Relaxed);
                async move { if is_active { by_key(parts).await } else { Ok(None) } }
            })
        });
        let api = Api::start(database, service.migrate().await.expect("the tables")).await;
        api.post("/pages", &json!({ "title": "a" })).header("x-api-key", "7").await.created();
        is_active.store(false, Ordering::Relaxed);
        api.post("/pages", &json!({ "title": "b" })).header("x-api-key", "7").await.problem("authentication_failed");
        assert_eq!(records(&api.get("/pages").await.ok()).len(), 1);
        api.stop().await;
    });
}
