//! [`StoreScope`]: whose records a store reads and writes.

use std::sync::{Arc, Mutex, PoisonError};

use super::caller::Caller;
use crate::model::adapter_error::AdapterError;
use crate::model::changes::Changes;
use crate::model::descriptor::{Descriptor, Operation, Tenant};
use crate::model::principal::Principal;
use crate::model::problem::{FieldError, FieldErrors, Problem};
use crate::model::row::Row;
use crate::model::scalar;
use crate::model::value::Value;
use crate::query::Scope;
use crate::query::assignments::Assignments;
use crate::query::claims::{principal_tenant, tenant_value};
use crate::query::record_scope::RecordScope;
use crate::query::visibility::FieldVisibility;
use crate::storage::decide::{RecordState, has, state};
use crate::storage::write::{Guard, Target, Update, Work};

/// Scope of the records that the stores of a handle read and write: the program's, or those visible to a caller.
///
/// The tenant applies to both. Ownership, claims, visible fields and the access to deleted records apply only to the
/// caller's visibility.
#[derive(Debug, Clone, Default)]
pub(crate) struct StoreScope {
    tenants: Tenants,
    /// The caller for whom the program works, if there is one.
    caller: Option<Caller>,
    /// Whether the stores have the caller's visibility.
    is_callers: bool,
}

/// The tenants of a scope.
#[derive(Debug, Clone, Default)]
enum Tenants {
    /// The caller's; without a caller, the actor's.
    #[default]
    Own,
    /// One that the program names.
    One(Value),
    All,
}

impl StoreScope {
    /// Scope of the records visible to a caller.
    pub(crate) fn of_caller(caller: Caller) -> Self {
        Self { tenants: Tenants::Own, caller: Some(caller), is_callers: true }
    }

    /// Scope with the caller's visibility; `None` without a caller.
    pub(crate) fn as_caller(&self) -> Option<Self> {
        self.caller.is_some().then(|| Self { is_callers: true, ..self.clone() })
    }

    /// Scope with the program's visibility, within the tenant.
    pub(crate) fn as_program(&self) -> Self {
        Self { is_callers: false, ..self.clone() }
    }

    /// Scope in a tenant that the program names.
    pub(crate) fn in_tenant(&self, tenant: Value) -> Self {
        Self { tenants: Tenants::One(tenant), ..self.clone() }
    }

    /// Scope in every tenant.
    pub(crate) fn across_tenants(&self) -> Self {
        Self { tenants: Tenants::All, ..self.clone() }
    }

    /// The principal for whom the program works.
    pub(crate) fn principal(&self) -> Option<&Principal> {
        self.caller.as_ref().and_then(Caller::principal)
    }

    /// The tenant that the program names.
    pub(crate) fn named_tenant(&self) -> Option<&Value> {
        match &self.tenants {
            Tenants::One(tenant) => Some(tenant),
            Tenants::Own | Tenants::All => None,
        }
    }

    /// The caller, if the stores have its visibility.
    fn visible_to(&self) -> Option<&Caller> {
        self.caller.as_ref().filter(|_| self.is_callers)
    }

    /// Whether the caller may do an operation; true with the program's visibility.
    pub(crate) fn admits(&self, operation: Operation, resource: &Descriptor) -> bool {
        self.visible_to().is_none_or(|caller| caller.may(operation, resource))
    }

    /// The fields that the scope shows.
    pub(crate) fn view(&self, resource: &'static Descriptor) -> FieldVisibility {
        self.visible_to()
            .map_or_else(FieldVisibility::default, |caller| FieldVisibility::new(resource, caller.principal()))
    }

    /// Widest deletion scope of reads: a caller that may not restore sees deleted records only where lists include them
    /// by default.
    pub(crate) fn deletion(&self, resource: &'static Descriptor) -> Scope {
        match self.visible_to() {
            Some(caller) if !caller.may(Operation::Restore, resource) => Scope::default_of(resource),
            _ => Scope::All,
        }
    }

