use jsonwebtoken::{EncodingKey, Header, encode, get_current_timestamp};
use serde_json::json;

pub(crate) const SECRET: &str = "the secret of these tests, which is public";

/// The `Authorization` of a caller of this id with these roles.
pub(crate) fn bearer(subject: &str, roles: &[&str]) -> String {
    let now = get_current_timestamp();
    let claims = json!({
        "sub": subject, "roles": roles, "permissions": [], "iat": now, "exp": now + 600, "type": "access",
    });
    let token = encode(&Header::default(), &claims, &EncodingKey::from_secret(SECRET.as_bytes())).expect("a token");
    format!("Bearer {token}")
}
