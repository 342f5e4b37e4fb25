//! [`StoreScope`]: whose records a store reads and writes.

use std::sync::Arc;

use super::reference_rule::ReferenceRule;
use crate::model::actor::Actor;
use crate::model::adapter_error::AdapterError;
use crate::model::changes::Changes;
use crate::model::descriptor::{Descriptor, Tenant};
use crate::model::principal::Principal;
use crate::model::problem::{FieldError, FieldErrors, Problem};
use crate::model::row::Row;
use crate::model::value::Value;
use crate::query::record_scope::{Assignments, RecordScope, tenant_value};
use crate::query::visibility::FieldVisibility;
use crate::storage::write::{Guard, Target, Update, Work};

/// Whose records a store reads and writes.
#[derive(Debug, Clone)]
pub(super) enum StoreScope {
    /// All records.
    All,
    /// Records have tenants, and the program names none.
    Unspecified,
    Tenant(Tenant, Value),
    Principal(Arc<Principal>),
}

impl StoreScope {
    /// The tenant of an actor, where records have tenants.
    pub(super) fn of_actor(resource: &'static Descriptor, actor: Option<&Actor>) -> Self {
        let Some(tenant) = resource.tenant else { return Self::All };
        match tenant_value(resource, tenant, actor.and_then(Actor::tenant)) {
            Some(value) => Self::Tenant(tenant, value),
            None => Self::Unspecified,
        }
    }

    /// The fields that it shows.
    pub(super) fn view(&self, resource: &'static Descriptor) -> FieldVisibility {
        match self {
            Self::Principal(principal) => FieldVisibility::new(resource, Some(principal)),
            _ => FieldVisibility::default(),
        }
    }

    /// The records in the scope.
    ///
    /// # Errors
    /// `internal` where records have tenants and the program names none.
    pub(super) fn records(&self, resource: &'static Descriptor) -> Result<RecordScope, Problem> {
        match self {
            Self::All => Ok(RecordScope::default()),
            Self::Unspecified => Err(unspecified(resource)),
            Self::Tenant(tenant, value) => Ok(RecordScope::of_tenant(*tenant, value.clone())),
            Self::Principal(principal) => Ok(RecordScope::new(resource, Some(principal))),
        }
    }

    /// The records of another resource in the scope.
    pub(super) fn records_of(&self, other: &'static Descriptor) -> RecordScope {
        match (self, other.tenant) {
            (Self::Tenant(_, value), Some(tenant)) => RecordScope::of_tenant(tenant, value.clone()),
            (Self::Principal(principal), _) => RecordScope::new(other, Some(principal)),
            (Self::All | Self::Unspecified | Self::Tenant(..), _) => RecordScope::default(),
        }
    }

    /// The records that changes may refer to.
    pub(super) fn references(&self) -> ReferenceRule<'_> {
        match self {
            Self::All | Self::Unspecified => ReferenceRule::Any,
            Self::Tenant(_, value) => ReferenceRule::Tenant(value),
            Self::Principal(principal) => ReferenceRule::Principal { principal: Some(principal), checks_access: false },
        }
    }

    /// Completes a new record by what the scope determines of it.
    ///
    /// # Errors
    /// `validation_failed` for another value, or the lack of a tenant; those of [`Assignments::new`].
    pub(super) fn assign(&self, resource: &'static Descriptor, changes: &mut Changes) -> Result<(), Problem> {
        let assignments = match self {
            Self::All => Assignments::default(),
            Self::Unspecified => return Err(unspecified(resource)),
            Self::Tenant(tenant, value) => Assignments::of_tenant(*tenant, value.clone()),
            Self::Principal(principal) => Assignments::new(resource, Some(principal))?,
        };
        let mut errors = FieldErrors::default();
        assignments.apply(resource, changes, &mut errors);
        if let Some(tenant) = resource.tenant.filter(|tenant| changes.get(tenant.column).is_none_or(Value::is_null)) {
            errors.push(FieldError::field(resource.columns[tenant.column].json, "required", "is required"));
        }
        errors.into_result(())
    }
}

fn unspecified(resource: &Descriptor) -> Problem {
    let name = resource.name;
    Problem::internal(format!(
        "records of {name} have tenants, and neither the store nor the actor names one: expected \
         `store::<{name}>().of(&principal)`, `.tenant(…)` or `.across_tenants()`"
    ))
}

/// A guard that admits the records of a scope.
pub(super) fn scope_guard(resource: &'static Descriptor, records: RecordScope) -> Arc<dyn Guard> {
    Arc::new(ScopeGuard { resource, records })
}

/// Admits the records of a scope.
#[derive(Debug)]
struct ScopeGuard {
    resource: &'static Descriptor,
    records: RecordScope,
}

impl Guard for ScopeGuard {
    fn admits(&self, current: &dyn Row) -> Result<bool, AdapterError> {
        self.records.admits(self.resource, current)
    }
}

/// Changes that reach no record outside of a scope.
#[derive(Debug)]
pub(super) struct ScopedWork<'w> {
    work: Work<'w>,
    /// The same changes with guards, where the scope restricts them.
    updates: Vec<Update<'w>>,
    targets: Vec<Target<'w>>,
}

impl<'w> ScopedWork<'w> {
    /// The changes, which have no guards.
    ///
    /// # Errors
    /// `validation_failed` for an update that would take its record out of the scope.
    pub(super) fn new(resource: &'static Descriptor, records: RecordScope, work: Work<'w>) -> Result<Self, Problem> {
        let mut scoped = Self { work, updates: Vec::new(), targets: Vec::new() };
        if records.is_unrestricted() {
            return Ok(scoped);
        }
        if let Work::Update(updates) = work {
            let mut errors = FieldErrors::default();
            for update in updates {
                records.check(resource, update.changes, &mut errors);
            }
            errors.into_result(())?;
        }
        let guard = scope_guard(resource, records);
        let guard = || Some(guard.clone());
        match work {
            Work::Insert(_) => {}
            Work::Update(updates) => {
                scoped.updates = updates.iter().map(|update| Update::new(update.id, update.changes, guard())).collect();
            }
            Work::SoftDelete(targets) | Work::Restore(targets) | Work::Delete(targets) | Work::Purge(targets) => {
                scoped.targets = targets.iter().map(|target| Target::new(target.id, guard())).collect();
            }
        }
        Ok(scoped)
    }

    /// The changes with their guards.
    pub(super) fn work(&self) -> Work<'_> {
        match self.work {
            Work::Update(_) if !self.updates.is_empty() => Work::Update(&self.updates),
            Work::SoftDelete(_) if !self.targets.is_empty() => Work::SoftDelete(&self.targets),
            Work::Restore(_) if !self.targets.is_empty() => Work::Restore(&self.targets),
            Work::Delete(_) if !self.targets.is_empty() => Work::Delete(&self.targets),
            Work::Purge(_) if !self.targets.is_empty() => Work::Purge(&self.targets),
            work => work,
        }
    }
}
