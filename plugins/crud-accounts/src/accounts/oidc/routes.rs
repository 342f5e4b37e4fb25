//! `/auth/oidc/{alias}`: the login with an issuer.
//!
//! | Route | |
//! |---|---|
//! | `GET /auth/oidc/{alias}` | leads to the issuer, with `state`, `nonce` and the challenge of PKCE |
//! | `GET /auth/oidc/{alias}/callback` | takes the issuer's code, and leads back with a code of the service for 60 seconds |
//! | `POST /auth/oidc/token` | returns the tokens of that code |

use std::sync::Arc;

use crud_runtime::access::Access;
use crud_runtime::auth::{IssuedTokens, IssuerClient};
use crud_runtime::axum::Json;
use crud_runtime::axum::http::{HeaderValue, StatusCode, header};
use crud_runtime::axum::response::{IntoResponse, Response};
use crud_runtime::error::{Code, Problem};
use crud_runtime::routing::{Context, Routes, Valid, get, post};
use crud_runtime::{Error, Result, Schema};
use serde_json::Value;

use super::attempt::{self, Attempt};
use super::login_issuer::LoginIssuer;
use super::user::Person;
use crate::accounts::factor::challenge::{Challenge, Purpose};
use crate::accounts::factor::gate::FactorGate;
use crate::accounts::factor::secret::encoded;
use crate::accounts::session_record::problem_of;
use crate::accounts::state::AccountsState;
use crate::accounts::token::Token;

/// The code of a login.
#[derive(Schema)]
struct IssuerCode {
    /// The code behind the `#` of the page's URL.
    #[crud(write_only, length(min = 64, max = 64))]
    code: String,
}

/// The routes of these issuers, below a path such as `/auth`.
pub(crate) fn all(auth: &str, issuers: &[(LoginIssuer, IssuerClient)]) -> Routes {
    let routes = issuers.iter().fold(Routes::new(), |routes, (issuer, client)| {
        let at = format!("{auth}/oidc/{}", issuer.alias);
        let both = (Arc::new(issuer.clone()), client.clone(), format!("{at}/callback"));
        let of_callback = both.clone();
        let begin = get(move |ctx: Context| begin(ctx, both.clone())).access(Access::Public).no_store();
        let callback = get(move |ctx: Context| callback(ctx, of_callback.clone())).access(Access::Public).no_store();
        routes.route(at.clone(), begin.undocumented()).route(format!("{at}/callback"), callback.undocumented())
    });
    let token = post(token).operation_id("loginWithIssuer").summary("Log in with an issuer").tags(["Accounts"]);
    let token = token.description("Returns the tokens of a login with an issuer, by the code that its page was given.");
    let token = token.problems([Code::InvalidCredentials]).no_store().body_limit(16 * 1024);
    routes.route(format!("{auth}/oidc/token"), token.access(Access::Public))
}

/// An issuer, its client, and the path of the callback.
type LoginRoute = (Arc<LoginIssuer>, IssuerClient, String);

/// Redirects to the issuer.
async fn begin(ctx: Context, (issuer, client, callback): LoginRoute) -> Result<Response> {
    let (endpoint, _) = client.authorization_endpoint().await?;
    let (attempt, redirect) = (Attempt::begin(&issuer.alias)?, redirect_uri(&ctx, &callback)?);
    let parameters = [
        ("response_type", "code"),
        ("client_id", client.client_id()),
        ("redirect_uri", &redirect),
        ("scope", &issuer.scopes.join(" ")),
        ("state", &attempt.state),
        ("nonce", &attempt.nonce),
        ("code_challenge", &attempt.challenge()),
        ("code_challenge_method", "S256"),
    ]
    .map(|(name, value)| format!("{name}={}", encoded(value)));
    let separator = if endpoint.contains('?') { '&' } else { '?' };
    Ok(see(&format!("{endpoint}{separator}{}", parameters.join("&")), &attempt.cookie())?)
}

/// Handles the answer of the issuer, and redirects to the sign-in page: with a code, or with `#failed`.
async fn callback(ctx: Context, of: LoginRoute) -> Result<Response> {
    let page = page(&ctx)?;
    let alias = of.0.alias.clone();
    match answered(&ctx, of).await.map_err(problem_of) {
        Ok((code, browser)) => Ok(see(&format!("{page}#code={}", code.text()), &attempt::kept(&browser))?),
        Err(problem) => {
            tracing::warn!(issuer = alias, problem = problem.detail(), "a login with an issuer has failed");
            Ok(see(&format!("{page}#failed"), &attempt::no_cookie())?)
        }
    }
}

