//! [`RouteRule`]: the access that a route of the program needs.

use std::fmt;
use std::sync::Arc;

use crate::model::access::Access;
use crate::model::principal::Principal;

/// The access that a route of the program needs: an [`Access`], or a [`role`] whose name may be known at run time alone.
///
/// ```
/// use crud_runtime::access::Access;
/// use crud_runtime::routing::{RouteRule, role};
///
/// let rules: [RouteRule; 2] = [Access::Authenticated.into(), role("operator")];
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteRule(Rule);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Rule {
    Access(Access),
    Role(Arc<str>),
}

/// Principals with a role, whose name the program or its deployer states, such as in a variable of the environment.
///
/// ```
/// use crud_runtime::axum::Json;
/// use crud_runtime::routing::{get, role};
/// # use crud_runtime::prelude::*;
/// async fn status() -> Json<&'static str> {
///     Json("open")
/// }
///
/// # async fn build(auth: crud_runtime::auth::Auth) -> crud_runtime::Result<()> {
/// let operators = std::env::var("OPERATORS_ROLE").unwrap_or_else(|_| "operator".into());
/// let service = Service::connect("sqlite::memory:").await?.auth(auth);
/// let service = service.route("/status", get(status).access(role(operators)));
/// # Ok(()) }
/// ```
pub fn role(name: impl Into<Arc<str>>) -> RouteRule {
    RouteRule(Rule::Role(name.into()))
}

impl From<Access> for RouteRule {
    fn from(access: Access) -> Self {
        Self(Rule::Access(access))
    }
}

/// An [`Access`] or a [`RouteRule`]: what `access` of a route takes.
///
/// ```
/// use crud_runtime::access::Access;
/// use crud_runtime::routing::{Route, get, role};
///
/// let open: Route = get(async || "open").access(Access::Public);
/// let closed: Route = get(async || "closed").access(role("operator"));
/// ```
#[diagnostic::on_unimplemented(
    message = "expected the access of a route, found `{Self}`",
    label = "not an access",
    note = "accesses are those of `crud_runtime::access::Access`, such as `Access::Authenticated`, and `role(name)` of \
            `crud_runtime::routing`"
)]
pub trait IntoRouteRule: Into<RouteRule> {}

#[diagnostic::do_not_recommend]
impl<T: Into<RouteRule>> IntoRouteRule for T {}

impl RouteRule {
    /// The rule, where its names are known when the program is compiled.
    pub(crate) const fn access(&self) -> Option<Access> {
        match self.0 {
            Rule::Access(access) => Some(access),
            Rule::Role(_) => None,
        }
    }

    /// The role, where its name may be known at run time alone.
    pub(crate) const fn run_time_role(&self) -> Option<&Arc<str>> {
        match &self.0 {
            Rule::Access(_) => None,
            Rule::Role(role) => Some(role),
        }
    }

    /// Whether the rule admits a principal; `None` is a request without a token.
    pub(crate) fn admits(&self, principal: Option<&Principal>) -> bool {
        match &self.0 {
            Rule::Access(access) => access.admits(principal),
            Rule::Role(role) => principal.is_some_and(|principal| principal.has_role(role)),
        }
    }

    /// Whether the rule admits every request.
    pub(crate) fn is_public(&self) -> bool {
        self.0 == Rule::Access(Access::Public)
    }
}

/// Writes the rule as `access(…)` does, such as `role("admin")`.
impl fmt::Display for RouteRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Rule::Access(access) => access.fmt(f),
            Rule::Role(role) => write!(f, "role({role:?})"),
        }
    }
}
