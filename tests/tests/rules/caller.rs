use jsonwebtoken::{EncodingKey, Header, encode, get_current_timestamp};
use serde_json::{Value, json};

pub(crate) const SECRET: &str = "the secret of these tests, which is public";

/// The `Authorization` of a caller of this id with these roles.
pub(crate) fn bearer(subject: &str, roles: &[&str]) -> String {
    with_claims(subject, roles, &json!({}))
}

/// The `Authorization` of staff of a shop.
pub(crate) fn staff_of(shop: i64) -> String {
    with_claims("1", &["staff"], &json!({ "shop": shop }))
}

/// The `Authorization` of a caller with claims of the program's.
pub(crate) fn with_claims(subject: &str, roles: &[&str], more: &Value) -> String {
    let now = get_current_timestamp();
    let mut claims = json!({
        "sub": subject, "roles": roles, "permissions": [], "iat": now, "exp": now + 600, "type": "access",
    });
    claims.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    let token = encode(&Header::default(), &claims, &EncodingKey::from_secret(SECRET.as_bytes()).expect("a key"))
        .expect("a token");
    format!("Bearer {token}")
}
