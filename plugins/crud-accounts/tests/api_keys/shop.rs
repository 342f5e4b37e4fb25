//! A shop whose users have API keys.

use crud_accounts::ApiKeys;
use crud_runtime::access::Role;
use crud_runtime::auth::{Auth, AuthBuilder};
use crud_runtime::prelude::*;
use crud_runtime::testing::{Test, TestAnswer, TestRequest};
use crud_tests::Database;
use serde_json::{Value, json};

/// A part, whose changes are logged.
#[derive(Debug, Clone, Resource)]
#[crud(audit, access(read(public), create(role("editor")), update(role("staff")), delete(permission("parts:delete"))))]
pub(crate) struct Part {
    pub(crate) id: i64,
    pub(crate) name: String,
}

/// A note of its owner.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(authenticated)))]
pub(crate) struct Note {
    pub(crate) id: i64,
    pub(crate) text: String,
    #[crud(owner)]
    pub(crate) owner: String,
}

pub(crate) const PASSWORD: &str = "correct horse";

pub(crate) fn auth() -> AuthBuilder {
    Auth::builder().secret("a secret of at least thirty-two bytes").logout()
}

/// The shop, where editors are staff.
pub(crate) async fn service(database: &Database) -> Service {
    let service = database.service().await.auth(auth().build().expect("the authentication"));
    let service = service.plugin(ApiKeys::new()).expect("one plugin").resource::<Part>().resource::<Note>();
    service.access(|access| access.role(Role::new("editor").implies("staff")).users_role("admin"))
}

/// A server of the shop.
pub(crate) async fn server(database: &Database) -> Test {
    service(database).await.test().await.expect("the tables")
}

/// The shop with the editor `ann`, who may delete parts and manages users.
pub(crate) async fn with_ann(database: &Database) -> Test {
    let test = server(database).await;
    let ann = test.users().create_user("ann", PASSWORD).roles(["editor", "admin"]).permissions(["parts:delete"]);
    ann.await.expect("a user");
    test
}

/// The answer to a user that makes a key.
pub(crate) async fn make(test: &Test, user: &str, body: Value) -> TestAnswer {
    test.as_user(user).await.expect("a user").post("/auth/keys", body).await
}

/// A new key of ann's with these roles.
pub(crate) async fn key(test: &Test, name: &str, roles: &[&str]) -> Value {
    make(test, "ann", json!({ "name": name, "roles": roles })).await.expect(201).json()
}

/// A request with a key.
pub(crate) fn with(request: TestRequest, key: &Value) -> TestRequest {
    request.header("authorization", format!("Bearer {}", key["key"].as_str().expect("a key")))
}
