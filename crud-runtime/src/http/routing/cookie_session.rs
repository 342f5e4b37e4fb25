//! [`CookieSession`]: sessions of pages in a browser.

use axum::Json;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::Value;

use super::argument::valid::Valid;
use super::context::Context;
use super::route::routes::Routes;
use super::route::{Route, post};
use crate::Schema;
use crate::auth::IssuedTokens;
use crate::model::access::Access;
use crate::model::problem::{Code, Problem};

/// The name of the cookie. Browsers accept the cookie only from the host itself, and only over TLS or from this machine
/// (RFC 6265bis, section 4.1.3.2).
const COOKIE: &str = "__Host-crud-session";

/// The largest size of a body, in bytes: enough for a refresh token.
const BODY_LIMIT: usize = 32 * 1024;

/// Routes of a session in a browser: the refresh token is in a cookie that no script reads, and the access token in the memory
/// of the page. All pages of a service share the cookie, so that a user logs in once.
///
/// | Route | |
/// |---|---|
/// | `POST {path}/login` | name and password in, an access token out |
/// | `POST {path}/adopt` | the same for the refresh token of another login, which is renewed |
/// | `POST {path}/refresh` | a new access token for the cookie |
/// | `POST {path}/tenant` | the same for another tenant of the user |
/// | `POST {path}/logout` | ends the sessions of the access token and of the cookie, and removes the cookie |
///
/// Each is for pages of the service's own origin: a request that does not say so by `Sec-Fetch-Site` or `Origin` is
/// refused with 403 `permission_denied`.
///
/// ```
/// use crud_runtime::routing::CookieSession;
/// # use crud_runtime::prelude::*;
/// # async fn build(auth: crud_runtime::auth::Auth) -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.auth(auth).routes(CookieSession::routes("/session"));
/// # Ok(()) }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct CookieSession;

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

/// The refresh token of another login.
#[derive(Schema)]
struct Adoption {
    /// The refresh token.
    #[crud(write_only)]
    refresh_token: String,
}

/// Another tenant of the user.
#[derive(Schema)]
struct TenantChange {
    /// A tenant that the user is a member of.
    tenant: Value,
}

/// An access token.
#[derive(Serialize)]
struct PageSession {
    access_token: String,
    expires_in: u64,
}

impl CookieSession {
    /// The routes, below a path such as `/admin/session`, for a service that issues tokens.
    pub fn routes(path: &str) -> Routes {
        let all = [
            ("login", post(log_in)),
            ("adopt", post(adopt)),
            ("tenant", post(change_tenant)),
            ("refresh", post(refresh)),
            ("logout", post(log_out)),
        ];
        all.into_iter().fold(Routes::new(), |routes, (name, route)| routes.route(format!("{path}/{name}"), own(route)))
    }
}

/// A route for pages of the service's own origin.
fn own(route: Route) -> Route {
    let route = route.access(Access::Public).check(async |ctx: Context| same_origin(ctx.headers()));
    route.no_store().body_limit(BODY_LIMIT).undocumented()
}

async fn log_in(ctx: Context, Valid(login): Valid<Login>) -> Result<Response, Problem> {
    let Login { username, password, tenant } = login;
    Ok(started(ctx.log_in(&username, password, tenant).await?))
}

async fn adopt(ctx: Context, Valid(adoption): Valid<Adoption>) -> Result<Response, Problem> {
    Ok(started(ctx.refresh(adoption.refresh_token).await?))
}

async fn change_tenant(ctx: Context, Valid(change): Valid<TenantChange>) -> Result<Response, Problem> {
    Ok(started(ctx.change_tenant(&change.tenant).await?))
}

async fn refresh(ctx: Context) -> Result<Response, Problem> {
    let token = cookie(ctx.headers()).ok_or_else(|| Problem::of(Code::RefreshFailed))?;
    Ok(started(ctx.refresh(token.to_owned()).await?))
}

/// Without sessions that can be revoked, the cookie is all there is to remove. The access token of a page that was left
/// for long has expired, and the session of its cookie goes on.
async fn log_out(ctx: Context) -> Response {
    drop(ctx.log_out().await);
    if let (Some(token), Ok(auth)) = (cookie(ctx.headers()), ctx.auth()) {
        drop(auth.logout_of(token).await);
    }
    ([(header::SET_COOKIE, set_cookie("", "; Max-Age=0"))], StatusCode::NO_CONTENT).into_response()
}

/// The answer with the tokens of a session.
fn started(tokens: IssuedTokens) -> Response {
    let IssuedTokens { access_token, refresh_token, expires_in } = tokens;
    let cookie = [(header::SET_COOKIE, set_cookie(&refresh_token, ""))];
    (cookie, Json(PageSession { access_token, expires_in })).into_response()
}

/// The cookie with a value, which lasts until the browser is closed.
fn set_cookie(value: &str, more: &str) -> String {
    format!("{COOKIE}={value}; Path=/; HttpOnly; Secure; SameSite=Strict{more}")
}

/// The refresh token of a request. `None` where there are several, because a page of a subdomain may have set one.
fn cookie(headers: &HeaderMap) -> Option<&str> {
    let headers = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = headers.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut values = pairs.filter(|(name, _)| *name == COOKIE).map(|(_, value)| value);
    values.next().filter(|value| values.next().is_none() && !value.is_empty())
}

/// Refuses a request that is not from a page of the service's origin. Browsers state the origin by `Sec-Fetch-Site`,
/// and without TLS only by `Origin`.
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
    let refused = || Problem::new(Code::PermissionDenied, "the session is for pages of the service itself");
    is_own.then_some(()).ok_or_else(refused)
}
