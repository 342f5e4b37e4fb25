//! [`Security`]: the authentication that the document describes.

use std::sync::Arc;

/// The authentication that the document describes, where a service has it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Security {
    /// Whether the service issues tokens: `/auth/login` and `/auth/refresh`.
    pub login: bool,
    /// Whether users change their passwords: `/auth/password`.
    pub password: bool,
    /// Whether it revokes tokens: `/auth/logout`.
    pub logout: bool,
    /// The role that may read the audit log of all resources.
    pub audit_role: Arc<str>,
    /// The role that may manage users over HTTP: `/auth/users`, if there is one.
    pub users_role: Option<Arc<str>>,
    /// The scheme of the `Authorization` header: `Bearer`, unless clients send another one.
    pub scheme: Arc<str>,
    /// The lifetime of an access token, in seconds.
    pub access_lifetime: u64,
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
            scheme: "Bearer".into(),
            access_lifetime: 900,
        }
    }
}
