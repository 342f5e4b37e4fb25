//! [`PrincipalSource`]: where the principals of requests come from.

use std::sync::Arc;

use axum::http::{Extensions, HeaderValue, header};
use axum::response::Response;

use serde_json::Value as Json;

use super::head::Head;
use super::param::header::tenant;
use super::same_origin;
use super::state::ServiceState;
#[cfg(feature = "auth")]
use crate::auth::Auth;
use crate::auth::AuthParts;
use crate::auth::memberships::Memberships;
use crate::model::access::{AccessRules, Enforcement, Roles};
use crate::model::principal::Principal;
use crate::model::problem::{Code, Problem};
use crate::storage::future::BoxFuture;

/// Source of the principals of requests, to which access rules apply.
#[derive(Clone, Default)]
pub(crate) enum PrincipalSource {
    /// No source: requests have no principal. A service that states a rule does not start.
    #[default]
    Missing,
    /// No source, and the program says that its rules are not enforced.
    Waived,
    /// The sources of a service with authentication.
    Present(Arc<Sources>),
}

/// The sources of a service with authentication. The first that has a principal for a request decides.
#[derive(Default)]
pub(crate) struct Sources {
    /// Whether layers set principals, as extensions of requests.
    pub(crate) layers: bool,
    /// Functions of the program and of plugins, in the order in which they are asked.
    pub(crate) functions: Vec<Authenticate>,
    /// Whether an answer may depend on credentials that are not in `Authorization`.
    pub(crate) is_private: bool,
    /// The service's own authentication, by tokens.
    #[cfg(feature = "auth")]
    pub(crate) tokens: Option<Arc<Auth>>,
    /// The origins of other pages that may send cookies.
    pub(crate) origins: Vec<String>,
    /// The memberships of users in tenants, where a resource states them.
    pub(crate) memberships: Option<Arc<Memberships>>,
    /// Roles that reach beyond one tenant. No membership grants them, since its author may belong to one tenant only.
    pub(crate) beyond_tenants: Vec<String>,
    /// The roles, and what they imply.
    pub(crate) roles: Roles,
    /// Access rules for operations for which a resource states none.
    pub(crate) default_access: Option<&'static AccessRules>,
}

/// Tenant claim of a principal, by its source.
#[derive(Debug, Clone, Copy, Default)]
struct TenantClaim {
    /// Whether a token makes the claim: the user may have left the tenant since.
    is_of_token: bool,
    /// Whether the claim needs no membership: a test states it.
    is_exempt: bool,
}

/// The future of a request's principal.
pub(crate) type Authenticating = BoxFuture<'static, Result<Option<Principal>, Problem>>;

/// A function that authenticates requests.
pub(crate) type Authenticate = Arc<dyn Fn(ServiceState, AuthParts) -> Authenticating + Send + Sync>;

/// The principal of a request of a test, which needs no token.
#[cfg(all(feature = "auth", feature = "testing"))]
#[derive(Debug, Clone)]
pub(crate) struct TestPrincipal(pub(crate) Principal);

/// Mark of a request whose token a test has made: its principal belongs to the tenant that the test states, without a
/// membership.
#[cfg(all(feature = "auth", feature = "testing"))]
#[derive(Debug, Clone)]
pub(crate) struct TestToken;

impl PrincipalSource {
    /// Whether requests can have principals.
    pub(crate) const fn is_present(&self) -> bool {
        matches!(self, Self::Present(_))
    }

    /// Whether an answer may depend on credentials that are not in `Authorization`.
    pub(crate) fn is_private(&self) -> bool {
        matches!(self, Self::Present(sources) if sources.is_private)
    }

    /// Whether a resource states the memberships of users in tenants.
    pub(crate) fn has_memberships(&self) -> bool {
        matches!(self, Self::Present(sources) if sources.memberships.is_some())
    }

    /// The rules that apply to requests.
    pub(crate) fn enforcement(&self) -> Enforcement {
        match self {
            Self::Missing => Enforcement::Stated,
            Self::Waived => Enforcement::None,
            Self::Present(sources) => sources.default_access.map_or(Enforcement::All, Enforcement::WithDefault),
        }
    }

