//! Users in the service's database, and users of another user store.

use crud_runtime::Error;
use crud_runtime::adapter::BoxFuture;
use crud_runtime::auth::{Auth, User, UserStore, hash_password};
use crud_runtime::prelude::*;
use crud_tests::{Api, on_each_backend};
use serde_json::json;

use crate::support::{ADA, PASSWORD, SECRET, Tokens, auth, login, on_service, part, profile, refresh, try_login};

fn code(error: &Error) -> &'static str {
    match error {
        Error::Problem(problem) => problem.code().as_str(),
        other => panic!("not a problem: {other}"),
    }
}

#[test]
fn username_is_unique() {
    on_service(auth, async |_, users| {
        assert_eq!(code(&users.create_user(ADA, "another password").await.expect_err("a conflict")), "conflict");
        let other = users.create_user("Ada", PASSWORD).await.expect("another name");
        // A rejected insert may have used up a key.
        assert_ne!(other.subject, "1");
        assert!(other.roles.is_empty() && other.permissions.is_empty() && !other.disabled);
    });
}

#[test]
fn usernames_and_passwords_have_length_limits() {
    on_service(auth, async |_, users| {
        let long = "n".repeat(256);
        for (name, password) in
            [("", PASSWORD), (&long, PASSWORD), ("a\u{0}", PASSWORD), ("bob", "seven!!"), ("bob", "")]
        {
            let error = users.create_user(name, password).await.expect_err("a validation error");
            assert_eq!(code(&error), "validation_failed", "{name:?} {password:?}");
        }
    });
}

#[test]
fn pages_of_the_list_have_every_user() {
    crud_tests::on_sqlite(async |database| {
        let service = database.service().await.auth(auth().build().expect("the authentication"));
        let users = service.migrate().await.expect("the tables").users();
        for number in 0..1_001 {
            users.create_hashed(&format!("user {number}"), "").await.expect("the user");
        }
        let first = users.list().await.expect("the users");
        let rest = users.list_after(&first[999].0).await.expect("the users");
        assert_eq!((first.len(), rest.len(), rest[0].0.as_str()), (1_000, 1, "user 999"));
        assert!(users.list_after("user 999").await.expect("the users").is_empty());
    });
}

#[test]
fn changes_of_a_user_are_stored() {
    on_service(auth, async |api, users| {
        users.set_password(ADA, "another password").await.expect("a password");
        try_login(api, ADA, PASSWORD).await.problem("invalid_credentials");
        try_login(api, ADA, "another password").await.ok();
        users.grant(ADA, ["orders:purge", "orders:read"]).await.expect("permissions");
        let user = users.set_roles(ADA, ["admin", "editor"]).await.expect("roles");
        assert_eq!(user.roles, ["admin", "editor"]);
        assert_eq!(user.permissions, ["orders:purge", "orders:read"]);
        let found = users.find_by_subject("1").await.expect("the lookup succeeds").expect("a user");
        assert_eq!(found, user);
        assert_eq!(code(&users.disable("unknown").await.expect_err("unknown")), "not_found");
    });
}

#[test]
fn permissions_that_are_granted_at_once_are_all_stored() {
    crud_tests::on_each_backend_with_transactions(async |database| {
        let service = database.service().await.auth(auth().build().expect("the authentication"));
        let users = service.migrate().await.expect("the tables").users();
        users.create_hashed(ADA, "").await.expect("the user");
        let grant = |number: usize| {
            let users = users.clone();
            tokio::spawn(async move { users.grant(ADA, [format!("orders:{number}")]).await })
        };
        for grant in (0..8).map(grant).collect::<Vec<_>>() {
            grant.await.expect("the task").expect("a permission");
        }
        let user = users.find_by_username(ADA).await.expect("the lookup succeeds").expect("a user");
        assert_eq!(user.permissions.len(), 8, "{:?}", user.permissions);
    });
}

