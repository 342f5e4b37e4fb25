//! [`Caller`]: the sender of a request, for whom the program works.

use std::sync::Arc;

use crate::model::access::Access;
use crate::model::principal::Principal;

/// The sender of a request, or a principal that the program names. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    principal: Option<Arc<Principal>>,
    /// Whether access applies: to requests, where the service has authentication.
    checks_access: bool,
}

impl Caller {
    /// The sender of a request; none is an anonymous one.
    pub(crate) const fn of_request(principal: Option<Arc<Principal>>, is_secured: bool) -> Self {
        Self { principal, checks_access: is_secured }
    }

    /// A principal that the program names, of which no access is checked.
    pub(super) const fn named(principal: Arc<Principal>) -> Self {
        Self { principal: Some(principal), checks_access: false }
    }

    pub(crate) fn principal(&self) -> Option<&Principal> {
        self.principal.as_deref()
    }

    /// Whether an access rule admits it.
    pub(super) fn has_access(&self, access: Access) -> bool {
        !self.checks_access || access.admits(self.principal())
    }
}
