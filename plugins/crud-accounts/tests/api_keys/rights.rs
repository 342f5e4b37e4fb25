//! The rights of keys: those of their users, within those that are stated.

use crud_accounts::{Accounts, Mail, Mailer};
use crud_runtime::BoxError;
use crud_runtime::access::Access;
use crud_runtime::adapter::BoxFuture;
use crud_runtime::auth::Principal;
use crud_runtime::routing::{Context, get};
use crud_tests::fixtures::records;
use crud_tests::{on_each_backend, on_each_sql_backend};
use serde_json::json;

use crate::shop::{key, make, service, with, with_ann};

#[test]
fn key_acts_for_its_user_within_its_rights() {
    on_each_backend(async |database| {
        let test = with_ann(database).await;
        let ci = key(&test, "ci-server", &["editor"]).await;
        let part = with(test.post("/parts", json!({ "name": "bolt" })), &ci).await.expect(201).json();
        let path = format!("/parts/{}", part["id"]);
        with(test.request("PATCH".parse().expect("a method"), &path).json(json!({ "name": "nut" })), &ci)
            .await
            .expect(200);
        with(test.delete(&path), &ci).await.problem("permission_denied");
        with(test.get("/audit-logs"), &ci).await.problem("permission_denied");
        let ann = test.as_user("ann").await.expect("a user");
        let entries = ann.get("/audit-logs?user_id=1").await.expect(200).json();
        let actors: Vec<_> = records(&entries).iter().map(|entry| &entry["actor"]).collect();
        assert_eq!(actors, ["key:ci-server of 1", "key:ci-server of 1"]);
        ann.post("/notes", json!({ "text": "mine" })).await.expect(201);
        assert_eq!(records(&with(test.get("/notes"), &ci).await.expect(200).json())[0]["text"], "mine");
        let remover =
            make(&test, "ann", json!({ "name": "remover", "permissions": ["parts:delete"] })).await.expect(201).json();
        with(test.post("/parts", json!({ "name": "bolt" })), &remover).await.problem("permission_denied");
        with(test.delete(&path), &remover).await.expect(200);
    });
}

#[test]
fn rights_beyond_the_users_own_are_refused() {
    on_each_backend(async |database| {
        let test = with_ann(database).await;
        key(&test, "implied", &["staff"]).await;
        for body in [
            json!({ "name": "a", "roles": ["owner"] }),
            json!({ "name": "a", "roles": ["editor", "owner"] }),
            json!({ "name": "a", "permissions": ["parts:purge"] }),
            json!({ "name": "a" }),
            json!({ "name": "a", "roles": [], "expires_at": "2001-01-01T00:00:00Z" }),
        ] {
            make(&test, "ann", body).await.problem("validation_failed");
        }
        let stranger = test.as_principal(Principal::new("other").with_roles(["editor"]));
        stranger.post("/auth/keys", json!({ "name": "a", "roles": ["editor"] })).await.problem("permission_denied");
        test.post("/auth/keys", json!({ "name": "a", "roles": [] })).await.problem("authentication_failed");
    });
}

#[test]
fn key_loses_what_its_user_loses() {
    on_each_backend(async |database| {
        let test = with_ann(database).await;
        let ci = key(&test, "ci", &["editor"]).await;
        let create = async || with(test.post("/parts", json!({ "name": "bolt" })), &ci).await;
        create().await.expect(201);
        test.users().set_roles("ann", ["staff"]).await.expect("a change");
        create().await.problem("permission_denied");
        let change = test.request("PATCH".parse().expect("a method"), "/parts/1").json(json!({ "name": "nut" }));
        with(change, &ci).await.expect(200);
        test.users().disable("ann").await.expect("a change");
        create().await.problem("invalid_token");
        test.users().enable("ann").await.expect("a change");
        test.users().set_roles("ann", ["editor"]).await.expect("a change");
        create().await.expect(201);
    });
}

#[test]
fn key_does_not_manage_keys_users_or_sessions() {
    on_each_backend(async |database| {
        let test = with_ann(database).await;
        let ci = key(&test, "ci", &["admin", "editor"]).await;
        let own = format!("/auth/keys/{}", ci["id"].as_str().expect("an id"));
        let body = json!({ "name": "child", "roles": ["editor"] });
        with(test.post("/auth/keys", body), &ci).await.problem("permission_denied");
        with(test.get("/auth/keys"), &ci).await.problem("permission_denied");
        with(test.delete(own), &ci).await.problem("permission_denied");
        with(test.get("/auth/users"), &ci).await.problem("permission_denied");
        let user = json!({ "username": "eve", "password": "correct horse", "roles": ["admin"] });
        with(test.post("/auth/users", user), &ci).await.problem("permission_denied");
        let password = json!({ "old_password": "correct horse", "new_password": "another horse" });
        with(test.post("/auth/password", password), &ci).await.problem("invalid_token");
        with(test.post("/auth/logout", json!({})), &ci).await.problem("invalid_token");
    });
}

#[test]
fn principal_of_a_request_names_the_key() {
    on_each_backend(async |database| {
        let whoami = async |ctx: Context| ctx.principal().and_then(Principal::delegate).unwrap_or_default().to_owned();
        let route = get(whoami).access(Access::Authenticated);
        let test = service(database).await.route("/whoami", route).test().await.expect("the tables");
        test.users().create_user("ann", "correct horse").await.expect("a user");
        let door = key(&test, "door.2", &[]).await;
        assert_eq!(with(test.get("/whoami"), &door).await.expect(200).text(), "key:door.2");
    });
}

/// A mailer of a service that sends nothing in these tests.
#[derive(Debug)]
struct Unused;

impl Mailer for Unused {
    fn send<'a>(&'a self, _: &'a Mail) -> BoxFuture<'a, Result<(), BoxError>> {
        Box::pin(std::future::ready(Err("no mail".into())))
    }
}

#[test]
fn key_does_not_manage_the_account_of_its_user() {
    on_each_sql_backend(async |database| {
        let accounts = Accounts::new().mailer(Unused).public_url("https://shop.example").invite_role("admin");
        let test = service(database).await.plugin(accounts).expect("two plugins").test().await.expect("the tables");
        let ann = test.users().create_user("ann", "correct horse").roles(["admin"]);
        ann.await.expect("a user");
        let ci = key(&test, "ci", &["admin"]).await;
        for path in ["/auth/sessions", "/auth/invitations"] {
            with(test.get(path), &ci).await.problem("permission_denied");
        }
        let of_factor = ["/auth/factor", "/auth/factor/confirm", "/auth/factor/recovery", "/auth/factor/remove"];
        for path in of_factor.iter().chain(&["/auth/email", "/auth/invitations"]) {
            with(test.post(*path, json!({})), &ci).await.problem("permission_denied");
        }
        with(test.delete("/auth/sessions/1"), &ci).await.problem("permission_denied");
        with(test.get("/notes"), &ci).await.expect(200);
    });
}
