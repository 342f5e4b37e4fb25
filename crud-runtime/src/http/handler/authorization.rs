//! [`AuthorizedRequest`]: a request that may use its route, its principal, and the access that it needs.

use std::sync::Arc;

use axum::body::Body;
use axum::http::request::Parts;
use tokio::time::Instant;

use crate::http::body::{BodyKind, BodyRules};
use crate::http::head::Head;
use crate::http::param::log::VisibleEntries;
use crate::http::state::ServiceState;
use crate::model::access::Enforcement;
use crate::model::descriptor::{Descriptor, Operation};
use crate::model::principal::Principal;
use crate::model::problem::Problem;
use crate::query::assignments::Assignments;
use crate::query::claims::{claim_text, is_exempt, tenant_required};
use crate::query::record_scope::RecordScope;
use crate::query::visibility::FieldVisibility;
use crate::storage::layers::tenant_read_audit::TenantReadAudit;
use crate::store::scope::caller::Caller;

/// A request that may use its route: [`admit`](crate::http::admission::admit) makes it.
pub(crate) struct AuthorizedRequest {
    /// The state for the request's sender.
    pub(crate) state: ServiceState,
    pub(crate) identity: RequestIdentity,
    pub(crate) parts: Parts,
    /// The body, still unread.
    pub(crate) body: Body,
    /// The deadline of the request.
    pub(crate) deadline: Instant,
    /// Observer of the request's reads, where reads in other tenants get audit entries.
    pub(crate) reads: Option<Arc<dyn TenantReadAudit>>,
}

/// The principal of a request for a resource, with the fields and the records that it sees.
#[derive(Debug, Clone)]
pub(crate) struct RequestIdentity {
    /// The author of changes in audit entries: the principal, or the one that a layer names.
    pub(crate) actor: Option<Arc<Principal>>,
    pub(crate) principal: Option<Arc<Principal>>,
    /// The visible fields.
    pub(crate) view: FieldVisibility,
    /// The visible records.
    pub(crate) records: RecordScope,
    /// Whether the request may have the values of soft-deleted records: it has the access of `restore`.
    pub(crate) sees_deleted: bool,
}

impl RequestIdentity {
    /// The identity of a principal, or of an anonymous request, for a route without a resource.
    pub(crate) fn without_resource(state: &ServiceState, principal: Option<Principal>, parts: &Parts) -> Self {
        let principal = principal.map(Arc::new);
        let actor = principal.clone().or_else(|| state.parts().principals.named_actor(&parts.extensions).map(Arc::new));
        let view = FieldVisibility::default().reached_at(state.reached_at(parts));
        Self { actor, principal, view, records: RecordScope::default(), sees_deleted: true }
    }

    /// The identity of the same sender for a resource.
    pub(crate) fn of_resource(&self, state: &ServiceState, resource: &'static Descriptor) -> Self {
        let records = RecordScope::new(resource, self.principal.as_deref()).by_clock(state.app().clock());
        let sees_deleted = sees_deleted(state, self, resource);
        let (actor, principal) = (self.actor.clone(), self.principal.clone());
        Self { actor, principal, view: self.fields(resource), records, sees_deleted }
    }

    /// The visible fields of a resource, in answers to the request.
    pub(crate) fn fields(&self, resource: &'static Descriptor) -> FieldVisibility {
        FieldVisibility::new(resource, self.principal.as_deref()).reached_at(self.view.reached().cloned())
    }

    /// The sender of the request, as the caller of the program's operations.
    pub(crate) fn caller(&self, enforcement: Enforcement) -> Caller {
        Caller::of_request(self.principal.clone(), enforcement)
    }

    /// Rules for the fields that the principal's bodies may set.
    ///
    /// # Errors
    /// Errors of [`Assignments::new`] for a create.
    pub(crate) fn body_rules(
        &self,
        resource: &'static Descriptor,
        body_kind: BodyKind,
    ) -> Result<BodyRules<'_>, Problem> {
        let assignments = match body_kind {
            BodyKind::Create => Assignments::new(resource, self.principal.as_deref())?,
            BodyKind::Update => Assignments::default(),
        };
        let (principal, may_keep) = (self.principal.as_deref(), body_kind == BodyKind::Update);
        Ok(BodyRules { principal, body_kind, assignments, may_keep, ..BodyRules::without_principal(&self.view) })
    }
}