/// Checks the answer of the issuer, and returns a code with which the page fetches the tokens, and the secret of the
/// browser that the code counts in.
async fn answered(ctx: &Context, (issuer, client, callback): LoginRoute) -> Result<(Token, Token)> {
    let (app, refused) = (ctx.app().unscoped(), |why: &str| Error::Problem(Problem::new(Code::PermissionDenied, why)));
    let parameter = |name: &str| ctx.query(name).unwrap_or_default();
    let attempt = Attempt::of(ctx.headers(), &issuer.alias, &parameter("state"));
    let attempt = attempt.ok_or_else(|| refused("the answer is of no login that this browser has begun"))?;
    // The answer must be from this issuer: otherwise, another issuer's code would be sent to it (RFC 9207).
    let (_, names_itself) = client.authorization_endpoint().await?;
    match ctx.query("iss") {
        Some(iss) if iss != client.issuer() => return Err(refused("the answer is of another issuer")),
        None if names_itself => return Err(refused("the answer names no issuer")),
        _ => {}
    }
    let code = ctx.query("code").filter(|code| !code.is_empty());
    let code = code.ok_or_else(|| refused("the issuer has refused the login"))?;
    let redirect = redirect_uri(ctx, &callback)?;
    let form = [
        ("grant_type", "authorization_code"),
        ("code", code.as_str()),
        ("redirect_uri", &redirect),
        ("code_verifier", &attempt.verifier),
    ];
    let answer = client.redeem(&form, issuer.secret.as_deref()).await?;
    let id_token = answer.get("id_token").and_then(Value::as_str).unwrap_or_default();
    let claims = client.verify_id_token(id_token, &attempt.nonce).await?;
    let access = issuer.access_of(&claims).ok_or_else(|| refused("the program refuses the person"))?;
    let tenant = access.tenant.clone();
    let state = app.extension::<AccountsState>()?;
    let tenant_claim = ctx.auth()?.tenant_claim();
    let person = Person { issuer: client.issuer(), claims: &claims, access, roles: &state.roles, tenant_claim };
    let user = app
        .transaction(async |tx| -> Result<_> {
            let user = person.user(tx).await?;
            person.grant(tx, &user).await?;
            Ok(user)
        })
        .await?;
    let tenant = tenant.filter(|_| app.users().is_ok_and(|users| users.has_memberships()));
    let (code, browser) = (Token::random()?, Token::random()?);
    let secret = format!("{} {}", code.text(), browser.text());
    Challenge::store(&app, Purpose::Issuer, &secret, (&user, tenant.as_ref())).await?;
    Ok((code, browser))
}

/// The tokens of a login, by its code, in the browser that began it: a link with a code of another person logs no one in
/// as that person. A user with a second factor is asked for it.
async fn token(ctx: Context, Valid(body): Valid<IssuerCode>) -> Result<Json<IssuedTokens>> {
    let app = ctx.app().unscoped();
    let over = || Error::Problem(Problem::new(Code::InvalidCredentials, "the login is over: log in again"));
    let secret = format!("{} {}", body.code, attempt::cookie_of(ctx.headers()).ok_or_else(over)?);
    let (login, user) = Challenge::find(&app, Purpose::Issuer, &secret).await?.ok_or_else(over)?;
    if !login.consume(&app).await? {
        return Err(over());
    }
    FactorGate::check_confirmed(&app, &user, login.tenant.as_ref()).await?;
    Ok(Json(ctx.log_in_as(&user.subject, login.tenant).await?))
}

/// The URL of the sign-in page, where a login ends.
fn page(ctx: &Context) -> Result<String> {
    let state = ctx.app().extension::<AccountsState>()?;
    Ok(format!("{}{}/sign-in", state.url(), state.path))
}

/// The callback's URL. It begins with the service's URL, and never with the request's `Host`.
fn redirect_uri(ctx: &Context, callback: &str) -> Result<String> {
    Ok(format!("{}{callback}", ctx.app().extension::<AccountsState>()?.url()))
}

/// A redirect (303) to a URL, which sets a cookie.
fn see(url: &str, cookie: &str) -> Result<Response, Problem> {
    let value = |text: &str| HeaderValue::from_str(text).map_err(Problem::internal);
    let headers = [(header::LOCATION, value(url)?), (header::SET_COOKIE, value(cookie)?)];
    Ok((StatusCode::SEE_OTHER, headers).into_response())
}
