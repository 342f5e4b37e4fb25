//! [`Principal`]: the sender of a request.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Map, Value as Json};

/// The sender of a request, with roles, permissions and claims; or the author of changes that the program makes by
/// itself.
///
/// `Principal` is also an axum extractor: a request without one is 401, or `None` for `Option<Principal>`; both refuse
/// a token that is not valid. The extractor works in every route of a service, in routers that a service merges, and in
/// other routers within the layer that `ServiceState::principals` returns.
///
/// ```
/// use crud_runtime::auth::Principal;
///
/// let ada = Principal::new("7").with_roles(["editor"]).with_permissions(["orders:purge"]);
/// assert!(ada.has_role("editor") && !ada.has_role("admin"));
/// assert_eq!(ada.user_id(), Some(7));
///
/// let customer = Principal::new("8").with_tenant(1).with_claim("customer", 12);
/// assert_eq!(customer.claim("customer").and_then(|claim| claim.as_i64()), Some(12));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    subject: Arc<str>,
    roles: Vec<String>,
    permissions: Vec<String>,
    claims: Map<String, Json>,
    tenant: Option<Json>,
    delegate: Option<Arc<str>>,
    limit: Option<Arc<Limit>>,
}

/// The user's roles and permissions to which a delegate is limited.
#[derive(Debug, PartialEq, Eq)]
struct Limit {
    roles: Vec<String>,
    permissions: Vec<String>,
}

impl Principal {
    /// The principal with this subject, without roles or permissions.
    pub fn new(subject: impl Into<Arc<str>>) -> Self {
        let (roles, permissions, claims) = (Vec::new(), Vec::new(), Map::new());
        Self { subject: subject.into(), roles, permissions, claims, tenant: None, delegate: None, limit: None }
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

    /// Adds a claim, such as a customer's id.
    #[must_use]
    pub fn with_claim(mut self, name: impl Into<String>, value: impl Into<Json>) -> Self {
        self.claims.insert(name.into(), value.into());
        self
    }

    /// Adds claims.
    #[must_use]
    pub fn with_claims(mut self, claims: Map<String, Json>) -> Self {
        self.claims.extend(claims);
        self
    }

    /// Sets the tenant; of a request's principal it is the claim that
    /// `AuthBuilder::tenant_claim` names.
    #[must_use]
    pub fn with_tenant(self, tenant: impl Into<Json>) -> Self {
        Self { tenant: Some(tenant.into()), ..self }
    }

    /// Marks a principal that acts for its user, such as an API key `key:ci-server` or an agent. It has the user's records; the
    /// audit log and the log of requests name it as [`actor`](Self::actor). [Personal](../routing/struct.Route.html#method.personal) routes
    /// refuse it.
    ///
    /// ```
    /// use crud_runtime::auth::Principal;
    ///
    /// let key = Principal::new("7").with_roles(["editor", "admin"]).via("key:ci-server").limited_to(["editor"], [""; 0]);
    /// assert_eq!((key.user_id(), &*key.actor()), (Some(7), "key:ci-server of 7"));
    /// ```
    #[must_use]
    pub fn via(self, delegate: impl Into<Arc<str>>) -> Self {
        Self { delegate: Some(delegate.into()), ..self }
    }

    /// Limits the principal to these of its roles and permissions. The service applies the limit once the principal of
    /// a request has all of its roles, implied ones and those of a membership too. A role here also admits the roles
    /// that it implies.
    #[must_use]
    pub fn limited_to<R: Into<String>, P: Into<String>>(
        self,
        roles: impl IntoIterator<Item = R>,
        permissions: impl IntoIterator<Item = P>,
    ) -> Self {
        let roles = roles.into_iter().map(Into::into).collect();
        let permissions = permissions.into_iter().map(Into::into).collect();
        Self { limit: Some(Arc::new(Limit { roles, permissions })), ..self }
    }

    /// The delegate that acts for the user, such as `key:ci-server`; `None` where the user acts.
    pub fn delegate(&self) -> Option<&str> {
        self.delegate.as_deref()
    }

    /// The author of changes, as logs name it: the subject, or the delegate with the subject, such as `key:ci-server of 7`.
    pub fn actor(&self) -> Cow<'_, str> {
        match &self.delegate {
            None => Cow::Borrowed(&self.subject),
            Some(delegate) => Cow::Owned(format!("{delegate} of {}", self.subject)),
        }
    }

    /// The principal with the permissions that its limit allows, and the roles of the limit.
    pub(crate) fn within_permissions(mut self) -> (Self, Option<Vec<String>>) {
        let Some(limit) = self.limit.take() else { return (self, None) };
        self.permissions.retain(|permission| limit.permissions.contains(permission));
        (self, Some(limit.roles.clone()))
    }

    /// The subject: the `sub` of the token.
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// The subject as a number, if it is one: the key of the user, where keys are integers.
    pub fn user_id(&self) -> Option<i64> {
        // `+7` and `007` are names, not the number 7.
        self.subject.parse().ok().filter(|id: &i64| id.to_string() == *self.subject)
    }

    /// The roles, such as `admin`.
    pub fn roles(&self) -> &[String] {
        &self.roles
    }

    /// The permissions, such as `orders:purge`.
    pub fn permissions(&self) -> &[String] {
        &self.permissions
    }

    /// A claim beside the subject, the roles and the permissions, such as a customer's id.
    pub fn claim(&self, name: &str) -> Option<&Json> {
        self.claims.get(name)
    }

    /// The claims beside the subject, the roles and the permissions.
    pub fn claims(&self) -> &Map<String, Json> {
        &self.claims
    }

    /// The tenant, if the token names one.
    pub fn tenant(&self) -> Option<&Json> {
        self.tenant.as_ref()
    }

    /// Whether the principal has a role.
    pub fn has_role(&self, role: &str) -> bool {
        self.roles.iter().any(|own| own == role)
    }

    /// Whether the principal has a permission.
    pub fn has_permission(&self, permission: &str) -> bool {
        self.permissions.iter().any(|own| own == permission)
    }
}

impl From<&Self> for Principal {
    fn from(principal: &Self) -> Self {
        principal.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::Principal;

    #[test]
    fn only_a_canonical_integer_is_a_user_id() {
        assert_eq!(Principal::new("42").user_id(), Some(42));
        assert_eq!(Principal::new("-1").user_id(), Some(-1));
        for name in ["", "ada", "+7", "007", "1.0", "9223372036854775808"] {
            assert_eq!(Principal::new(name).user_id(), None, "{name}");
        }
    }
}
