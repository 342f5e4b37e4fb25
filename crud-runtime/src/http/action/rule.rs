//! [`RouteRule`]: the access that a route of the program needs.

use std::fmt;
use std::sync::Arc;

use crate::model::access::Access;
use crate::model::principal::Principal;

/// The access that a route of the program needs: a rule, or a role whose name is known at run time alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RouteRule {
    Access(Access),
    Role(Arc<str>),
}

impl RouteRule {
    /// Whether it admits a principal; `None` is a request without a token.
    pub(crate) fn admits(&self, principal: Option<&Principal>) -> bool {
        match self {
            Self::Access(access) => access.admits(principal),
            Self::Role(role) => principal.is_some_and(|principal| principal.has_role(role)),
        }
    }

    /// Whether it is that of every request.
    pub(crate) fn is_public(&self) -> bool {
        *self == Self::Access(Access::Public)
    }
}

/// As `access(…)` writes it, such as `role("admin")`.
impl fmt::Display for RouteRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Access(access) => access.fmt(f),
            Self::Role(role) => write!(f, "role({role:?})"),
        }
    }
}
