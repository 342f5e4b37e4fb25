//! Sessions: `POST /auth/login`, `/auth/refresh`, `/auth/logout` and `/auth/password`, and `GET /profile`.

use axum::http::StatusCode;
use serde::Serialize;
use serde_json::json;

use super::{NoParameters, to_schema};
use crate::Schema;
use crate::auth::IssuedTokens;
use crate::http::action::ctx::Ctx;
use crate::http::action::query::Query;
use crate::http::action::typed::Typed;
use crate::http::action::valid::Valid;
use crate::http::action::{Action, Handler};
use crate::http::openapi::auth::TAG;
use crate::http::openapi::json_schema::Schema as Document;
use crate::http::openapi::schema::body;
use crate::http::openapi::security::Security;
use crate::http::openapi::words::{Answer, Words};
use crate::model::access::Access;
use crate::model::problem::{Code, Problem};

/// The largest size of a body, in bytes: enough for a refresh token.
const BODY_LIMIT: usize = 32 * 1024;

/// The beginning of a token.
const TOKEN: &str = "eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9…";

/// The credentials.
#[derive(Schema)]
struct TokenRequest {
    /// The user's name.
    username: String,
    /// The password.
    #[crud(write_only)]
    password: String,
}

/// The refresh token.
#[derive(Schema)]
struct RefreshTokenRequest {
    /// The refresh token of a login or a refresh.
    refresh_token: String,
}

/// The old password and the new one.
#[derive(Schema)]
struct PasswordChange {
    /// The password until now.
    #[crud(write_only)]
    old_password: String,
    /// The new password, of at least 8 characters and at most 1024 bytes.
    #[crud(write_only, min_length = 8, max_length = 1024)]
    new_password: String,
}

/// The authenticated user.
#[derive(Serialize)]
struct Profile {
    user_id: String,
    roles: Vec<String>,
}

/// The routes that the service's authentication has.
pub(super) fn actions(security: &Security) -> Vec<Action<Handler>> {
    let mut all = Vec::new();
    if security.login {
        all.extend([login_route(security.access_lifetime), refresh_route(security.access_lifetime)]);
    }
    all.extend(security.logout.then(logout_route));
    all.extend(security.password.then(password_route));
    all.push(profile_route());
    all
}

fn session(action: Action, id: &str, summary: &str, description: &str) -> Action {
    let action = action.operation_id(id).summary(summary).description(description);
    action.tags([TAG]).no_store().body_limit(BODY_LIMIT)
}

fn login_route(lifetime: u64) -> Action<Handler> {
    let description = "Returns the tokens of a user with these credentials.";
    session(Action::post("/auth/login"), "login", "Log in", description)
        .access(Access::Public)
        .problems([Code::InvalidCredentials, Code::TooManyRequests])
        .reworded(move |words| {
            let example = json!({ "username": "admin", "password": "a long password" });
            let credentials = passwords(body(TokenRequest::DESCRIPTOR), &["password"]).example(example);
            with_tokens(words.json("The credentials.", Document::named("TokenRequest", credentials)), lifetime)
        })
        .handler(login)
}

async fn login(
    ctx: Ctx,
    _: Query<NoParameters>,
    Valid(body): Valid<TokenRequest>,
) -> Result<Typed<IssuedTokens>, Problem> {
    Ok(Typed(ctx.auth()?.login(&body.username, body.password, ctx.client_address()).await?))
}

fn refresh_route(lifetime: u64) -> Action<Handler> {
    let description = "Returns a new access token for a refresh token.";
    session(Action::post("/auth/refresh"), "refresh", "Get a new access token", description)
        .access(Access::Public)
        .problems([Code::RefreshFailed])
        .reworded(move |words| {
            let token = body(RefreshTokenRequest::DESCRIPTOR).example(json!({ "refresh_token": TOKEN }));
            with_tokens(words.json("The refresh token.", Document::named("RefreshTokenRequest", token)), lifetime)
        })
        .handler(refresh)
}

