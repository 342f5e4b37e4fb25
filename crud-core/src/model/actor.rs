//! [`Actor`]: the author of a change.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde_json::Value as Json;

/// The author of a change, as the audit log records it. Cheap to clone.
///
/// Over HTTP it is an extension of the request, which a middleware can set. In a program's own code
/// `Store::acting_as` sets it.
///
/// ```
/// use crud_runtime::Actor;
/// use crud_runtime::axum::extract::Request;
/// use crud_runtime::axum::middleware::{self, Next};
/// # use crud_runtime::prelude::*;
/// # async fn build(service: Service) -> crud_runtime::Result<()> {
///
/// let app = service.into_router()?.layer(middleware::from_fn(async |mut request: Request, next: Next| {
///     request.extensions_mut().insert(Actor::new("42"));
///     next.run(request).await
/// }));
/// # let _ = app; Ok(()) }
/// ```
#[derive(Clone)]
pub struct Actor {
    subject: Arc<str>,
    /// The tenant of its principal.
    tenant: Option<Arc<Json>>,
}

impl PartialEq for Actor {
    fn eq(&self, other: &Self) -> bool {
        self.subject == other.subject
    }
}

impl Eq for Actor {}

impl Hash for Actor {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.subject.hash(state);
    }
}

impl Actor {
    /// The actor with this subject: the `sub` of a token.
    pub fn new(subject: impl Into<Arc<str>>) -> Self {
        Self { subject: subject.into(), tenant: None }
    }

    /// Adds the tenant to the actor.
    pub(super) fn with_tenant(self, tenant: Option<&Json>) -> Self {
        Self { tenant: tenant.cloned().map(Arc::new), ..self }
    }

    /// The subject.
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// The tenant of its principal, which the stores of a transaction take.
    #[doc(hidden)]
    pub fn tenant(&self) -> Option<&Json> {
        self.tenant.as_deref()
    }

    /// The subject as a number, if it is one.
    pub fn user_id(&self) -> Option<i64> {
        // `+7` and `007` are names, not the number 7.
        self.subject.parse().ok().filter(|id: &i64| id.to_string() == *self.subject)
    }
}

impl fmt::Debug for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Actor").field(&&*self.subject).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::Actor;

    #[test]
    fn only_a_canonical_integer_is_a_user_id() {
        assert_eq!(Actor::new("42").user_id(), Some(42));
        assert_eq!(Actor::new("-1").user_id(), Some(-1));
        for name in ["", "ada", "+7", "007", "1.0", "9223372036854775808"] {
            assert_eq!(Actor::new(name).user_id(), None, "{name}");
        }
    }
}