    /// The sources, where the service has some.
    #[cfg(feature = "auth")]
    pub(crate) fn sources(&self) -> Option<&Sources> {
        match self {
            Self::Present(sources) => Some(sources.as_ref()),
            Self::Missing | Self::Waived => None,
        }
    }

    /// The principal of a request with this head, with its tenant and every role that it has; `None` without a
    /// principal or without a source.
    ///
    /// # Errors
    /// 401 when the token is not valid, or is for a tenant that its user is not a member of; the problem of the
    /// program's function; `permission_denied` when a page of another origin may have sent the request, or when the
    /// request or the program names a tenant that the user is not a member of.
    pub(crate) async fn authenticate(
        &self,
        state: &ServiceState,
        head: Head<'_>,
    ) -> Result<Option<Principal>, Problem> {
        let Self::Present(sources) = self else { return Ok(None) };
        // Boxed: requests without a source do not reserve memory for this future.
        Box::pin(sources.authenticate(state, head)).await
    }

    /// The principal that a layer names as the author of changes. It counts only where the service has no
    /// authentication. Elsewhere a request has the principal that the service has authenticated, and the audit log
    /// names no other.
    pub(crate) fn named_actor(&self, extensions: &Extensions) -> Option<Principal> {
        let set = extensions.get::<Principal>().filter(|_| !self.is_present());
        set.filter(|actor| is_named(actor)).cloned()
    }

    /// Keeps an answer out of shared caches, where it may depend on credentials outside `Authorization`. Shared caches
    /// do not store answers to requests with `Authorization` (RFC 9111, section 3.5). A `Cache-Control` that the answer
    /// has stays.
    pub(crate) fn keep_private(&self, response: &mut Response) {
        if self.is_private() {
            response.headers_mut().entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("private"));
        }
    }
}

impl Sources {
    /// Whether the program authenticates requests.
    pub(crate) const fn is_of_program(&self) -> bool {
        self.layers || !self.functions.is_empty()
    }

    /// The principal of a request with this head.
    ///
    /// # Errors
    /// Errors of [`PrincipalSource::authenticate`].
    async fn authenticate(&self, state: &ServiceState, head: Head<'_>) -> Result<Option<Principal>, Problem> {
        #[cfg(all(feature = "auth", feature = "testing"))]
        if let Some(TestPrincipal(principal)) = head.extensions.get() {
            let claim = TenantClaim { is_exempt: true, ..TenantClaim::default() };
            return self.complete(principal.clone(), claim, head).await.map(Some);
        }
        let Some((principal, claim)) = self.find(state, head).await? else { return Ok(None) };
        #[cfg(all(feature = "auth", feature = "testing"))]
        let claim = TenantClaim { is_exempt: head.extensions.get::<TestToken>().is_some(), ..claim };
        self.complete(principal, claim, head).await.map(Some)
    }

    /// The principal of a request, and the tenant claim of its source.
    async fn find(&self, state: &ServiceState, head: Head<'_>) -> Result<Option<(Principal, TenantClaim)>, Problem> {
        if let Some(principal) = self.of_program(state, head).await? {
            same_origin::check(head, &self.origins)?;
            return Ok(Some((principal, TenantClaim::default())));
        }
        #[cfg(feature = "auth")]
        if let Some(auth) = &self.tokens {
            let claim = TenantClaim { is_of_token: true, ..TenantClaim::default() };
            return Ok(auth.authenticate(head.headers).await?.map(|principal| (principal, claim)));
        }
        Ok(None)
    }

    /// The principal with its tenant and all of its roles. Principals of every source are completed here.
    async fn complete(&self, principal: Principal, claim: TenantClaim, head: Head<'_>) -> Result<Principal, Problem> {
        let principal = self.in_tenant(principal, claim, head).await?;
        Ok(self.roles.completed(principal))
    }

