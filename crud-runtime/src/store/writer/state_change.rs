//! [`StateChange`]: the request for a change of state, and its guard. The guard admits the resource's transitions, and
//! an enum's unknown text that the record has already.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use crate::model::access::Enforcement;
use crate::model::adapter_error::AdapterError;
use crate::model::changes::Changes;
use crate::model::descriptor::{ColumnDescriptor, Descriptor, Transition};
use crate::model::principal::Principal;
use crate::model::problem::{Code, FieldError, FieldErrors, Problem};
use crate::model::row::Row;
use crate::model::scalar;
use crate::model::stored_value::column_value;
use crate::model::value::{Kind, Value, ValueRef, is_same};
use crate::storage::write::{Guard, Update};

/// Route of a change of state, and the access rules that apply to it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct StateChange {
    /// The access rules that apply: over HTTP, those of the service.
    pub(crate) enforcement: Enforcement,
    /// The transition whose route was requested, and its column.
    pub(crate) route: Option<(usize, &'static Transition)>,
}

impl StateChange {
    /// Adds a guard to updates that set a state or an unknown text: it admits only transitions and kept texts, after
    /// their own guards. Returns the updates, and the new guards.
    pub(in crate::store) fn guard<'w>(
        self,
        resource: &'static Descriptor,
        updates: &'w [Update<'w>],
        principal: Option<&Principal>,
    ) -> (Cow<'w, [Update<'w>]>, Vec<Option<Arc<ValueGuard>>>) {
        let is_free =
            |column: &ColumnDescriptor| column.transitions.is_empty() && !matches!(column.kind, Kind::Enum(_));
        if resource.columns.iter().all(is_free) {
            return (Cow::Borrowed(updates), Vec::new());
        }
        let denied = self.denied(resource, principal);
        let guarded = updates.iter().map(|update| {
            let (states, unknown) = (states(resource, update.changes), unknown(resource, update.changes));
            if states.is_empty() && unknown.is_empty() {
                return (update.clone(), None);
            }
            let inner = update.guard.clone();
            let (route, denied) = (self.route, denied.clone());
            let is_anonymous = principal.is_none();
            let refusal = Mutex::default();
            let guard = Arc::new(ValueGuard { resource, states, unknown, route, denied, is_anonymous, inner, refusal });
            (Update::new(update.id, update.changes, Some(guard.clone() as Arc<dyn Guard>)), Some(guard))
        });
        let (updates, guards): (Vec<_>, Vec<_>) = guarded.unzip();
        (Cow::Owned(updates), guards)
    }

    /// The names of the transitions that the principal may not do.
    fn denied(self, resource: &Descriptor, principal: Option<&Principal>) -> Arc<[&'static str]> {
        if !self.enforcement.applies(true) {
            return Arc::default();
        }
        let is_denied = |transition: &Transition| transition.access.is_some_and(|access| !access.admits(principal));
        resource.transitions().map(|(_, transition)| transition).filter(|t| is_denied(t)).map(|t| t.name).collect()
    }
}

/// Checks a change of a state of the program's own code, such as a hook.
///
/// # Errors
/// `illegal_transition`.
pub(in crate::store) fn check(resource: &Descriptor, current: &dyn Row, changes: &Changes) -> Result<(), Problem> {
    for (index, to) in states(resource, changes) {
        let column = &resource.columns[index];
        let from = column_value(column, index, current).map_err(|error| Problem::from_adapter(resource, error))?;
        if !is_same(&from, &to) && column.transition(&from, &to).is_none() {
            return Err(illegal(column, &from, &to));
        }
    }
    Ok(())
}

/// The states that changes set.
fn states(resource: &Descriptor, changes: &Changes) -> Vec<(usize, Value)> {
    let states = changes.iter().filter(|(index, _)| !resource.columns[*index].transitions.is_empty());
    states.map(|(index, value)| (index, value.clone())).collect()
}

/// The texts that changes set of enums, and no variant has.
fn unknown(resource: &Descriptor, changes: &Changes) -> Vec<(usize, String)> {
    let texts = changes.iter().filter(|(index, value)| resource.columns[*index].is_unknown(value));
    texts.map(|(index, value)| (index, value.to_string())).collect()
}

/// Admits the transitions of a resource, to principals that may do them, and unknown texts that the record has. No
/// other change comes between the check and the write.
#[derive(Debug)]
pub(in crate::store) struct ValueGuard {
    resource: &'static Descriptor,
    /// The columns of states that the change sets, and their values.
    states: Vec<(usize, Value)>,
    /// The enums' columns that the change sets to texts that no variant has, and these texts.
    unknown: Vec<(usize, String)>,
    route: Option<(usize, &'static Transition)>,
    denied: Arc<[&'static str]>,
    is_anonymous: bool,
    /// Called first.
    inner: Option<Arc<dyn Guard>>,
    /// Reason why this guard, and not the inner one, refused the last record.
    refusal: Mutex<Option<Problem>>,
}

impl ValueGuard {
    /// Reason why this guard refused the change; `None` when the inner guard did.
    pub(in crate::store) fn refusal(&self) -> Option<Problem> {
        self.refusal.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn check(&self, current: &dyn Row) -> Result<Option<Problem>, AdapterError> {
        let mut errors = FieldErrors::default();
        for (index, text) in &self.unknown {
            let column = &self.resource.columns[*index];
            let is_kept = matches!(current.value(*index)?, ValueRef::Text(stored) if stored == text);
            if let (false, Kind::Enum(labels)) = (is_kept, column.kind)
                && let Err(error) = scalar::one_of(labels, text)
            {
                errors.push(FieldError::field(column.json, "format", error.message()));
            }
        }
        if let Err(problem) = errors.into_result(()) {
            return Ok(Some(problem));
        }
        for (index, to) in &self.states {
            let column = &self.resource.columns[*index];
            let from = column_value(column, *index, current)?;
            let route = self.route.filter(|(column, _)| column == index).map(|(_, transition)| transition);
            let transition = match route {
                // A route to the current state is not legal, though a write of the current state is.
                Some(route) => Some(route).filter(|route| route.leaves(&from)),
                None if is_same(&from, to) => continue,
                None => column.transition(&from, to),
            };
            match transition {
                None => return Ok(Some(illegal(column, &from, to))),
                Some(transition) if self.denied.contains(&transition.name) => {
                    return Ok(Some(Problem::denied(self.is_anonymous)));
                }
                Some(_) => {}
            }
        }
        Ok(None)
    }
}

impl Guard for ValueGuard {
    fn admits(&self, current: &dyn Row) -> Result<bool, AdapterError> {
        let admitted = match &self.inner {
            Some(inner) => inner.admits(current)?,
            None => true,
        };
        let refusal = if admitted { self.check(current)? } else { None };
        let admitted = admitted && refusal.is_none();
        *self.refusal.lock().unwrap_or_else(PoisonError::into_inner) = refusal;
        Ok(admitted)
    }
}

/// 409 `illegal_transition`, with the names of the legal transitions.
fn illegal(column: &ColumnDescriptor, from: &Value, to: &Value) -> Problem {
    let legal = column.transitions.iter().filter(|transition| transition.leaves(from));
    let allowed: Vec<&'static str> = legal.map(|transition| transition.name).collect();
    let detail = if is_same(from, to) {
        format!("is `{from}` already")
    } else {
        format!("cannot change from `{from}` to `{to}`")
    };
    let error = FieldError::field(column.json, "transition", detail).with_allowed(allowed);
    Problem::with_errors(Code::IllegalTransition, [error])
}
