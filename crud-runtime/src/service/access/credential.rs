//! [`Credential`]: the place of a source's credentials in requests.

use crate::http::description::security_scheme::SecurityScheme;

/// The place of a source's credentials, by its security scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::service) enum Credential {
    /// `Authorization`, which a page has to know: no browser adds it by itself.
    Secret,
    /// `Authorization`, which browsers add for pages of other origins: `Basic` and `Digest`.
    OfBrowser,
    /// A cookie, another header, the query string, a client certificate, or unknown.
    Elsewhere,
}

impl Credential {
    /// The place that a security scheme states.
    pub(in crate::service) fn of(scheme: &SecurityScheme) -> Self {
        let is_of_authorization = scheme.get("name").eq_ignore_ascii_case("authorization");
        match (scheme.get("type"), scheme.get("scheme")) {
            ("http", "basic" | "digest" | "negotiate") => Self::OfBrowser,
            ("http" | "oauth2" | "openIdConnect", _) => Self::Secret,
            ("apiKey", _) if scheme.get("in") == "header" && is_of_authorization => Self::Secret,
            _ => Self::Elsewhere,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_credentials_of_authorization_are_kept_from_shared_caches_by_http() {
        let of = |scheme| Credential::of(&scheme);
        assert_eq!(of(SecurityScheme::bearer()), Credential::Secret);
        assert_eq!(of(SecurityScheme::basic()), Credential::OfBrowser);
        assert_eq!(of(SecurityScheme::open_id_connect("https://example.com")), Credential::Secret);
        assert_eq!(of(SecurityScheme::header("Authorization")), Credential::Secret);
        assert_eq!(of(SecurityScheme::header("X-Api-Key")), Credential::Elsewhere);
        assert_eq!(of(SecurityScheme::cookie("session")), Credential::Elsewhere);
    }
}
