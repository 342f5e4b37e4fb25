//! [`Challenge`]: the header `WWW-Authenticate` of responses (RFC 9110, section 11.6.1).

use std::sync::Arc;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;

use crate::http::description::security_scheme::SecurityScheme;
use crate::response::WrittenProblem;

/// The challenges in place of RFC 6750's, which problems have by themselves.
#[derive(Debug, Clone)]
pub(crate) struct Challenge {
    /// The scheme by which clients send tokens, such as `Token`; `None` for a service without tokens.
    tokens: Option<Arc<str>>,
    /// The challenges of the other security schemes.
    others: Vec<HeaderValue>,
}

/// The challenge where no scheme has one: a 401 has to have a challenge.
const UNSTATED: &str = "Custom realm=\"api\"";

impl Challenge {
    /// The challenges of a service without tokens, with these schemes.
    pub(crate) fn of_program<'s>(schemes: impl IntoIterator<Item = &'s SecurityScheme>) -> Self {
        let mut others = of_schemes(schemes);
        if others.is_empty() {
            others.push(HeaderValue::from_static(UNSTATED));
        }
        Self { tokens: None, others }
    }

    /// The challenges of a service with tokens, which clients send by this scheme; `None` where the one of RFC 6750 is
    /// enough.
    #[cfg(feature = "auth")]
    pub(crate) fn beside_tokens<'s>(
        tokens: &Arc<str>,
        schemes: impl IntoIterator<Item = &'s SecurityScheme>,
    ) -> Option<Self> {
        let mut others = of_schemes(schemes);
        others.retain(|challenge| !is_of(challenge, tokens));
        (&**tokens != "Bearer" || !others.is_empty()).then(|| Self { tokens: Some(tokens.clone()), others })
    }

    /// The response with these challenges.
    pub(crate) fn apply(&self, mut response: Response) -> Response {
        let is_refused = response.status() == StatusCode::UNAUTHORIZED;
        let Some(rest) = response.headers().get(header::WWW_AUTHENTICATE).and_then(of_tokens) else { return response };
        let own = match &self.tokens {
            // A router of the program may ask for tokens by itself.
            None if response.extensions().get::<WrittenProblem>().is_none() => return response,
            None => None,
            Some(scheme) => HeaderValue::try_from(format!("{scheme} {rest}")).ok(),
        };
        let headers = response.headers_mut();
        headers.remove(header::WWW_AUTHENTICATE);
        for challenge in own.into_iter().chain(self.others.iter().filter(|_| is_refused).cloned()) {
            headers.append(header::WWW_AUTHENTICATE, challenge);
        }
        response
    }
}

/// Whether a challenge is of a scheme.
#[cfg(feature = "auth")]
fn is_of(challenge: &HeaderValue, scheme: &str) -> bool {
    let of = challenge.to_str().ok().and_then(|text| text.split(' ').next());
    of.is_some_and(|of| of.eq_ignore_ascii_case(scheme))
}

/// The challenges of security schemes, each once.
fn of_schemes<'s>(schemes: impl IntoIterator<Item = &'s SecurityScheme>) -> Vec<HeaderValue> {
    let mut all: Vec<HeaderValue> = Vec::new();
    for challenge in schemes.into_iter().filter_map(of_scheme).map(HeaderValue::from_static) {
        if !all.contains(&challenge) {
            all.push(challenge);
        }
    }
    all
}

/// The parameters of a challenge by RFC 6750.
fn of_tokens(value: &HeaderValue) -> Option<String> {
    value.to_str().ok()?.strip_prefix("Bearer ").map(str::to_owned)
}

/// The challenge of a security scheme, where a client can do something about it. Cookies and keys have no registered
/// scheme: their challenges say what the request lacks, and no client takes them for another scheme.
fn of_scheme(scheme: &SecurityScheme) -> Option<&'static str> {
    match (scheme.get("type"), scheme.get("in"), scheme.get("scheme")) {
        ("apiKey", "cookie", _) => Some("Cookie realm=\"api\""),
        ("apiKey", ..) => Some("ApiKey realm=\"api\""),
        ("oauth2" | "openIdConnect", ..) | ("http", _, "bearer") => Some("Bearer realm=\"api\""),
        ("http", _, "basic") => Some("Basic realm=\"api\""),
        // Other schemes need parameters that only the program has.
        _ => None,
    }
}
