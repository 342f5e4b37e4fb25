//! The session of the page: the refresh token is in a cookie that no script reads, the access token in the page's memory.
//!
//! | Route | |
//! |---|---|
//! | `POST /admin/session/login` | name and password in, an access token out |
//! | `POST /admin/session/refresh` | a new access token for the cookie |
//! | `POST /admin/session/tenant` | the same for another tenant of the user |
//! | `POST /admin/session/logout` | ends the session of the access token, and removes the cookie |
//!
//! The cookie names no path: a browser takes that of the routes, `/admin/session` (RFC 6265, section 5.1.4), also under a mount
//! and behind a proxy that changes paths, of which a service does not know.

use crud_runtime::access::Access;
use crud_runtime::auth::IssuedTokens;
use crud_runtime::axum::Json;
use crud_runtime::axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use crud_runtime::axum::response::{IntoResponse, Response};
use crud_runtime::error::{Code, Problem};
use crud_runtime::routing::{Context, Route, Routes, Valid, post};
use crud_runtime::{Model, Schema};
use serde::Serialize;
use serde_json::Value;

/// The name of the cookie. Browsers take it by TLS alone, and from this machine.
const COOKIE: &str = "__Secure-crud-admin";

/// The name, the password, and a tenant of the user.
#[derive(Schema)]
struct Login {
    /// The name of the user.
    username: String,
    /// The password.
    #[crud(write_only)]
    password: String,
    /// A tenant that the user is a member of.
    tenant: Option<Value>,
}

/// Another tenant of the user.
#[derive(Schema)]
struct TenantChange {
    /// A tenant that the user is a member of.
    tenant: Value,
}

/// An access token.
#[derive(Serialize)]
struct Session {
    access_token: String,
    expires_in: u64,
}

/// Whether users log in by the service's own routes.
pub(crate) fn is_possible(model: &Model) -> bool {
    let Some(login) = model.path("/auth/login") else { return false };
    model.access_table().routes().iter().any(|route| route.method == "POST" && route.path == login)
}

pub(crate) fn routes(path: &str) -> Routes {
    let route = |route: Route| route.access(Access::Public).check(async |ctx: Context| same_origin(ctx.headers()));
    let route = |it: Route| route(it).no_store().body_limit(32 * 1024).undocumented();
    Routes::new()
        .route(format!("{path}/session/login"), route(post(log_in)))
        .route(format!("{path}/session/tenant"), route(post(change_tenant)))
        .route(format!("{path}/session/refresh"), route(post(refresh)))
        .route(format!("{path}/session/logout"), route(post(log_out)))
}

async fn log_in(ctx: Context, Valid(login): Valid<Login>) -> Result<Response, Problem> {
    let Login { username, password, tenant } = login;
    Ok(started(ctx.log_in(&username, password, tenant).await?))
}

async fn change_tenant(ctx: Context, Valid(change): Valid<TenantChange>) -> Result<Response, Problem> {
    Ok(started(ctx.change_tenant(&change.tenant).await?))
}

async fn refresh(ctx: Context) -> Result<Response, Problem> {
    let token = cookie(ctx.headers()).ok_or_else(|| Problem::of(Code::RefreshFailed))?;
    Ok(started(ctx.refresh(token.to_owned()).await?))
}

/// Without sessions that can be revoked, the cookie is all there is to remove.
async fn log_out(ctx: Context) -> Response {
    drop(ctx.log_out().await);
    ([(header::SET_COOKIE, set_cookie("", "; Max-Age=0"))], StatusCode::NO_CONTENT).into_response()
}

/// The answer with the tokens of a session.
fn started(tokens: IssuedTokens) -> Response {
    let IssuedTokens { access_token, refresh_token, expires_in, .. } = tokens;
    let cookie = [(header::SET_COOKIE, set_cookie(&refresh_token, ""))];
    (cookie, Json(Session { access_token, expires_in })).into_response()
}

/// The cookie of a value, until the browser ends.
fn set_cookie(value: &str, more: &str) -> String {
    format!("{COOKIE}={value}; HttpOnly; Secure; SameSite=Strict{more}")
}

/// The refresh token of a request. `None` for several, of which a page of a subdomain may have set one.
fn cookie(headers: &HeaderMap) -> Option<&str> {
    let headers = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = headers.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut values = pairs.filter(|(name, _)| *name == COOKIE).map(|(_, value)| value);
    values.next().filter(|value| values.next().is_none() && !value.is_empty())
}

/// Refuses a request that is not of a page of the service's origin. Browsers say it by `Sec-Fetch-Site`, and without TLS by
/// `Origin` alone.
fn same_origin(headers: &HeaderMap) -> Result<(), Problem> {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let is_own = match (headers.get("sec-fetch-site").map(HeaderValue::as_bytes), text(header::ORIGIN)) {
        (Some(site), _) => site == b"same-origin",
        (None, Some(origin)) => {
            let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
            host.is_some() && host == text(header::HOST)
        }
        (None, None) => false,
    };
    let refused = || Problem::new(Code::PermissionDenied, "the session of the admin page is for the page itself");
    is_own.then_some(()).ok_or_else(refused)
}