#[test]
fn passwords_are_hashed_and_never_printed() {
    on_service(auth, async |_, users| {
        let user = users.find_by_username(ADA).await.expect("the lookup succeeds").expect("a user");
        assert!(user.password_hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{}", user.password_hash);
        assert!(!format!("{user:?}{users:?}").contains("argon2"));
    });
}

#[test]
fn user_table_has_no_route() {
    on_service(auth, async |api, _| {
        let token = login(api).await.access;
        for path in ["/auth/users", "/auth/users/1", "/auth_users", "/auth/revocations", "/auth"] {
            api.get(path).header("authorization", &format!("Bearer {token}")).await.expect(404);
        }
        let document = api.get("/openapi.json").await.ok().to_string();
        assert!(!document.contains("password_hash") && !document.contains("AuthUser"));
    });
}

/// A user store with one user in memory.
#[derive(Debug)]
struct ExternalUsers {
    hash: String,
}

impl UserStore for ExternalUsers {
    fn find_by_username<'a>(&'a self, name: &'a str) -> BoxFuture<'a, crud_runtime::Result<Option<User>>> {
        Box::pin(async move {
            match name {
                "broken" => Err(Error::Setup("the directory at ldap://internal is away".to_owned())),
                "grace" => {
                    let mut user = User::new("grace@example.org", &self.hash);
                    user.roles = vec!["admiral".to_owned()];
                    Ok(Some(user))
                }
                _ => Ok(None),
            }
        })
    }

    fn find_by_subject<'a>(&'a self, subject: &'a str) -> BoxFuture<'a, crud_runtime::Result<Option<User>>> {
        self.find_by_username(subject.split('@').next().unwrap_or_default())
    }
}

#[test]
fn users_may_come_from_another_user_store() {
    on_each_backend(async |database| {
        let hash = hash_password(PASSWORD).await.expect("a hash");
        let auth =
            Auth::builder().secret(SECRET).user_store(ExternalUsers { hash }).build().expect("the authentication");
        let service = database.service().await.auth(auth).migrate().await.expect("the tables");
        let api = Api::start(database, service).await;
        let tokens = crate::support::Tokens::from_body(&try_login(&api, "grace", PASSWORD).await.ok());
        assert_eq!(part(&tokens.access, 1)["sub"], "grace@example.org");
        let expected = json!({ "user_id": "grace@example.org", "roles": ["admiral"] });
        assert_eq!(profile(&api, &tokens.access).await.ok(), expected);
        refresh(&api, &tokens.refresh).await.ok();
        try_login(&api, ADA, PASSWORD).await.problem("invalid_credentials");
        // Passwords are changed where they are.
        api.post("/auth/password", &json!({})).await.problem("route_not_found");
        let answer = try_login(&api, "broken", PASSWORD).await.expect(500);
        assert!(!answer.text().contains("ldap"));
        api.stop().await;
    });
}

/// An account of the program's own.
#[derive(Debug, Clone, Resource)]
#[crud(internal)]
struct Account {
    id: Uuid,
    #[crud(unique, validate(email))]
    email: String,
    password_hash: String,
    #[crud(default = false)]
    is_disabled: bool,
}

fn of_account(account: Account) -> User {
    let mut user = User::new(account.id.to_string(), account.password_hash);
    user.disabled = account.is_disabled;
    user.roles = vec!["editor".to_owned()];
    user
}

#[test]
fn users_can_be_records_of_a_resource() {
    on_each_backend(async |database| {
        let service = database.service().await;
        let accounts = service.store::<Account>();
        let auth = Auth::builder().secret(SECRET).users_in(accounts.clone(), Account::FIELDS.email, of_account);
        let service = service.auth(auth.build().expect("the authentication")).resource::<Account>();
        let api = Api::start(database, service.migrate().await.expect("the tables")).await;
        let hash = hash_password(PASSWORD).await.expect("a hash");
        let new = NewAccount { email: "ann@example.com".into(), password_hash: hash, is_disabled: None };
        let account = accounts.create(new).await.expect("an account");
        try_login(&api, "bob@example.com", PASSWORD).await.problem("invalid_credentials");
        try_login(&api, "ann@example.com", "another horse").await.problem("invalid_credentials");
        let tokens = Tokens::from_body(&try_login(&api, "ann@example.com", PASSWORD).await.ok());
        let user = profile(&api, &tokens.access).await.ok();
        assert_eq!(user, json!({ "user_id": account.id.to_string(), "roles": ["editor"] }));
        refresh(&api, &tokens.refresh).await.ok();
        accounts.update(account.id, AccountPatch::default().is_disabled(true)).await.expect("the account");
        refresh(&api, &tokens.refresh).await.problem("refresh_failed");
        api.stop().await;
    });
}
