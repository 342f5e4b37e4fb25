//! `/auth/users`: users over HTTP, for a role.

use crud_runtime::auth::{Auth, User, UserStore, Users};
use crud_runtime::{Error, adapter::BoxFuture};
use crud_tests::{Answer, Api, on_each_backend, untyped};
use serde_json::{Value, json};

use crate::support::{ADA, PASSWORD, SECRET, Tokens, auth, claims_with, part, profile, refresh, sign, try_login};

const ADMIN: &str = "root";

/// Runs a test against a service whose users the role `admin` manages: one administrator and one editor.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_managed(test: impl AsyncFn(&Api, &Users, &str)) {
    on_each_backend(async |database| {
        let auth = auth().tenant_claim("shop").build().expect("the authentication");
        let service = database.service().await.auth(auth).access(|access| access.users_role("admin"));
        let service = service.migrate().await.expect("the tables of authentication");
        let users = service.users();
        users.create_user(ADMIN, PASSWORD).roles(["admin"]).await.expect("the administrator");
        users.create_user(ADA, PASSWORD).roles(["editor"]).await.expect("the editor");
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        let admin = login(&api, ADMIN).await.access;
        test(&api, &users, &admin).await;
        api.stop().await;
    });
}

async fn login(api: &Api, name: &str) -> Tokens {
    Tokens::from_body(&try_login(api, name, PASSWORD).await.ok())
}

async fn get(api: &Api, token: &str, path: &str) -> Answer {
    api.get(path).header("authorization", &format!("Bearer {token}")).await
}

async fn post(api: &Api, token: &str, body: &Value) -> Answer {
    api.post("/auth/users", body).header("authorization", &format!("Bearer {token}")).await
}

async fn patch(api: &Api, token: &str, id: &Value, body: &Value) -> Answer {
    api.patch(format!("/auth/users/{id}"), body).header("authorization", &format!("Bearer {token}")).await
}

async fn id(api: &Api, admin: &str, name: &str) -> Value {
    get(api, admin, &format!("/auth/users?username={name}")).await.ok()["data"][0]["id"].clone()
}

fn names(page: &Value) -> Vec<&str> {
    page["data"].as_array().expect("a page").iter().filter_map(|user| user["username"].as_str()).collect()
}

#[test]
fn an_administrator_creates_reads_and_changes_users() {
    on_managed(async |api, _, admin| {
        let body = json!({ "username": "Bob", "password": PASSWORD, "roles": ["author"], "claims": { "shop": 7 } });
        let created = post(api, admin, &body).await.expect(201);
        assert_eq!(created.require("cache-control"), "no-store");
        let location = created.require("location").to_owned();
        let bob = created.json();
        assert_eq!(location, format!("/auth/users/{}", bob["id"]));
        let fields = ["id", "username", "roles", "permissions", "claims", "disabled", "created_at", "updated_at"];
        assert_eq!(bob.as_object().expect("an object").keys().collect::<Vec<_>>(), fields);
        assert_eq!((&bob["roles"], &bob["claims"]["shop"]), (&json!(["author"]), &json!(7)));
        assert_eq!(get(api, admin, &location).await.ok(), *bob);
        let token = login(api, "Bob").await.access;
        assert_eq!((&part(&token, 1)["roles"], &part(&token, 1)["shop"]), (&json!(["author"]), &json!(7)));

        let change = json!({ "roles": ["editor"], "permissions": ["orders:purge"], "claims": {} });
        let changed = patch(api, admin, &bob["id"], &change).await.ok();
        assert_eq!((&changed["roles"], &changed["permissions"]), (&json!(["editor"]), &json!(["orders:purge"])));
        assert_eq!(part(&login(api, "Bob").await.access, 1)["roles"], json!(["editor"]));
        // Members that are left out, or null, keep their values.
        let same = patch(api, admin, &bob["id"], &json!({ "roles": null })).await.ok();
        assert_eq!(same["roles"], json!(["editor"]));
    });
}

#[test]
fn every_value_of_a_user_has_a_type_in_the_document() {
    on_managed(async |api, _, _| {
        let document = api.get("/openapi.json").await.ok();
        assert_eq!(untyped(&document), [""; 0]);
        let claims = |schema: &str| document["components"]["schemas"][schema]["properties"]["claims"].clone();
        for (schema, kind) in [
            ("ServiceUser", json!("object")),
            ("ServiceUserCreate", json!(["object", "null"])),
            ("ServiceUserPatch", json!(["object", "null"])),
        ] {
            let claims = claims(schema);
            assert_eq!((&claims["type"], &claims["additionalProperties"]), (&kind, &json!(true)), "{schema}");
        }
    });
}

