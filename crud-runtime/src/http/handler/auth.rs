//! Authentication's routes: `POST /auth/login`, `POST /auth/refresh`, `POST /auth/logout`, `POST /auth/password`,
//! `GET /profile`.

use std::sync::Arc;

use axum::Router;
use axum::extract::{FromRequestParts, Request};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use serde::Serialize;
use tokio::time::Instant;

use super::BodyReader;
use super::response::json;
use crate::auth::{Auth, CurrentUser};
use crate::http::body;
use crate::http::client_address;
use crate::http::frame::{self, Frame};
use crate::http::param::query_string;
use crate::http::state::ServiceState;
use crate::model::problem::Problem;

/// The maximum size of a body, in bytes: enough for a refresh token.
const MAX_BODY: usize = 32 * 1024;

/// Adds the routes that the service's authentication has.
pub(crate) fn add(router: Router, state: &ServiceState) -> Router {
    let Some(auth) = state.auth() else { return router };
    let mut router = router.route_service("/profile", route(state, auth, Route::Profile));
    if auth.issues_tokens() {
        router = router.route_service("/auth/login", route(state, auth, Route::Login));
        router = router.route_service("/auth/refresh", route(state, auth, Route::Refresh));
    }
    if auth.has_logout() {
        router = router.route_service("/auth/logout", route(state, auth, Route::Logout));
    }
    if auth.has_password_route() {
        router = router.route_service("/auth/password", route(state, auth, Route::Password));
    }
    router
}

#[derive(Debug, Clone, Copy)]
enum Route {
    Login,
    Refresh,
    Logout,
    Password,
    Profile,
}

impl Route {
    const fn method(self) -> Method {
        match self {
            Self::Login | Self::Refresh | Self::Logout | Self::Password => Method::POST,
            Self::Profile => Method::GET,
        }
    }
}

fn route(state: &ServiceState, auth: &Arc<Auth>, route: Route) -> axum::routing::MethodRouter {
    let (state, auth) = (state.clone(), auth.clone());
    any(move |request: Request| async move {
        if *frame::method(&request) != route.method() {
            return frame::not_allowed(&[route.method()], request.method());
        }
        let frame = Frame::new(route.method() == Method::GET).no_store();
        frame.answer(&state, request, |request, deadline| respond(&state, &auth, route, request, deadline)).await
    })
}

async fn respond(
    state: &ServiceState,
    auth: &Auth,
    route: Route,
    request: Request,
    deadline: Instant,
) -> Result<Response, Problem> {
    let (mut parts, body) = request.into_parts();
    match (parts.uri.query(), route) {
        (None, _) | (_, Route::Profile) => {}
        (query, Route::Login | Route::Refresh) => query_string::check_names(query, &[])?,
        (query, Route::Logout | Route::Password) => {
            state.authenticate(&parts.headers).await?;
            query_string::check_names(query, &[])?;
        }
    }
    let limits = state.limits();
    let mut body_reader =
        BodyReader::new(body, limits.body_idle, deadline, state.memory_of(&parts.headers, &parts.extensions));
    let max_size = MAX_BODY.min(limits.body);
    match route {
        Route::Login => {
            let bytes = body_reader.json(&parts, max_size).await?;
            let [username, password] = body::string_members(&bytes, "TokenRequest", ["username", "password"])?;
            let address = client_address::of_request(&parts.headers, &parts.extensions, auth.proxy_hops);
            Ok(json_response(&auth.login(&username, password, address).await?))
        }
        Route::Refresh => {
            let bytes = body_reader.json(&parts, max_size).await?;
            let [token] = body::string_members(&bytes, "RefreshTokenRequest", ["refresh_token"])?;
            Ok(json_response(&auth.refresh(token).await?))
        }
        Route::Logout => {
            auth.logout(&parts.headers).await?;
            Ok(StatusCode::NO_CONTENT.into_response())
        }
        Route::Password => {
            // Before the body is read: a stranger learns nothing of it.
            state.authenticate(&parts.headers).await?.ok_or_else(|| Problem::denied(true))?;
            let bytes = body_reader.json(&parts, max_size).await?;
            let passwords = body::string_members(&bytes, "PasswordChange", ["old_password", "new_password"])?;
            let address = client_address::of_request(&parts.headers, &parts.extensions, auth.proxy_hops);
            auth.change_password(&parts.headers, state.app(), passwords, address).await?;
            Ok(StatusCode::NO_CONTENT.into_response())
        }
        Route::Profile => {
            let user = <CurrentUser as FromRequestParts<ServiceState>>::from_request_parts(&mut parts, state).await?;
            query_string::check_names(parts.uri.query(), &[])?;
            Ok(json_response(&serde_json::json!({ "user_id": user.user_id(), "roles": user.roles() })))
        }
    }
}

fn json_response(body: &impl Serialize) -> Response {
    json(StatusCode::OK, serde_json::to_vec(body).unwrap_or_default())
}