    /// The records in the scope.
    ///
    /// # Errors
    /// `internal` where records have tenants and the program names none; `tenant_required` where the caller has none.
    pub(crate) fn records(
        &self,
        resource: &'static Descriptor,
        actor: Option<&Principal>,
    ) -> Result<RecordScope, Problem> {
        let of_tenant = |(tenant, value)| RecordScope::of_tenant(tenant, value);
        let records = self.tenant(resource, actor)?.map_or_else(RecordScope::default, of_tenant);
        Ok(match self.visible_to() {
            Some(caller) => records.owned_by(resource, caller.principal()),
            None => records,
        })
    }

    /// Completes a new record by the values that the scope determines.
    ///
    /// # Errors
    /// `validation_failed` for another value, or the lack of a tenant; those of [`Assignments::new`].
    pub(crate) fn assign(
        &self,
        resource: &'static Descriptor,
        actor: Option<&Principal>,
        changes: &mut Changes,
    ) -> Result<(), Problem> {
        let of_tenant = |(tenant, value)| Assignments::of_tenant(tenant, value);
        let assignments = self.tenant(resource, actor)?.map_or_else(Assignments::default, of_tenant);
        let assignments = match self.visible_to() {
            Some(caller) => assignments.owned_by(resource, caller.principal())?,
            None => assignments,
        };
        let mut errors = FieldErrors::default();
        assignments.apply(resource, changes, &mut errors);
        if let Some(tenant) = resource.tenant.filter(|tenant| changes.get(tenant.column).is_none_or(Value::is_null)) {
            errors.push(FieldError::field(resource.columns[tenant.column].json, "required", "is required"));
        }
        errors.into_result(())
    }

    /// The one tenant of the scope; `None` where records have no tenants, and for a scope of all tenants.
    ///
    /// # Errors
    /// Errors of [`records`](Self::records).
    fn tenant(
        &self,
        resource: &'static Descriptor,
        actor: Option<&Principal>,
    ) -> Result<Option<(Tenant, Value)>, Problem> {
        let Some(tenant) = resource.tenant else { return Ok(None) };
        let named = match (&self.tenants, &self.caller) {
            (Tenants::All, _) => return Ok(None),
            (Tenants::One(value), _) => scalar::parse(&resource.columns[tenant.column], &value.to_string()).ok(),
            (Tenants::Own, Some(caller)) => match principal_tenant(resource, caller.principal()) {
                Ok(own) => return Ok(own),
                Err(problem) if self.is_callers => return Err(problem),
                Err(_) => None,
            },
            (Tenants::Own, None) => tenant_value(resource, tenant, actor.and_then(Principal::tenant)),
        };
        named.map(|value| Some((tenant, value))).ok_or_else(|| unspecified(resource))
    }
}

fn unspecified(resource: &Descriptor) -> Problem {
    let name = resource.name;
    Problem::internal(format!(
        "records of {name} have tenants, and neither the store nor the actor names one: expected \
         `store::<{name}>().of(&principal)`, `.tenant(…)` or `.across_tenants()`"
    ))
}

/// Admits the records of a scope, and no change of the fields that it fixes.
#[derive(Debug)]
pub(crate) struct ScopeGuard {
    resource: &'static Descriptor,
    records: RecordScope,
    /// Whether only active records are admitted.
    active: bool,
    /// The values that the change sets for fixed fields: setting the stored value again is not a change.
    fixed: Vec<(usize, Value)>,
    /// Reason why the guard refused the last record of the scope.
    refusal: Mutex<Option<Problem>>,
}