/// Whether an identity sees the values of soft-deleted records.
fn sees_deleted(state: &ServiceState, identity: &RequestIdentity, resource: &Descriptor) -> bool {
    // Where lists show deleted records to everyone, the answer to a change reveals nothing new. But the change must not
    // restore them.
    let are_shown =
        resource.soft_delete.is_some_and(|delete| delete.include_deleted_by_default && !delete.auto_restore_on_update);
    are_shown || may(state, identity, Operation::Restore, resource)
}

/// Requires the access of an operation in addition to that of the route.
///
/// # Errors
/// 401 when a required token is missing, 403 when the principal lacks the access.
pub(crate) fn require_access(
    state: &ServiceState,
    identity: &RequestIdentity,
    operation: Operation,
    resource: &Descriptor,
) -> Result<(), Problem> {
    if may(state, identity, operation, resource) { Ok(()) } else { Err(denied(identity.principal.as_deref())) }
}

/// Whether a request has the access of an operation in addition to that of the route.
pub(crate) fn may(
    state: &ServiceState,
    identity: &RequestIdentity,
    operation: Operation,
    resource: &Descriptor,
) -> bool {
    state.enforcement().admits(&resource.access, operation, identity.principal.as_deref())
}

/// The principal of a request with this head, which needs a role where the service has authentication.
///
/// # Errors
/// 401 when a required token is missing, 403 when the principal lacks the access.
pub(crate) async fn authorize_role(
    state: &ServiceState,
    head: Head<'_>,
    role: &str,
) -> Result<Option<Principal>, Problem> {
    let principal = state.authenticate(head).await?;
    let permitted = principal.as_ref().is_some_and(|principal| principal.has_role(role));
    if state.is_secured() && !permitted { Err(denied(principal.as_ref())) } else { Ok(principal) }
}

/// The principal of a request that may read the log of all resources. Without authentication, the log is open where the
/// history of every audited resource is.
///
/// # Errors
/// 401 when a required token is missing, 403 when the principal lacks the access.
pub(crate) async fn authorize_log(state: &ServiceState, head: Head<'_>) -> Result<Option<Principal>, Problem> {
    let reader = authorize_role(state, head, &state.parts().audit_role).await?;
    let mut audited = state.mounted().iter().map(|mounted| mounted.resource()).filter(|of| of.audit.is_some());
    let is_open = |resource: &Descriptor| state.enforcement().admits(&resource.access, Operation::History, None);
    if state.is_secured() || audited.all(is_open) { Ok(reader) } else { Err(denied(None)) }
}

/// The entries of the log that a reader sees: those of its tenant, and those of resources that exempt the reader from
/// having a tenant.
///
/// # Errors
/// `tenant_required` for a reader without a tenant that no resource exempts.
pub(crate) fn visible_entries(state: &ServiceState, reader: Option<&Principal>) -> Result<VisibleEntries, Problem> {
    if !state.is_secured() {
        return Ok(VisibleEntries::All);
    }
    let tenant = reader.and_then(Principal::tenant).map(claim_text);
    let of_tenants = state.mounted().iter().map(|mounted| mounted.resource()).filter(|of| of.tenant.is_some());
    let (exempt, bound): (Vec<_>, Vec<_>) = of_tenants.partition(|resource| is_exempt(resource, reader));
    match (tenant, exempt.is_empty(), bound.is_empty()) {
        (None, true, true) | (_, false, true) => Ok(VisibleEntries::All),
        (None, true, false) => Err(tenant_required(reader)),
        (tenant, ..) => Ok(VisibleEntries::Of { tenant, exempt }),
    }
}

/// The problem of a request that lacks the access: 401 without a principal, 403 with one.
pub(crate) fn denied(principal: Option<&Principal>) -> Problem {
    Problem::denied(principal.is_none())
}