    /// The principal in its tenant, with the roles of its membership. The source names the tenant, or else the request
    /// does.
    async fn in_tenant(&self, principal: Principal, claim: TenantClaim, head: Head<'_>) -> Result<Principal, Problem> {
        let Some(memberships) = &self.memberships else { return Ok(principal) };
        let named = tenant::named(head.headers)?;
        let claimed = principal.tenant().filter(|tenant| !tenant.is_null()).cloned();
        let is_of_token = claim.is_of_token && claimed.is_some();
        let tenant: Json = match (claimed, named) {
            (None, None) => return Ok(principal),
            (Some(_), _) if claim.is_exempt => return Ok(principal),
            (Some(claimed), None) => claimed,
            (claimed, Some(text)) => match memberships.named(text) {
                Some(tenant) if claimed.is_none_or(|claimed| claimed == tenant) => tenant,
                _ => return Err(not_a_member()),
            },
        };
        match self.as_member(memberships, principal, tenant).await? {
            Some(principal) => Ok(principal),
            // Refused like a revoked token: the user logs in again, for another tenant.
            None if is_of_token => Err(Problem::new(
                Code::InvalidToken,
                "the token is for a tenant that its user is not a member of: log in again",
            )),
            None => Err(not_a_member()),
        }
    }

    /// The principal with the roles of its membership in a tenant; `None` if it is not a member.
    async fn as_member(
        &self,
        memberships: &Memberships,
        principal: Principal,
        tenant: Json,
    ) -> Result<Option<Principal>, Problem> {
        // Boxed: requests of services without memberships do not reserve memory for this future.
        let Some(roles) = Box::pin(memberships.roles(principal.subject(), &tenant)).await? else { return Ok(None) };
        let is_new = |role: &&String| !principal.has_role(role) && !self.beyond_tenants.contains(role);
        let added: Vec<String> = roles.iter().filter(is_new).cloned().collect();
        let all: Vec<String> = principal.roles().iter().cloned().chain(added).collect();
        Ok(Some(principal.with_roles(all).with_tenant(tenant)))
    }

    /// A user of the service with every role that it has now, in a tenant; `None` if the user is disabled or deleted, or
    /// not a member of the tenant.
    ///
    /// # Errors
    /// Errors of [`Auth::current_principal`]; `internal` without authentication of the service's own.
    #[cfg(feature = "auth")]
    pub(crate) async fn current(&self, subject: &str, tenant: Option<&Json>) -> Result<Option<Principal>, Problem> {
        let missing = || Problem::internal("the service has no authentication: call `Service::auth`");
        let auth = self.tokens.as_ref().ok_or_else(missing)?;
        let Some(user) = auth.current_principal(subject).await? else { return Ok(None) };
        let tenant = tenant.or(user.tenant()).filter(|tenant| !tenant.is_null()).cloned();
        let user = match (&self.memberships, tenant) {
            (Some(memberships), Some(tenant)) => self.as_member(memberships, user, tenant).await?,
            _ => Some(user),
        };
        Ok(user.map(|user| self.roles.completed(user)))
    }

    /// The principal of a layer, or of the first function that has one.
    async fn of_program(&self, state: &ServiceState, head: Head<'_>) -> Result<Option<Principal>, Problem> {
        let set = head.extensions.get::<Principal>().filter(|_| self.layers).cloned();
        let principal = match set {
            Some(set) => Some(set),
            None if self.functions.is_empty() => None,
            None => self.of_functions(state, head.into()).await?,
        };
        match principal {
            Some(principal) if !is_named(&principal) => Err(Problem::of(Code::AuthenticationFailed)),
            principal => Ok(principal),
        }
    }

    /// The principal of the first function that has one; a refusal ends the search.
    async fn of_functions(&self, state: &ServiceState, parts: AuthParts) -> Result<Option<Principal>, Problem> {
        for find in &self.functions {
            if let Some(principal) = find(state.clone(), parts.clone()).await? {
                return Ok(Some(principal));
            }
        }
        Ok(None)
    }
}

/// The refusal of a tenant that a request names, whether the tenant exists or not.
fn not_a_member() -> Problem {
    Problem::new(Code::PermissionDenied, "the user is not a member of the tenant that the request names")
}

/// Whether a principal has a subject that storage takes. All requests whose header is empty would share an empty
/// subject.
fn is_named(principal: &Principal) -> bool {
    !principal.subject().is_empty() && !principal.subject().contains('\0')
}
