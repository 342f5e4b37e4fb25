//! [`RecordScope`]: the records of a resource that a principal reaches, by its tenant, its ownership and its claims.
//!
//! Every access to a resource, directly or through another one, takes its condition from here.

use serde_json::{Map, Value as Json};

use super::{Comparison, Predicate};
use crate::model::access::Access;
use crate::model::adapter_error::AdapterError;
use crate::model::changes::Changes;
use crate::model::column::owned_value;
use crate::model::descriptor::{ClaimScope, ColumnDescriptor, Descriptor, Tenant};
use crate::model::principal::Principal;
use crate::model::problem::{Code, FieldError, FieldErrors, Problem};
use crate::model::row::Row;
use crate::model::scalar;
use crate::model::value::{Kind, Value};

/// The records of a resource that a principal reaches: those that satisfy one term of each group.
#[derive(Debug, Clone, Default)]
pub struct RecordScope {
    groups: Vec<Vec<Term>>,
    /// The columns that the principal cannot change.
    fixed: Vec<usize>,
}

/// `column = value`. Without a value no record satisfies it: the principal has no such claim, or one of another type.
#[derive(Debug, Clone)]
struct Term {
    column: usize,
    value: Option<Value>,
}

impl Term {
    fn predicate(&self) -> Predicate {
        match &self.value {
            Some(value) => Predicate::Compare { column: self.column, operator: Comparison::Eq, value: value.clone() },
            None => Predicate::Or(Vec::new()),
        }
    }
}

impl RecordScope {
    /// The scope of a principal; without one, of an anonymous request.
    pub fn new(resource: &'static Descriptor, principal: Option<&Principal>) -> Self {
        let mut scope = Self::default();
        if !resource.restricts_records() {
            return scope;
        }
        if let Some(tenant) = resource.tenant {
            scope.fixed.push(tenant.column);
            if !is_admitted(tenant.except, principal) {
                let value = tenant_value(resource, tenant, principal.and_then(Principal::tenant));
                scope.groups.push(vec![Term { column: tenant.column, value }]);
            }
        }
        scope.owned_by(resource, principal)
    }

    /// The records of one tenant.
    pub fn of_tenant(tenant: Tenant, value: Value) -> Self {
        let term = Term { column: tenant.column, value: Some(value) };
        Self { groups: vec![vec![term]], fixed: vec![tenant.column] }
    }

    /// Narrows the scope to the records visible to a principal by ownership and claims.
    #[must_use]
    pub fn owned_by(mut self, resource: &'static Descriptor, principal: Option<&Principal>) -> Self {
        if let Some(owner) = resource.owner {
            if !is_admitted(owner.assign, principal) {
                self.fixed.push(owner.column);
            }
            if !is_admitted(owner.except, principal) {
                self.groups.push(vec![owner_term(resource, owner.column, principal)]);
            }
        }
        let claims = claim_terms(resource, principal);
        if !claims.is_empty() {
            self.fixed.extend(claims.iter().map(|term| term.column));
            self.groups.push(claims);
        }
        self
    }

    /// The tenant as text, where nothing else restricts the records.
    pub fn tenant_alone(&self, resource: &Descriptor) -> Option<String> {
        let [group] = &self.groups[..] else { return None };
        let tenant = group.iter().find(|term| resource.tenant.is_some_and(|tenant| tenant.column == term.column));
        tenant?.value.as_ref().map(Value::to_string)
    }

    /// Whether it restricts nothing.
    pub fn is_unrestricted(&self) -> bool {
        self.groups.is_empty()
    }

    /// The columns by whose values records are in the scope.
    pub fn columns(&self) -> impl Iterator<Item = usize> {
        self.groups.iter().flatten().map(|term| term.column)
    }

    /// The columns that the principal cannot change.
    pub fn fixed(&self) -> &[usize] {
        &self.fixed
    }

    /// The condition on the records.
    pub fn predicate(&self) -> Predicate {
        self.groups.iter().fold(Predicate::All, |all, group| {
            let [term] = &group[..] else {
                return all.and(Predicate::Or(group.iter().map(Term::predicate).collect()));
            };
            all.and(term.predicate())
        })
    }