#[test]
fn the_list_is_by_name_in_pages_and_filtered() {
    on_managed(async |api, users, admin| {
        for name in ["carl", "dora"] {
            users.create_user(name, PASSWORD).await.expect("a user");
        }
        users.disable("carl").await.expect("a user");
        let all = get(api, admin, "/auth/users").await.ok();
        assert_eq!((names(&all), &all["total"]), (vec![ADA, "carl", "dora", ADMIN], &json!(4)));
        let page = get(api, admin, "/auth/users?limit=2&skip=2").await.ok();
        assert_eq!((names(&page), &page["page"], &page["pages"]), (vec!["dora", ADMIN], &json!(2), &json!(2)));
        for (query, expected) in
            [("username=dora", vec!["dora"]), ("q=DA", vec![ADA]), ("disabled=true", vec!["carl"]), ("q=%25", vec![])]
        {
            assert_eq!(names(&get(api, admin, &format!("/auth/users?{query}")).await.ok()), expected, "{query}");
        }
        let (carl, dora) = (id(api, admin, "carl").await, id(api, admin, "dora").await);
        let some = get(api, admin, &format!("/auth/users?id__in={dora},{carl},999")).await.ok();
        assert_eq!(names(&some), ["carl", "dora"]);
        for query in [
            "id__in=",
            "id__in=x",
            "id__in=1,",
            "limit=0",
            "limit=101",
            "skip=-1",
            "disabled=1",
            "sort=id",
            "q=%00",
            "limit=1&limit=2",
            "role=x",
        ] {
            get(api, admin, &format!("/auth/users?{query}")).await.problem("validation_failed");
        }
        api.head("/auth/users").header("authorization", &format!("Bearer {admin}")).await.expect(200);
    });
}

#[test]
fn a_new_password_and_a_disabling_end_sessions() {
    on_managed(async |api, _, admin| {
        let (ada, tokens) = (id(api, admin, ADA).await, login(api, ADA).await);
        patch(api, admin, &ada, &json!({ "password": "another password" })).await.ok();
        refresh(api, &tokens.refresh).await.problem("refresh_failed");
        try_login(api, ADA, PASSWORD).await.problem("invalid_credentials");
        let tokens = Tokens::from_body(&try_login(api, ADA, "another password").await.ok());
        assert_eq!(patch(api, admin, &ada, &json!({ "disabled": true })).await.ok()["disabled"], true);
        refresh(api, &tokens.refresh).await.problem("refresh_failed");
        try_login(api, ADA, "another password").await.problem("invalid_credentials");
        patch(api, admin, &ada, &json!({ "disabled": false })).await.ok();
        refresh(api, &tokens.refresh).await.problem("refresh_failed");
        try_login(api, ADA, "another password").await.ok();
    });
}

#[test]
fn sessions_end_without_another_change() {
    on_managed(async |api, _, admin| {
        let (ada, tokens) = (id(api, admin, ADA).await, login(api, ADA).await);
        patch(api, admin, &ada, &json!({ "end_sessions": false })).await.ok();
        let tokens = Tokens::from_body(&refresh(api, &tokens.refresh).await.ok());
        let user = patch(api, admin, &ada, &json!({ "end_sessions": true })).await.ok();
        assert_eq!((&user["disabled"], &user["roles"]), (&json!(false), &json!(["editor"])));
        refresh(api, &tokens.refresh).await.problem("refresh_failed");
        let again = Tokens::from_body(&try_login(api, ADA, PASSWORD).await.ok());
        refresh(api, &again.refresh).await.ok();
    });
}

