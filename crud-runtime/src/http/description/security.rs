//! [`Security`]: the authentication that the document describes.

use std::sync::Arc;

use super::security_scheme::SecurityScheme;

/// The authentication that the document describes, where a service has it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact by itself")]
pub struct Security {
    /// Whether the service issues tokens: `/auth/login` and `/auth/refresh`.
    pub login: bool,
    /// Whether users change their passwords: `/auth/password`.
    pub password: bool,
    /// Whether the service revokes tokens: `/auth/logout`.
    pub logout: bool,
    /// The role that may read the audit log of all resources.
    pub audit_role: Arc<str>,
    /// The role that may manage users over HTTP: `/auth/users`, if there is one.
    pub users_role: Option<Arc<str>>,
    /// Whether that role counts for principals that are not in the service's table of users.
    pub users_role_of_any_source: bool,
    /// Whether requests have tokens, in the `Authorization` header.
    pub has_tokens: bool,
    /// The scheme of the `Authorization` header: `Bearer`, unless clients send another one.
    pub scheme: Arc<str>,
    /// The lifetime of an access token, in seconds.
    pub access_lifetime: u64,
    /// Whether browsers may send credentials by themselves, such as cookies, which pages of other origins must not use.
    pub is_sent_by_browsers: bool,
    /// Security schemes of the program, by name. A request needs one of the schemes, or a token.
    pub schemes: Vec<(String, SecurityScheme)>,
}

impl Security {
    /// Authentication by tokens that the service neither issues nor revokes.
    pub fn new(audit_role: impl Into<Arc<str>>) -> Self {
        Self {
            login: false,
            password: false,
            logout: false,
            audit_role: audit_role.into(),
            users_role: None,
            users_role_of_any_source: false,
            has_tokens: true,
            scheme: "Bearer".into(),
            access_lifetime: 900,
            is_sent_by_browsers: false,
            schemes: Vec::new(),
        }
    }
}