    /// Whether a record is in the scope.
    pub fn admits(&self, resource: &Descriptor, record: &dyn Row) -> Result<bool, AdapterError> {
        for group in &self.groups {
            let mut admitted = false;
            for term in group {
                let stored = owned_value(resource.columns[term.column].kind, record.value(term.column)?).ok();
                admitted |= term.value.is_some() && term.value == stored;
            }
            if !admitted {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a record is in the scope, by its JSON. A field that HTTP never returns is in the log as `null`, where it has
    /// changed: nothing is in the scope then. Otherwise the record of now decides.
    pub fn admits_json(&self, resource: &Descriptor, record: &Map<String, Json>) -> bool {
        let satisfies = |term: &Term| {
            let column = &resource.columns[term.column];
            let value = match record.get(column.json) {
                None => return true,
                // None, or one that the log does not tell.
                Some(Json::Null) => None,
                Some(Json::String(text)) => scalar::parse(column, text).ok(),
                Some(other) => scalar::parse(column, &other.to_string()).ok(),
            };
            term.value.is_some() && term.value == value
        };
        self.groups.iter().all(|group| group.iter().any(satisfies))
    }
}

/// Values of a new record that the principal of the create determines: its tenant, its owner and the fields of its
/// claims.
#[derive(Debug, Clone, Default)]
pub struct Assignments {
    /// Groups of terms, of each of which one holds.
    groups: Vec<Vec<Term>>,
    /// The owner's column and the principal's id, where a body may name another owner.
    default_owner: Option<(usize, Value)>,
}

impl Assignments {
    /// The assignments of a principal.
    ///
    /// # Errors
    /// `permission_denied` for an anonymous request, and for a token whose subject is not a valid owner or that lacks a
    /// claim; `tenant_required`.
    pub fn new(resource: &'static Descriptor, principal: Option<&Principal>) -> Result<Self, Problem> {
        if !resource.restricts_records() {
            return Ok(Self::default());
        }
        let assignments = match principal_tenant(resource, principal)? {
            Some((tenant, value)) => Self::of_tenant(tenant, value),
            None => Self::default(),
        };
        assignments.owned_by(resource, principal)
    }

    /// The assignment of one tenant.
    pub fn of_tenant(tenant: Tenant, value: Value) -> Self {
        let term = Term { column: tenant.column, value: Some(value) };
        Self { groups: vec![vec![term]], default_owner: None }
    }

    /// Adds a principal's ownership and claims.
    ///
    /// # Errors
    /// Errors of [`new`](Self::new), but `tenant_required`.
    pub fn owned_by(mut self, resource: &'static Descriptor, principal: Option<&Principal>) -> Result<Self, Problem> {
        if let Some(owner) = resource.owner {
            let denied = |detail| Problem::new(Code::PermissionDenied, detail);
            let principal = principal.ok_or_else(|| denied("a record with an owner needs a token"))?;
            let term = owner_term(resource, owner.column, Some(principal));
            let id = term.value.clone().ok_or_else(|| denied("the token's subject is not a valid owner id"))?;
            if is_admitted(owner.assign, Some(principal)) {
                self.default_owner = Some((owner.column, id));
            } else {
                self.groups.push(vec![term]);
            }
        }
        let mut claims = claim_terms(resource, principal);
        if !claims.is_empty() {
            // A key that storage assigns is not the claim's value.
            claims.retain(|term| term.value.is_some() && !resource.columns[term.column].is_assigned());
            if claims.is_empty() {
                return Err(Problem::new(Code::PermissionDenied, "no new record would be one of the token's claims"));
            }
            self.groups.push(claims);
        }
        Ok(self)
    }

    /// Sets the assigned fields of a new record, and refuses other values.
    pub fn apply(&self, resource: &Descriptor, changes: &mut Changes, errors: &mut FieldErrors) {
        if !resource.restricts_records() {
            return;
        }
        for group in &self.groups {
            assign(resource, group, changes, errors);
        }
        if let Some((column, id)) = self.default_owner.as_ref().filter(|(column, _)| changes.get(*column).is_none()) {
            changes.set(*column, id.clone());
        }
    }
}

/// Makes one term of a group hold for a new record: the first, unless the record satisfies another.
fn assign(resource: &Descriptor, group: &[Term], changes: &mut Changes, errors: &mut FieldErrors) {
    if group.iter().any(|term| term.value.is_some() && changes.get(term.column) == term.value.as_ref()) {
        return;
    }
    let Some(Term { column, value: Some(value) }) = group.first() else { return };
    if changes.get(*column).is_none() {
        changes.set(*column, value.clone());
    } else {
        let name = resource.columns[*column].json;
        errors.push(FieldError::field(name, "scope", format!("must be `{value}`, as the token says, or be absent")));
    }
}

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

/// The tenant whose records a principal reaches; `None` where records have no tenants, and for a principal of a role that
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

/// Whether a principal reaches the records of every tenant: the resource exempts it from having one.
pub fn is_exempt(resource: &Descriptor, principal: Option<&Principal>) -> bool {
    resource.tenant.is_some_and(|tenant| is_admitted(tenant.except, principal))
}

fn is_admitted(rule: Option<Access>, principal: Option<&Principal>) -> bool {
    principal.is_some() && rule.is_some_and(|rule| rule.admits(principal))
}

/// A principal's subject as a value of a column; `None` where the column has no such value.
pub fn subject_value(column: &ColumnDescriptor, principal: &Principal) -> Option<Value> {
    scalar::parse(column, principal.subject()).ok()
}

fn owner_term(resource: &Descriptor, column: usize, principal: Option<&Principal>) -> Term {
    Term { column, value: principal.and_then(|principal| subject_value(&resource.columns[column], principal)) }
}

/// The terms of the scopes that a principal's roles have.
fn claim_terms(resource: &Descriptor, principal: Option<&Principal>) -> Vec<Term> {
    let own = resource.scopes.iter().filter(|scope| scope.access.admits(principal));
    let term = |column: usize, claim: &str| {
        if claim == ClaimScope::SUBJECT {
            return owner_term(resource, column, principal);
        }
        let claim = principal.and_then(|principal| principal.claim(claim));
        Term { column, value: claim.and_then(|claim| claim_value(&resource.columns[column], claim)) }
    };
    own.map(|scope| term(scope.column, scope.claim)).collect()
}

/// A claim as text, as the audit log and jobs have it.
pub fn claim_text(claim: &Json) -> String {
    match claim {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A claim as a value of a column: a number for a number, a string for everything that JSON has as a string.
fn claim_value(column: &ColumnDescriptor, claim: &Json) -> Option<Value> {
    let is_number = matches!(column.kind, Kind::I16 | Kind::I32 | Kind::I64 | Kind::U32);
    match claim {
        Json::Number(number) if is_number => scalar::parse(column, &number.to_string()).ok(),
        Json::String(text) if !is_number => scalar::parse(column, text).ok(),
        Json::Bool(value) if column.kind == Kind::Bool => Some(Value::Bool(*value)),
        _ => None,
    }
}
