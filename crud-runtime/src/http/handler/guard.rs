//! What a change asks of the stored record before it happens.

use std::sync::{Arc, Mutex, PoisonError};

use axum::http::HeaderMap;

use super::request::Incoming;
use crate::http::etag;
use crate::http::etag::Condition;
use crate::http::render;
use crate::model::adapter_error::AdapterError;
use crate::model::changes::Changes;
use crate::model::column::own;
use crate::model::descriptor::Descriptor;
use crate::model::problem::{Code, FieldError, FieldErrors, Problem};
use crate::model::row::Row;
use crate::query::visibility::{Ownership, View};
use crate::storage::write::Guard;
use crate::store::record_writer::WriteError;

/// The problem of a change that did not happen; a refusal's is the guard's.
pub(super) fn refusal(error: WriteError, guard: Option<Arc<Precondition>>) -> Problem {
    match (error, guard) {
        (WriteError::Refused, Some(guard)) => guard.refusal(),
        (error, _) => error.unguarded(),
    }
}

/// What storage asks.
pub(super) fn of(precondition: Option<&Arc<Precondition>>) -> Option<Arc<dyn Guard>> {
    precondition.cloned().map(|precondition| precondition as Arc<dyn Guard>)
}

/// `If-Match`, the immutable fields that a body names, and whose record it is.
#[derive(Debug)]
pub(super) struct Precondition {
    resource: &'static Descriptor,
    view: View,
    owner: Option<Ownership>,
    if_match: Option<Condition>,
    immutable: Changes,
    refusal: Mutex<Option<Problem>>,
}

impl Precondition {
    /// The conditions of a request, if it has any; immutable fields are taken out of `changes`.
    pub(super) fn of(request: &Incoming, headers: &HeaderMap, changes: &mut Changes) -> Option<Arc<Self>> {
        let resource = request.resource();
        let if_match = Condition::if_match(headers);
        let mut immutable = Changes::new();
        for (index, _) in resource.columns.iter().enumerate().filter(|(_, column)| column.immutable) {
            if let Some(value) = changes.take(index) {
                immutable.set(index, value);
            }
        }
        let owner = request.caller.owner.clone();
        (if_match.is_some() || !immutable.is_empty() || owner.is_some()).then(|| {
            let view = request.caller.view.clone();
            Arc::new(Self { resource, view, owner, if_match, immutable, refusal: Mutex::new(None) })
        })
    }

    /// Why the change was refused.
    pub(super) fn refusal(&self) -> Problem {
        let refusal = self.refusal.lock().unwrap_or_else(PoisonError::into_inner).take();
        refusal.unwrap_or_else(|| Problem::internal("a guard refused without a reason"))
    }

    fn check(&self, current: &dyn Row) -> Result<Option<Problem>, AdapterError> {
        if let Some(owner) = &self.owner
            && !owner.has(self.resource, current.value(owner.column())?)
        {
            let id = current.value(self.resource.id)?;
            let id = own(self.resource.id_column().kind, id).map(|id| id.to_string()).unwrap_or_default();
            return Ok(Some(Problem::record_not_found(self.resource, id)));
        }
        if let Some(condition) = &self.if_match {
            let mut json = Vec::new();
            render::write_record(&mut json, self.resource, &self.view, current)?;
            if !condition.matches(&etag::of(&json)) {
                return Ok(Some(Problem::new(Code::PreconditionFailed, "the record is another version by now")));
            }
        }
        let mut errors = FieldErrors::default();
        for (index, value) in self.immutable.iter() {
            let column = &self.resource.columns[index];
            let stored = own(column.kind, current.value(index)?)
                .map_err(|error| AdapterError::Corrupt { column: column.column, error })?;
            if stored != *value {
                errors.push(FieldError::field(column.json, "immutable", "cannot be changed"));
            }
        }
        Ok(errors.into_result(()).err())
    }
}

impl Guard for Precondition {
    fn admits(&self, current: &dyn Row) -> Result<bool, AdapterError> {
        let refusal = self.check(current)?;
        let admitted = refusal.is_none();
        *self.refusal.lock().unwrap_or_else(PoisonError::into_inner) = refusal;
        Ok(admitted)
    }
}
