//! [`Caller`]: the sender of a request, for whom the program works.

use std::sync::Arc;

use crate::model::access::Enforcement;
use crate::model::descriptor::{Descriptor, Operation};
use crate::model::principal::Principal;

/// The sender of a request, or a principal that the program names. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    principal: Option<Arc<Principal>>,
    /// The access rules that apply: to requests, those of the service.
    enforcement: Enforcement,
}

impl Caller {
    /// The sender of a request; `None`: anonymous.
    pub(crate) const fn of_request(principal: Option<Arc<Principal>>, enforcement: Enforcement) -> Self {
        Self { principal, enforcement }
    }

    /// A principal that the program names, whose access is not checked.
    pub(crate) const fn named(principal: Arc<Principal>) -> Self {
        Self { principal: Some(principal), enforcement: Enforcement::None }
    }

    pub(crate) fn principal(&self) -> Option<&Principal> {
        self.principal.as_deref()
    }

    /// Whether the caller may do an operation.
    pub(crate) fn may(&self, operation: Operation, resource: &Descriptor) -> bool {
        self.enforcement.admits(&resource.access, operation, self.principal())
    }
}
