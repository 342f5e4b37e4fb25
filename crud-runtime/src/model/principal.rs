//! [`Principal`]: who sends a request.

use std::sync::Arc;

use super::actor::Actor;

/// Who sends a request, and what they may do. Cheap to clone but for its lists.
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
    /// Who is called this, without roles or permissions.
    pub fn new(subject: impl Into<Arc<str>>) -> Self {
        Self { subject: subject.into(), roles: Vec::new(), permissions: Vec::new() }
    }

    /// The same with these roles.
    #[must_use]
    pub fn with_roles<T: Into<String>>(mut self, roles: impl IntoIterator<Item = T>) -> Self {
        self.roles = roles.into_iter().map(Into::into).collect();
        self
    }

    /// The same with these permissions.
    #[must_use]
    pub fn with_permissions<T: Into<String>>(mut self, permissions: impl IntoIterator<Item = T>) -> Self {
        self.permissions = permissions.into_iter().map(Into::into).collect();
        self
    }

    /// What they are called: the `sub` of the token.
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// Their roles, such as `admin`.
    pub fn roles(&self) -> &[String] {
        &self.roles
    }

    /// Their permissions, such as `orders:purge`.
    pub fn permissions(&self) -> &[String] {
        &self.permissions
    }

    /// Whether they have a role.
    pub fn has_role(&self, role: &str) -> bool {
        self.roles.iter().any(|own| own == role)
    }

    /// Whether they have a permission.
    pub fn has_permission(&self, permission: &str) -> bool {
        self.permissions.iter().any(|own| own == permission)
    }

    /// Their name in the audit log.
    pub fn actor(&self) -> Actor {
        Actor::new(self.subject.clone())
    }
}
