//! Callers of services with authentication.

use crud_tests::{Answer, Api};
use jsonwebtoken::{EncodingKey, Header, encode, get_current_timestamp};
use serde_json::{Value, json};

pub(crate) const SECRET: &str = "the secret of these tests, which is public";

/// A client with a caller's token.
pub(crate) struct Caller<'a> {
    api: &'a Api,
    token: String,
}

/// A caller of this id, with these roles, of this house.
pub(crate) fn caller<'a>(api: &'a Api, subject: &str, roles: &[&str], house: i64) -> Caller<'a> {
    caller_of(api, subject, roles, &json!(house))
}

/// A caller with any claim of a house.
pub(crate) fn caller_of<'a>(api: &'a Api, subject: &str, roles: &[&str], house: &Value) -> Caller<'a> {
    let now = get_current_timestamp();
    let claims = json!({
        "sub": subject, "roles": roles, "permissions": [], "iat": now, "exp": now + 600, "type": "access",
        "house": house,
    });
    let token = encode(&Header::default(), &claims, &EncodingKey::from_secret(SECRET.as_bytes()).expect("a key"))
        .expect("a token");
    Caller { api, token: format!("Bearer {token}") }
}

impl Caller<'_> {
    pub(crate) async fn get(&self, target: impl Into<String>) -> Answer {
        self.api.get(target).header("authorization", &self.token).await
    }

    pub(crate) async fn post(&self, target: impl Into<String>, body: &Value) -> Answer {
        self.api.post(target, body).header("authorization", &self.token).await
    }

    pub(crate) async fn put(&self, target: impl Into<String>, body: &Value) -> Answer {
        self.api.put(target, body).header("authorization", &self.token).await
    }

    pub(crate) async fn patch(&self, target: impl Into<String>, body: &Value) -> Answer {
        self.api.patch(target, body).header("authorization", &self.token).await
    }

    pub(crate) async fn delete(&self, target: impl Into<String>) -> Answer {
        self.api.delete(target).header("authorization", &self.token).await
    }

    /// Creates a record and returns it.
    pub(crate) async fn create(&self, prefix: &str, body: Value) -> Value {
        self.post(prefix, &body).await.created()
    }
}
