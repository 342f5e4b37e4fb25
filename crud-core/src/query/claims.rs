//! Tenants, subjects and claims of principals as values of columns.

use serde_json::Value as Json;

use crate::model::access::Access;
use crate::model::descriptor::{ColumnDescriptor, Descriptor, Tenant};
use crate::model::principal::Principal;
use crate::model::problem::{Code, Problem};
use crate::model::scalar;
use crate::model::value::{Kind, Value};

/// The problem of a token without a tenant, or of a request without a token.
pub fn tenant_required(principal: Option<&Principal>) -> Problem {
    match principal {
        Some(_) => Problem::of(Code::TenantRequired),
        None => Problem::denied(true),
    }
}

/// Refuses a principal without a tenant where records have tenants.
///
/// # Errors
/// `tenant_required`; `authentication_failed` for an anonymous request.
pub fn require_tenant(resource: &'static Descriptor, principal: Option<&Principal>) -> Result<(), Problem> {
    principal_tenant(resource, principal).map(drop)
}

/// The tenant whose records a principal sees; `None` where records have no tenants, and for a principal of a role that
/// is exempt.
///
/// # Errors
/// Errors of [`require_tenant`].
pub fn principal_tenant(
    resource: &'static Descriptor,
    principal: Option<&Principal>,
) -> Result<Option<(Tenant, Value)>, Problem> {
    let tenant = resource.tenant.filter(|tenant| !is_admitted(tenant.except, principal));
    let Some(tenant) = tenant else { return Ok(None) };
    let value = tenant_value(resource, tenant, principal.and_then(Principal::tenant));
    value.map(|value| Some((tenant, value))).ok_or_else(|| tenant_required(principal))
}

/// A principal's tenant as a value of the resource's tenant column, if it is of the column's type.
pub fn tenant_value(resource: &Descriptor, tenant: Tenant, claim: Option<&Json>) -> Option<Value> {
    claim_value(&resource.columns[tenant.column], claim?)
}

/// Whether a principal sees the records of every tenant: the resource exempts it from having one.
pub fn is_exempt(resource: &Descriptor, principal: Option<&Principal>) -> bool {
    resource.tenant.is_some_and(|tenant| is_admitted(tenant.except, principal))
}

pub(super) fn is_admitted(rule: Option<Access>, principal: Option<&Principal>) -> bool {
    principal.is_some() && rule.is_some_and(|rule| rule.admits(principal))
}

/// A principal's subject as a value of a column; `None` where the column has no such value.
pub fn subject_value(column: &ColumnDescriptor, principal: &Principal) -> Option<Value> {
    scalar::parse(column, principal.subject()).ok()
}

/// A principal's tenant as a value of a text column; the empty text without a tenant. `None` for columns of other
/// types.
pub(super) fn tenant_text(column: &ColumnDescriptor, principal: Option<&Principal>) -> Option<Value> {
    let text = principal.and_then(Principal::tenant).map(claim_text).unwrap_or_default();
    (column.kind == Kind::Text).then_some(Value::Text(text))
}

/// A claim as text, as the audit log and jobs have it.
pub fn claim_text(claim: &Json) -> String {
    match claim {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A claim as a value of a column: from a JSON number for numbers, and from a string for all that JSON writes as a
/// string.
pub(super) fn claim_value(column: &ColumnDescriptor, claim: &Json) -> Option<Value> {
    let is_number = matches!(column.kind, Kind::I16 | Kind::I32 | Kind::I64 | Kind::U32);
    match claim {
        Json::Number(number) if is_number => scalar::parse(column, &number.to_string()).ok(),
        Json::String(text) if !is_number => scalar::parse(column, text).ok(),
        Json::Bool(value) if column.kind == Kind::Bool => Some(Value::Bool(*value)),
        _ => None,
    }
}