#[test]
fn the_routes_need_the_role_before_they_tell_anything() {
    on_managed(async |api, _, admin| {
        let (root, editor) = (id(api, admin, ADMIN).await, login(api, ADA).await.access);
        let (new, gain) = (json!({ "username": ADMIN, "password": PASSWORD }), json!({ "roles": ["admin"] }));
        // A principal of a tenant, and a token that names a role which its user does not have.
        let ada = part(&editor, 1)["sub"].clone();
        let of_tenant = sign(&claims_with(&json!({ "sub": "x", "roles": ["admin"], "shop": 1 })));
        let stale = sign(&claims_with(&json!({ "sub": ada, "roles": ["admin"] })));
        let gone = sign(&claims_with(&json!({ "sub": "999", "roles": ["admin"] })));
        for (token, code) in [
            (&gone, "permission_denied"),
            (&editor, "permission_denied"),
            (&of_tenant, "permission_denied"),
            (&stale, "permission_denied"),
            (&"x.y.z".to_owned(), "invalid_token"),
        ] {
            for path in
                ["/auth/users", "/auth/users?username=root", "/auth/users?x=1", "/auth/users/999", "/auth/users/x"]
            {
                get(api, token, path).await.problem(code);
            }
            for body in [&new, &gain, &json!([])] {
                post(api, token, body).await.problem(code);
                patch(api, token, &ada, body).await.problem(code);
                patch(api, token, &root, body).await.problem(code);
            }
        }
        for answer in
            [api.get("/auth/users").await, api.post("/auth/users", &new).await, api.patch("/auth/users/1", &gain).await]
        {
            answer.problem("authentication_failed");
        }
        assert_eq!(profile(api, &login(api, ADA).await.access).await.ok()["roles"], json!(["editor"]));
    });
}

#[test]
fn a_disabled_administrator_has_no_access_with_the_token_that_it_has() {
    on_managed(async |api, users, admin| {
        let root = id(api, admin, ADMIN).await;
        users.set_roles(ADA, ["admin"]).await.expect("a user");
        users.disable(ADMIN).await.expect("a user");
        patch(api, admin, &root, &json!({ "disabled": false })).await.problem("permission_denied");
        get(api, admin, "/auth/users").await.problem("permission_denied");
        users.enable(ADMIN).await.expect("a user");
        users.set_roles(ADMIN, ["editor"]).await.expect("a user");
        patch(api, admin, &root, &json!({ "roles": ["admin"] })).await.problem("permission_denied");
    });
}

#[test]
fn what_is_wrong_is_named_and_nothing_else_can_be_set() {
    on_managed(async |api, users, admin| {
        let ada = id(api, admin, ADA).await;
        let before = users.find_by_username(ADA).await.expect("the lookup succeeds");
        for field in ["id", "username", "password_hash", "generation", "created_at", "sub", "x"] {
            let body = json!({ field: "1", "disabled": true });
            let problem = patch(api, admin, &ada, &body).await.problem("validation_failed");
            assert_eq!(problem.pointers(), [format!("/{field}")], "{field}");
        }
        for (body, pointer) in [
            (json!({ "password": "short" }), "/password"),
            (json!({ "password": "é".repeat(600) }), "/password"),
            (json!({ "roles": "admin" }), "/roles"),
            (json!({ "roles": ["a\u{0}"] }), "/roles/0"),
            (json!({ "disabled": "true" }), "/disabled"),
            (json!({ "claims": { "sub": "1" } }), "/claims"),
            (json!({ "claims": { "roles": ["admin"] } }), "/claims"),
            (json!({ "claims": [] }), "/claims"),
        ] {
            let answer = patch(api, admin, &ada, &body).await;
            assert!(!answer.text().contains("argon2") && !answer.text().contains("short"), "{}", answer.text());
            assert_eq!(answer.problem("validation_failed").pointers(), [pointer], "{body}");
        }
        assert_eq!(users.find_by_username(ADA).await.expect("the lookup succeeds"), before);
        for body in [
            json!({}),
            json!({ "username": "bob" }),
            json!({ "username": "", "password": PASSWORD }),
            json!({ "username": "bob", "password": PASSWORD, "password_hash": "x" }),
            json!({ "username": "bob", "password": PASSWORD, "disabled": true }),
        ] {
            post(api, admin, &body).await.problem("validation_failed");
        }
        let taken = json!({ "username": ADA, "password": PASSWORD });
        assert!(!post(api, admin, &taken).await.problem("conflict").detail.contains("argon2"));
        let large = json!({ "username": "bob", "password": PASSWORD, "roles": ["x".repeat(70_000)] });
        post(api, admin, &large).await.problem("body_too_large");
        patch(api, admin, &json!(999), &json!({ "disabled": true })).await.problem("not_found");
        get(api, admin, "/auth/users/999").await.problem("not_found");
        get(api, admin, "/auth/users/x").await.problem("validation_failed");
        get(api, admin, "/auth/users/1?x=1").await.problem("validation_failed");
        api.delete("/auth/users/1").header("authorization", &format!("Bearer {admin}")).await.expect(405);
        assert!(!get(api, admin, "/auth/users").await.text().contains("argon2"));
    });
}

