//! [`Challenge`]: the header `WWW-Authenticate` of responses (RFC 9110, section 11.6.1).

#[cfg(feature = "auth")]
use std::sync::Arc;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use utoipa::openapi::security::{ApiKey, HttpAuthScheme, SecurityScheme};

use crate::response::WrittenProblem;

/// The challenge in place of RFC 6750's, which problems have by themselves.
#[derive(Debug, Clone)]
pub(crate) enum Challenge {
    /// Clients send tokens by another scheme: `Token realm="api"`.
    #[cfg(feature = "auth")]
    OfTokens(Arc<str>),
    /// The program authenticates requests, and no token does: the challenge of its security scheme.
    OfProgram(HeaderValue),
}

/// The challenge where the program states no scheme that has one: a 401 has to have a challenge.
const UNSTATED: &str = "Custom realm=\"api\"";

impl Challenge {
    /// The challenge of a program that authenticates by these schemes.
    pub(crate) fn of_program<'s>(schemes: impl IntoIterator<Item = &'s SecurityScheme>) -> Self {
        Self::OfProgram(HeaderValue::from_static(schemes.into_iter().find_map(of_scheme).unwrap_or(UNSTATED)))
    }

    /// The response with this challenge.
    pub(crate) fn apply(&self, mut response: Response) -> Response {
        let headers = response.headers();
        let Some(rest) = headers.get(header::WWW_AUTHENTICATE).and_then(of_tokens) else { return response };
        #[cfg(not(feature = "auth"))]
        let _ = rest;
        let challenge = match self {
            #[cfg(feature = "auth")]
            Self::OfTokens(scheme) => HeaderValue::try_from(format!("{scheme} {rest}")).ok(),
            // A router of the program may ask for tokens by itself.
            Self::OfProgram(_) if response.extensions().get::<WrittenProblem>().is_none() => return response,
            Self::OfProgram(challenge) => (response.status() == StatusCode::UNAUTHORIZED).then(|| challenge.clone()),
        };
        let headers = response.headers_mut();
        headers.remove(header::WWW_AUTHENTICATE);
        if let Some(challenge) = challenge {
            headers.insert(header::WWW_AUTHENTICATE, challenge);
        }
        response
    }
}

/// The parameters of a challenge by RFC 6750.
fn of_tokens(value: &HeaderValue) -> Option<String> {
    value.to_str().ok()?.strip_prefix("Bearer ").map(str::to_owned)
}

/// The challenge of a security scheme, where a client can do something about it. Cookies and keys have no registered scheme:
/// theirs say what the request lacks, and no client takes them for another's.
const fn of_scheme(scheme: &SecurityScheme) -> Option<&'static str> {
    match scheme {
        SecurityScheme::ApiKey(ApiKey::Cookie(_)) => Some("Cookie realm=\"api\""),
        SecurityScheme::ApiKey(_) => Some("ApiKey realm=\"api\""),
        SecurityScheme::OAuth2(_) | SecurityScheme::OpenIdConnect(_) => Some("Bearer realm=\"api\""),
        SecurityScheme::Http(http) => match http.scheme {
            HttpAuthScheme::Basic => Some("Basic realm=\"api\""),
            HttpAuthScheme::Bearer => Some("Bearer realm=\"api\""),
            // Others need parameters that the program has.
            _ => None,
        },
        SecurityScheme::MutualTls { .. } => None,
    }
}
