//! Sessions: `POST /auth/login`, `/auth/refresh`, `/auth/logout` and `/auth/password`, and `GET /profile`.

use axum::Json;
use axum::http::StatusCode;
use serde::Serialize;
use serde_json::json;

use super::{NoParameters, tenants};
use crate::Schema;
use crate::auth::IssuedTokens;
use crate::http::description::auth::TAG;
use crate::http::description::documented_type::DocumentedType;
use crate::http::description::json_schema::Schema as Document;
use crate::http::description::operation_doc::{Answer, OperationDoc};
use crate::http::description::record_schema::body;
use crate::http::description::security::Security;
use crate::http::routing::argument::query::Query;
use crate::http::routing::argument::valid::Valid;
use crate::http::routing::context::Context;
use crate::http::routing::route::{Route, get, post};
use crate::model::access::Access;
use crate::model::descriptor::ColumnDescriptor;
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
    #[crud(write_only, length(min = 8, max = 1024))]
    new_password: String,
}

/// The authenticated user.
#[derive(Serialize)]
struct Profile {
    user_id: String,
    roles: Vec<String>,
}

/// The routes that the service's authentication has.
pub(super) fn routes(security: &Security, tenant: Option<&'static ColumnDescriptor>) -> Vec<(&'static str, Route)> {
    let mut all = Vec::new();
    if security.login {
        let lifetime = security.access_lifetime;
        let login = tenant.map_or_else(|| login_route(lifetime), |column| tenants::login_route(lifetime, column));
        all.extend([("/auth/login", login), ("/auth/refresh", refresh_route(lifetime))]);
    }
    all.extend(security.logout.then(|| ("/auth/logout", logout_route())));
    all.extend(security.password.then(|| ("/auth/password", password_route())));
    all.push(("/profile", tenant.map_or_else(profile_route, tenants::profile_route)));
    all
}

pub(super) fn session(route: Route, id: &str, summary: &str, description: &str) -> Route {
    let route = route.operation_id(id).summary(summary).description(description);
    route.tags([TAG]).no_store().body_limit(BODY_LIMIT)
}

fn login_route(lifetime: u64) -> Route {
    let description = "Returns the tokens of a user with these credentials.";
    session(post(login), "login", "Log in", description)
        .access(Access::Public)
        .problems([Code::InvalidCredentials, Code::TooManyRequests])
        .reworded(move |words| {
            with_credentials(words, passwords(body(TokenRequest::DESCRIPTOR), &["password"]), lifetime)
        })
}

/// The description of a login with this body.
pub(super) fn with_credentials(words: OperationDoc, body: Document, lifetime: u64) -> OperationDoc {
    let credentials = body.example(json!({ "username": "admin", "password": "a long password" }));
    with_tokens(words.json("The credentials.", Document::named("TokenRequest", credentials)), lifetime)
}

async fn login(
    ctx: Context,
    _: Query<NoParameters>,
    Valid(body): Valid<TokenRequest>,
) -> Result<Json<IssuedTokens>, Problem> {
    Ok(Json(ctx.log_in(&body.username, body.password, None).await?))
}

fn refresh_route(lifetime: u64) -> Route {
    let description = "Returns a new access token for a refresh token.";
    session(post(refresh), "refresh", "Get a new access token", description)
        .access(Access::Public)
        .problems([Code::RefreshFailed])
        .reworded(move |words| {
            let token = body(RefreshTokenRequest::DESCRIPTOR).example(json!({ "refresh_token": TOKEN }));
            with_tokens(words.json("The refresh token.", Document::named("RefreshTokenRequest", token)), lifetime)
        })
}

async fn refresh(
    ctx: Context,
    _: Query<NoParameters>,
    Valid(body): Valid<RefreshTokenRequest>,
) -> Result<Json<IssuedTokens>, Problem> {
    Ok(Json(ctx.refresh(body.refresh_token).await?))
}

fn logout_route() -> Route {
    let description = "Revokes all tokens of the session that the access token belongs to.";
    session(post(logout), "logout", "Log out", description)
        .access(Access::Authenticated)
        .problems([])
        .reworded(|words| words.answered_with("The session's tokens are revoked."))
}

async fn logout(ctx: Context, _: Query<NoParameters>) -> Result<(), Problem> {
    ctx.auth()?.logout(ctx.headers()).await
}

fn password_route() -> Route {
    let description = "Sets the password of the user of the access token, who knows the old one.";
    session(post(change_password), "changePassword", "Change the password", description)
        .access(Access::Authenticated)
        .problems([Code::TooManyRequests])
        .reworded(|words| {
            let example = json!({ "old_password": "a long password", "new_password": "a longer password" });
            let change = passwords(body(PasswordChange::DESCRIPTOR), &["old_password", "new_password"]);
            let words = words.json("The passwords.", Document::named("PasswordChange", change.example(example)));
            words.answered_with("The password is changed: log in again. Refresh tokens issued before are refused.")
        })
}

async fn change_password(
    ctx: Context,
    _: Query<NoParameters>,
    Valid(body): Valid<PasswordChange>,
) -> Result<(), Problem> {
    let passwords = [body.old_password, body.new_password];
    ctx.auth()?.change_password(ctx.headers(), ctx.app(), passwords, ctx.client_address()).await
}

fn profile_route() -> Route {
    let description = "The user and the roles that the access token names.";
    session(get(profile), "getServiceProfile", "Get the authenticated user", description)
        .access(Access::Authenticated)
        .reworded(|words| words.answered_with("The authenticated user."))
}

async fn profile(ctx: Context, _: Query<NoParameters>) -> Result<Json<Profile>, Problem> {
    let user = ctx.principal().ok_or_else(|| Problem::denied(true))?;
    Ok(Json(Profile { user_id: user.subject().to_owned(), roles: user.roles().to_vec() }))
}

/// The schema of a body, whose members with these names are marked as passwords.
pub(super) fn passwords(mut body: Document, names: &[&str]) -> Document {
    for name in names {
        body.change(name, |password| password.with("format", "password"));
    }
    body
}

/// The description of a route that answers with tokens.
pub(super) fn with_tokens(words: OperationDoc, lifetime: u64) -> OperationDoc {
    let tokens = Answer::json("The tokens.", Document::named("TokenResponse", tokens(lifetime)));
    OperationDoc { answers: vec![(StatusCode::OK, tokens)], ..words }
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

crate::__documented! {
    IssuedTokens, "TokenResponse", DocumentedType::new("TokenResponse", &tokens(900));
    Profile, "ServiceProfile", DocumentedType::new("ServiceProfile", &profile_schema());
}

fn profile_schema() -> Document {
    Document::object()
        .about("The authenticated user.")
        .member("user_id", Document::text().about("The `sub` of the token."))
        .member("roles", Document::array(Document::text()).about("The user's roles, such as `admin`."))
        .example(json!({ "user_id": "1", "roles": ["admin"] }))
}
