//! The link of a 401 to the login: `Link: </auth/login>; rel="login"`.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;

use crate::model::problem::Code;
use crate::response::WrittenProblem;

/// Adds the link to the answer to a request without a token. The service is under this mount, with a login at this
/// path.
pub(super) fn add(response: &mut Response, mount: &str, login: &str) {
    if response.status() != StatusCode::UNAUTHORIZED {
        return;
    }
    let code = response.extensions().get::<WrittenProblem>().map(|written| written.to_problem().code());
    let lacks_token = matches!(code, Some(Code::AuthenticationFailed | Code::InvalidToken | Code::TokenExpired));
    if let Some(link) = HeaderValue::try_from(format!("<{mount}{login}>; rel=\"login\"")).ok().filter(|_| lacks_token) {
        response.headers_mut().append(header::LINK, link);
    }
}
