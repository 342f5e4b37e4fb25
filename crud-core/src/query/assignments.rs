//! [`Assignments`]: the values of a new record that the principal of the create determines.

use super::claims::{is_admitted, principal_tenant, subject_value};
use super::term::{Term, Test, claim_terms, owner_term};
use crate::model::changes::Changes;
use crate::model::descriptor::{ClaimScope, Descriptor, Tenant};
use crate::model::principal::Principal;
use crate::model::problem::{Code, FieldError, FieldErrors, Problem};
use crate::model::value::Value;

/// Detail of a create whose record would not be in the scope.
pub(super) const NO_CLAIM: &str = "no new record would be one of the token's claims";

/// Values of a new record that the principal of the create determines: its tenant, its owner and the fields of its
/// claims.
#[derive(Debug, Clone, Default)]
pub struct Assignments {
    /// Groups of terms; one term of each group has to hold.
    groups: Vec<Vec<Term>>,
    /// Columns with the principal's id as default, where a body may name another user.
    defaults: Vec<(usize, Value)>,
}

impl Assignments {
    /// The assignments of a principal.
    ///
    /// # Errors
    /// `permission_denied` for an anonymous request, and for a token whose subject is not a valid owner or that lacks a
    /// claim; `tenant_required`.
    pub fn new(resource: &'static Descriptor, principal: Option<&Principal>) -> Result<Self, Problem> {
        if !is_assigning(resource) {
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
        Self { groups: vec![vec![Term::equal(tenant.column, Some(value))]], defaults: Vec::new() }
    }

    /// Adds a principal's ownership and claims.
    ///
    /// # Errors
    /// Errors of [`new`](Self::new), except `tenant_required`.
    pub fn owned_by(mut self, resource: &'static Descriptor, principal: Option<&Principal>) -> Result<Self, Problem> {
        if let Some(owner) = resource.owner {
            let denied = |detail| Problem::new(Code::PermissionDenied, detail);
            let principal = principal.ok_or_else(|| denied("a record with an owner needs a token"))?;
            let term = owner_term(resource, owner.column, Some(principal));
            let id = term.value().cloned().ok_or_else(|| denied("the token's subject is not a valid owner id"))?;
            if is_admitted(owner.assign, Some(principal)) {
                self.defaults.push((owner.column, id));
            } else {
                self.groups.push(vec![term]);
            }
        }
        for scopes in [resource.scopes, resource.write_scopes] {
            self.defaults.extend(exempt_defaults(resource, scopes, principal));
            let mut claims = claim_terms(resource, scopes, principal);
            if claims.is_empty() {
                continue;
            }
            // A key that storage assigns cannot have the claim's value.
            claims.retain(|term| match &term.test {
                Test::Equals(value) => value.is_some() && !resource.columns[term.column].is_assigned(),
                // Storage checks the record that the new one refers to.
                Test::Related(_) => true,
            });
            if claims.is_empty() {
                return Err(Problem::new(Code::PermissionDenied, NO_CLAIM));
            }
            self.groups.push(claims);
        }
        Ok(self)
    }

    /// Sets the assigned fields of a new record, and refuses other values.
    pub fn apply(&self, resource: &Descriptor, changes: &mut Changes, errors: &mut FieldErrors) {
        if !is_assigning(resource) {
            return;
        }
        for group in &self.groups {
            assign(resource, group, changes, errors);
        }
        for (column, id) in &self.defaults {
            if changes.get(*column).is_none() {
                changes.set(*column, id.clone());
            }
        }
    }
}

/// The required user columns of scopes that exempt a principal, each with the principal's id.
fn exempt_defaults(
    resource: &'static Descriptor,
    scopes: &'static [ClaimScope],
    principal: Option<&Principal>,
) -> impl Iterator<Item = (usize, Value)> {
    let exempt = scopes.iter().filter(move |scope| {
        scope.path.is_none() && scope.claim == ClaimScope::SUBJECT && is_admitted(scope.except, principal)
    });
    exempt.filter_map(move |scope| {
        let column = &resource.columns[scope.column];
        column.needs_value().then(|| Some((scope.column, subject_value(column, principal?)?)))?
    })
}

/// Whether the principal of a create determines values of the record.
fn is_assigning(resource: &Descriptor) -> bool {
    resource.restricts_records() || !resource.write_scopes.is_empty()
}

/// Makes a new record satisfy one term of a group: the first, unless it satisfies another one. Where records that it
/// refers to decide, storage checks them in the write.
fn assign(resource: &Descriptor, group: &[Term], changes: &mut Changes, errors: &mut FieldErrors) {
    if group.iter().any(|term| term.value().is_some() && changes.get(term.column) == term.value()) {
        return;
    }
    let is_related =
        |term: &Term| term.related().is_some() && changes.get(term.column).is_some_and(|value| !value.is_null());
    if group.iter().any(is_related) {
        return;
    }
    let Some((column, value)) = group.iter().find_map(|term| Some((term.column, term.value()?))) else { return };
    if changes.get(column).is_none() {
        changes.set(column, value.clone());
    } else {
        let name = resource.columns[column].json;
        errors.push(FieldError::field(name, "scope", format!("must be `{value}`, as the token says, or be absent")));
    }
}