async fn refresh(
    ctx: Ctx,
    _: Query<NoParameters>,
    Valid(body): Valid<RefreshTokenRequest>,
) -> Result<Typed<IssuedTokens>, Problem> {
    Ok(Typed(ctx.auth()?.refresh(body.refresh_token).await?))
}

fn logout_route() -> Action<Handler> {
    let description = "Revokes all tokens of the session that the access token belongs to.";
    session(Action::post("/auth/logout"), "logout", "Log out", description)
        .access(Access::Authenticated)
        .problems([])
        .reworded(|words| words.answered_with("The session's tokens are revoked."))
        .handler(logout)
}

async fn logout(ctx: Ctx, _: Query<NoParameters>) -> Result<(), Problem> {
    ctx.auth()?.logout(ctx.headers()).await
}

fn password_route() -> Action<Handler> {
    let description = "Sets the password of the user of the access token, who knows the old one.";
    session(Action::post("/auth/password"), "changePassword", "Change the password", description)
        .access(Access::Authenticated)
        .problems([Code::TooManyRequests])
        .reworded(|words| {
            let example = json!({ "old_password": "a long password", "new_password": "a longer password" });
            let change = passwords(body(PasswordChange::DESCRIPTOR), &["old_password", "new_password"]);
            let words = words.json("The passwords.", Document::named("PasswordChange", change.example(example)));
            words.answered_with("The password is changed: log in again. Refresh tokens issued before are refused.")
        })
        .handler(change_password)
}

async fn change_password(ctx: Ctx, _: Query<NoParameters>, Valid(body): Valid<PasswordChange>) -> Result<(), Problem> {
    let passwords = [body.old_password, body.new_password];
    ctx.auth()?.change_password(ctx.headers(), ctx.app(), passwords, ctx.client_address()).await
}

fn profile_route() -> Action<Handler> {
    let description = "The user and the roles that the access token names.";
    session(Action::get("/profile"), "getProfile", "Get the authenticated user", description)
        .access(Access::Authenticated)
        .reworded(|words| words.answered_with("The authenticated user."))
        .handler(profile)
}

async fn profile(ctx: Ctx, _: Query<NoParameters>) -> Result<Typed<Profile>, Problem> {
    let user = ctx.principal().ok_or_else(|| Problem::denied(true))?;
    Ok(Typed(Profile { user_id: user.subject().to_owned(), roles: user.roles().to_vec() }))
}

/// A body with these passwords.
pub(super) fn passwords(mut body: Document, names: &[&str]) -> Document {
    for name in names {
        body.change(name, |password| password.with("format", "password"));
    }
    body
}

/// The words of a route that answers with tokens.
fn with_tokens(words: Words, lifetime: u64) -> Words {
    let tokens = Answer::json("The tokens.", Document::named("TokenResponse", tokens(lifetime)));
    Words { answers: vec![(StatusCode::OK, tokens)], ..words }
}

/// The schema of tokens with this lifetime, in seconds.
fn tokens(lifetime: u64) -> Document {
    Document::object()
        .about("The tokens of a user.")
        .member("access_token", Document::text().about("The access token, for `Authorization: Bearer …`."))
        .member("refresh_token", Document::text().about("The refresh token, for a new access token."))
        .member("expires_in", Document::count().about("The lifetime of the access token, in seconds."))
        .example(json!({ "access_token": TOKEN, "refresh_token": TOKEN, "expires_in": lifetime }))
}

to_schema! {
    IssuedTokens, "TokenResponse", tokens(900);
    Profile, "Profile", Document::object()
        .about("The authenticated user.")
        .member("user_id", Document::text().about("The `sub` of the token."))
        .member("roles", Document::array(Document::text()).about("The user's roles, such as `admin`."))
        .example(json!({ "user_id": "1", "roles": ["admin"] }));
}
