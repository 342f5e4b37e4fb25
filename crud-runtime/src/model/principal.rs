//! [`Principal`]: the sender of a request.

use std::sync::Arc;

use super::actor::Actor;

/// The sender of a request, with roles and permissions.
///
/// ```
/// use crud_runtime::auth::Principal;
///
/// let ada = Principal::new("7").with_roles(["editor"]).with_permissions(["orders:purge"]);
/// assert!(ada.has_role("editor") && !ada.has_role("admin"));
/// assert_eq!(ada.actor().user_id(), Some(7));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    subject: Arc<str>,
    roles: Vec<String>,
    permissions: Vec<String>,
}

impl Principal {
    /// The principal with this subject, without roles or permissions.
    pub fn new(subject: impl Into<Arc<str>>) -> Self {
        Self { subject: subject.into(), roles: Vec::new(), permissions: Vec::new() }
    }

    /// Replaces the roles.
    #[must_use]
    pub fn with_roles<T: Into<String>>(mut self, roles: impl IntoIterator<Item = T>) -> Self {
        self.roles = roles.into_iter().map(Into::into).collect();
        self
    }

    /// Replaces the permissions.
    #[must_use]
    pub fn with_permissions<T: Into<String>>(mut self, permissions: impl IntoIterator<Item = T>) -> Self {
        self.permissions = permissions.into_iter().map(Into::into).collect();
        self
    }

    /// The subject: the `sub` of the token.
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// The roles, such as `admin`.
    pub fn roles(&self) -> &[String] {
        &self.roles
    }

    /// The permissions, such as `orders:purge`.
    pub fn permissions(&self) -> &[String] {
        &self.permissions
    }

    /// Whether the principal has a role.
    pub fn has_role(&self, role: &str) -> bool {
        self.roles.iter().any(|own| own == role)
    }

    /// Whether the principal has a permission.
    pub fn has_permission(&self, permission: &str) -> bool {
        self.permissions.iter().any(|own| own == permission)
    }

    /// The actor that the audit log records.
    pub fn actor(&self) -> Actor {
        Actor::new(self.subject.clone())
    }
}

impl From<&Principal> for Actor {
    fn from(principal: &Principal) -> Self {
        Self::new(principal.subject())
    }
}
