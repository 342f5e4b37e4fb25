//! A service with one user, and forged tokens.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use crud_runtime::auth::{self, Auth, AuthBuilder, TokenKey, Users};
use crud_tests::{Answer, Api, on_each_backend};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode, get_current_timestamp};
use serde_json::{Value, json};

/// The service's signing secret.
pub(crate) const SECRET: &str = "the secret of the tests, which is public";

/// The one user's name.
pub(crate) const ADA: &str = "ada";

/// The one user's password.
pub(crate) const PASSWORD: &str = "correct horse";

/// Authentication with the secret.
pub(crate) fn auth() -> AuthBuilder {
    Auth::builder().secret(SECRET).login_attempts(1000, Duration::from_mins(1))
}

/// Runs a test against a service with this authentication and one user, an editor who may purge orders.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
pub(crate) fn on_service(auth: impl Fn() -> AuthBuilder, test: impl AsyncFn(&Api, &Users)) {
    on_each_backend(async |database| {
        let service = database.service().await.auth(auth().build().expect("the authentication"));
        let service = service.migrate().await.expect("the tables of authentication");
        let users = service.users();
        users.create_user(ADA, PASSWORD).await.expect("the user");
        users.set_roles(ADA, ["editor"]).await.expect("the user's roles");
        users.grant(ADA, ["orders:purge"]).await.expect("the user's permissions");
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        test(&api, &users).await;
        api.stop().await;
    });
}

/// The tokens of a login.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tokens {
    pub(crate) access: String,
    pub(crate) refresh: String,
}

impl Tokens {
    pub(crate) fn from_body(body: &Value) -> Self {
        let text = |name: &str| body[name].as_str().expect("a token").to_owned();
        Self { access: text("access_token"), refresh: text("refresh_token") }
    }
}

/// Sends a login.
pub(crate) async fn try_login(api: &Api, username: &str, password: &str) -> Answer {
    api.post("/auth/login", &json!({ "username": username, "password": password })).await
}

/// Logs the user in.
pub(crate) async fn login(api: &Api) -> Tokens {
    Tokens::from_body(&try_login(api, ADA, PASSWORD).await.ok())
}

/// Sends a refresh.
pub(crate) async fn refresh(api: &Api, token: &str) -> Answer {
    api.post("/auth/refresh", &json!({ "refresh_token": token })).await
}

/// Requests the profile with a token.
pub(crate) async fn profile(api: &Api, token: &str) -> Answer {
    api.get("/profile").header("authorization", &format!("Bearer {token}")).await
}

/// Claims that the service accepts in a token signed with its secret.
pub(crate) fn claims() -> Value {
    let now = get_current_timestamp();
    json!({ "sub": "1", "roles": ["editor"], "permissions": [], "iat": now, "exp": now + 600, "type": "access" })
}

/// [`claims`] with these changes; a null removes a claim.
pub(crate) fn claims_with(changes: &Value) -> Value {
    let mut claims = claims();
    for (name, value) in changes.as_object().expect("changes") {
        claims[name] = value.clone();
    }
    claims.as_object_mut().expect("claims").retain(|_, value| !value.is_null());
    claims
}

/// A token signed with the service's secret.
pub(crate) fn sign(claims: &Value) -> String {
    sign_with(&Header::new(Algorithm::HS256), claims, &secret_key(SECRET))
}

/// A secret as a key. HMAC fills keys up with zeros: one zero is the empty secret, which `jsonwebtoken` does not take.
pub(crate) fn secret_key(secret: &str) -> EncodingKey {
    let bytes = if secret.is_empty() { b"\0" } else { secret.as_bytes() };
    EncodingKey::from_secret(bytes).expect("a key")
}

/// Installs the service's cryptography in the process, by which these tests sign too; its first key does so.
pub(crate) fn install_cryptography() {
    drop(TokenKey::secret(auth::Algorithm::Hs256, SECRET).expect("a secret"));
}

/// A token with any header and key.
pub(crate) fn sign_with(header: &Header, claims: &Value, key: &EncodingKey) -> String {
    install_cryptography();
    encode(header, claims, key).expect("a token")
}

/// A decoded part of a token: 0 is the header, 1 the claims.
pub(crate) fn part(token: &str, index: usize) -> Value {
    let part = token.split('.').nth(index).expect("a part");
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).expect("base64url")).expect("JSON")
}

/// JSON encoded as a part of a token.
pub(crate) fn encode_part(json: &Value) -> String {
    URL_SAFE_NO_PAD.encode(json.to_string())
}
