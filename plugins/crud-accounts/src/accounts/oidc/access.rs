//! [`IssuerAccess`]: the roles and the tenant that an issuer's claims give.

use serde_json::Value;

/// The roles and the tenant of a person, which a program derives from an issuer's claims: see
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
    /// Access with the roles that the service itself gives the person.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the roles, which replace the user's at each login. With a [`tenant`](Self::tenant) and memberships, they
    /// are the roles of a new membership.
    pub fn roles<T: Into<String>>(self, roles: impl IntoIterator<Item = T>) -> Self {
        Self { roles: Some(roles.into_iter().map(Into::into).collect()), ..self }
    }

    /// Sets the tenant that the person joins and logs in to.
    pub fn tenant(self, tenant: impl Into<Value>) -> Self {
        Self { tenant: Some(tenant.into()), ..self }
    }
}