#[test]
fn the_last_enabled_administrator_stays_one() {
    on_managed(async |api, users, admin| {
        let (root, ada) = (id(api, admin, ADMIN).await, id(api, admin, ADA).await);
        let refused = async || {
            for body in [json!({ "disabled": true }), json!({ "roles": ["editor"] }), json!({ "roles": [] })] {
                let problem = patch(api, admin, &root, &body).await.problem("conflict");
                assert!(problem.detail.contains("last enabled user with the role `admin`"), "{}", problem.detail);
            }
        };
        refused().await;
        // One that is disabled is none.
        patch(api, admin, &ada, &json!({ "roles": ["admin"], "disabled": true })).await.ok();
        refused().await;
        patch(api, admin, &root, &json!({ "password": "another password", "roles": ["admin", "editor"] })).await.ok();
        patch(api, admin, &ada, &json!({ "disabled": false })).await.ok();
        patch(api, admin, &root, &json!({ "roles": ["editor"] })).await.ok();
        assert_eq!(users.find_by_username(ADMIN).await.expect("the lookup").expect("a user").roles, ["editor"]);
    });
}

#[test]
fn an_administrator_of_a_tenant_is_none() {
    on_managed(async |api, users, admin| {
        let (root, ada) = (id(api, admin, ADMIN).await, id(api, admin, ADA).await);
        patch(api, admin, &ada, &json!({ "roles": ["admin"], "claims": { "shop": 7 } })).await.ok();
        let of_tenant = login(api, ADA).await.access;
        get(api, &of_tenant, "/auth/users").await.problem("permission_denied");
        // No one could manage users after any of these.
        for body in
            [json!({ "disabled": true }), json!({ "roles": ["editor"] }), json!({ "claims": { "shop": 7, "team": 1 } })]
        {
            let problem = patch(api, admin, &root, &body).await.problem("conflict");
            assert!(problem.detail.contains("last enabled user with the role `admin`"), "{}", problem.detail);
        }
        patch(api, admin, &root, &json!({ "claims": { "team": 1 } })).await.ok();
        patch(api, admin, &ada, &json!({ "claims": {} })).await.ok();
        patch(api, admin, &root, &json!({ "claims": { "shop": 7 } })).await.ok();
        // A token from before the claim names no tenant: the table does.
        get(api, admin, "/auth/users").await.problem("permission_denied");
        assert!(users.find_by_username(ADMIN).await.expect("the lookup").is_some());
    });
}

#[test]
fn of_administrators_that_remove_each_other_one_stays() {
    on_managed(async |api, users, admin| {
        users.set_roles(ADA, ["admin"]).await.expect("a user");
        let (root, ada) = (id(api, admin, ADMIN).await, id(api, admin, ADA).await);
        let other = login(api, ADA).await.access;
        for _ in 0..5 {
            let gone = json!({ "roles": [] });
            let (one, two) = tokio::join!(patch(api, admin, &ada, &gone), patch(api, &other, &root, &gone));
            assert!([one.status(), two.status()].iter().any(|status| [403, 409].contains(status)), "{}", one.text());
            let all = users.list().await.expect("the users");
            let left = all.iter().filter(|(_, user)| user.roles == ["admin"]).count();
            // Storage without transactions of several calls may refuse both.
            assert!(left > 0, "{} {}", one.text(), two.text());
            users.set_roles(ADA, ["admin"]).await.expect("a user");
            users.set_roles(ADMIN, ["admin"]).await.expect("a user");
        }
    });
}

/// A user store without users.
#[derive(Debug)]
struct NoUsers;

impl UserStore for NoUsers {
    fn find_by_username<'a>(&'a self, _: &'a str) -> BoxFuture<'a, crud_runtime::Result<Option<User>>> {
        Box::pin(async { Ok(None) })
    }

    fn find_by_subject<'a>(&'a self, _: &'a str) -> BoxFuture<'a, crud_runtime::Result<Option<User>>> {
        Box::pin(async { Ok(None) })
    }
}

#[test]
fn a_role_for_users_needs_users_in_the_table() {
    on_each_backend(async |database| {
        let elsewhere = Auth::builder().secret(SECRET).user_store(NoUsers).build().expect("the authentication");
        let service = database.service().await.access(|access| access.users_role("admin"));
        assert!(matches!(service.into_router(), Err(Error::Setup(text)) if text.contains("users_role")));
        let service = database.service().await.auth(elsewhere).access(|access| access.users_role("admin"));
        assert!(matches!(service.into_router(), Err(Error::Setup(text)) if text.contains("users_role")));
    });
}
