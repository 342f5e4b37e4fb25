//! [`IssuerAccess`]: the roles and the tenant that an issuer's claims give.

use serde_json::Value;

/// The roles and the tenant of a person, which a program makes of an issuer's claims: see
/// [`LoginIssuer::claims`](crate::LoginIssuer::claims).
///
/// ```
/// use crud_accounts::IssuerAccess;
///
/// let access = IssuerAccess::new().roles(["editor"]).tenant(7);
/// # let _ = access;
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[must_use]
pub struct IssuerAccess {
    pub(crate) roles: Option<Vec<String>>,
    pub(crate) tenant: Option<Value>,
}

impl IssuerAccess {
    /// A person whose roles are those that the service gives it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the roles, in place of those that the user has: the issuer says them, at each login. With a
    /// [`tenant`](Self::tenant), they are those of a new membership.
    pub fn roles<T: Into<String>>(self, roles: impl IntoIterator<Item = T>) -> Self {
        Self { roles: Some(roles.into_iter().map(Into::into).collect()), ..self }
    }

    /// Sets the tenant that the person becomes a member of, and logs in to.
    pub fn tenant(self, tenant: impl Into<Value>) -> Self {
        Self { tenant: Some(tenant.into()), ..self }
    }
}