impl ScopeGuard {
    /// The guard of a change, if the scope restricts it.
    pub(crate) fn of_update(
        resource: &'static Descriptor,
        records: &RecordScope,
        active: bool,
        changes: &Changes,
    ) -> Option<Arc<Self>> {
        let fixed = records.fixed().iter().filter_map(|column| Some((*column, changes.get(*column)?.clone())));
        let fixed: Vec<_> = fixed.collect();
        let restricts = active || !records.is_unrestricted() || records.restricts_changes() || !fixed.is_empty();
        let (records, refusal) = (records.clone(), Mutex::default());
        restricts.then(|| Arc::new(Self { resource, records, active, fixed, refusal }))
    }

    /// Reason why the guard refused the last record; `None` if the record is not in the scope.
    pub(crate) fn refusal(&self) -> Option<Problem> {
        self.refusal.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The problem of a change of fixed fields.
    fn check(&self, current: &dyn Row) -> Option<Problem> {
        let mut errors = FieldErrors::default();
        for (column, value) in &self.fixed {
            if !has(self.resource, current, *column, value) {
                let name = self.resource.columns[*column].json;
                errors.push(FieldError::field(name, "immutable", "cannot be changed"));
            }
        }
        errors.into_result(()).err()
    }
}

impl Guard for ScopeGuard {
    fn admits(&self, current: &dyn Row) -> Result<bool, AdapterError> {
        let is_hidden = self.active && state(self.resource, current)? == RecordState::Deleted;
        let is_in = !is_hidden && self.records.admits(self.resource, current)?;
        let refusal = if is_in {
            self.records.refusal_of_change(self.resource, current)?.or_else(|| self.check(current))
        } else {
            None
        };
        let admitted = is_in && refusal.is_none();
        *self.refusal.lock().unwrap_or_else(PoisonError::into_inner) = refusal;
        Ok(admitted)
    }
}

/// Changes that reach no record outside of a scope.
#[derive(Debug)]
pub(crate) struct ScopedWork<'w> {
    work: Work<'w>,
    /// Updates with guards, where the scope restricts them.
    updates: Vec<Update<'w>>,
    targets: Vec<Target<'w>>,
    /// The guards of the updates.
    guards: Vec<Option<Arc<ScopeGuard>>>,
}

impl<'w> ScopedWork<'w> {
    /// Limits changes without guards to the scope. With `deletion` [`Scope::Active`], updates and deletes are of active
    /// records; a restore and a purge are of deleted ones, since the program asks for them.
    pub(crate) fn new(resource: &'static Descriptor, records: &RecordScope, deletion: Scope, work: Work<'w>) -> Self {
        let mut scoped = Self { work, updates: Vec::new(), targets: Vec::new(), guards: Vec::new() };
        let active = deletion == Scope::Active && matches!(work, Work::Update(_) | Work::Delete(_));
        match work {
            Work::Insert(_) => {}
            Work::Update(updates) => {
                let guard = |update: &Update<'w>| ScopeGuard::of_update(resource, records, active, update.changes);
                scoped.guards = updates.iter().map(guard).collect();
                if scoped.guards.iter().any(Option::is_some) {
                    let guarded = updates.iter().zip(&scoped.guards).map(|(update, guard)| {
                        let guard = guard.clone().map(|guard| guard as Arc<dyn Guard>);
                        Update::new(update.id, update.changes, guard)
                    });
                    scoped.updates = guarded.collect();
                }
            }
            Work::SoftDelete(targets) | Work::Restore(targets) | Work::Delete(targets) | Work::Purge(targets) => {
                if let Some(guard) = ScopeGuard::of_update(resource, records, active, &Changes::new()) {
                    let guard: Arc<dyn Guard> = guard;
                    scoped.targets = targets.iter().map(|target| Target::new(target.id, Some(guard.clone()))).collect();
                }
            }
        }
        scoped
    }

    /// Reason why the guard of a change refused its record; `None` if the record is not in the scope.
    pub(crate) fn refusal(&self, index: usize) -> Option<Problem> {
        self.guards.get(index)?.as_ref()?.refusal()
    }

    /// The changes with their guards; as they are, where the scope needs none.
    pub(crate) fn work(&self) -> Work<'_> {
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
