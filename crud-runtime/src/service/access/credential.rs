//! [`Credential`]: the place of a source's credentials in requests.

use utoipa::openapi::security::{ApiKey, HttpAuthScheme, SecurityScheme};

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
        match scheme {
            SecurityScheme::Http(http) => match http.scheme {
                HttpAuthScheme::Basic | HttpAuthScheme::Digest | HttpAuthScheme::Negotiate => Self::OfBrowser,
                _ => Self::Secret,
            },
            SecurityScheme::OAuth2(_) | SecurityScheme::OpenIdConnect(_) => Self::Secret,
            SecurityScheme::ApiKey(ApiKey::Header(value)) if value.name.eq_ignore_ascii_case("authorization") => {
                Self::Secret
            }
            SecurityScheme::ApiKey(_) | SecurityScheme::MutualTls { .. } => Self::Elsewhere,
        }
    }
}

#[cfg(test)]
mod tests {
    use utoipa::openapi::security::{ApiKeyValue, Http};

    use super::*;

    #[test]
    fn only_credentials_of_authorization_are_kept_from_shared_caches_by_http() {
        let http = |scheme| Credential::of(&SecurityScheme::Http(Http::new(scheme)));
        assert_eq!(
            (http(HttpAuthScheme::Bearer), http(HttpAuthScheme::Basic)),
            (Credential::Secret, Credential::OfBrowser)
        );
        let header = |name: &str| Credential::of(&SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::new(name))));
        assert_eq!((header("Authorization"), header("X-Api-Key")), (Credential::Secret, Credential::Elsewhere));
        let cookie = SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::new("session")));
        assert_eq!(Credential::of(&cookie), Credential::Elsewhere);
    }
}
