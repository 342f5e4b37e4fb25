//! [`Precondition`]: the guard of a change, checked against the stored record; [`Several`]: changes with a precondition
//! each.

use std::sync::{Arc, Mutex, PoisonError};

use axum::http::HeaderMap;

use crate::http::body::take_columns;
use crate::http::handler::authorization::RequestIdentity;
use crate::http::param::header::etag;
use crate::http::param::header::etag::EtagCondition;
use crate::http::render;
use crate::model::adapter_error::AdapterError;
use crate::model::changes::Changes;
use crate::model::descriptor::Descriptor;
use crate::model::key::Key;
use crate::model::problem::{Code, FieldError, FieldErrors, Problem};
use crate::model::row::Row;
use crate::model::value::Value;
use crate::query::record_scope::RecordScope;
use crate::query::visibility::FieldVisibility;
use crate::storage::decide::{self, Intent, RecordState};
use crate::storage::write::{Guard, Mode, Target, Update, Work, WriteSink};
use crate::store::writer::RecordWriter;
use crate::store::writer::write_error::WriteError;

/// The problem of a failed change: its own, or that of the guard which refused it.
pub(crate) fn problem_of(error: WriteError, guard: Option<Arc<Precondition>>) -> Problem {
    match (error, guard) {
        (WriteError::Refused, Some(guard)) => guard.refusal(),
        (error, _) => error.unguarded(),
    }
}

/// The precondition as storage takes it.
pub(crate) fn as_guard(precondition: Option<&Arc<Precondition>>) -> Option<Arc<dyn Guard>> {
    precondition.cloned().map(|precondition| precondition as Arc<dyn Guard>)
}

/// Changes of one kind of several records, which a request makes together.
pub(crate) enum Several {
    /// Creates of records with these values.
    Insert(Vec<Vec<Value>>),
    /// Updates of the records of these keys.
    Update(Vec<(Key, Changes)>),
    /// Deletes of the records of these keys.
    Delete(Vec<Key>),
}

impl Several {
    /// Applies the changes, each with its precondition, and returns the outcome of each. A delete is soft where the
    /// resource has soft deletes.
    ///
    /// # Errors
    /// Errors of [`RecordWriter::write`].
    pub(crate) async fn write(
        mut self,
        identity: &RequestIdentity,
        writer: &RecordWriter<'_>,
        mode: Mode,
        sink: &mut dyn WriteSink,
    ) -> Result<Vec<Result<(), Problem>>, Problem> {
        let resource = writer.mounted.resource();
        // An entity tag belongs to one record: `If-Match` does not apply to several.
        let none = HeaderMap::new();
        let guard = |changes: &mut Changes| Precondition::new(resource, identity, &none, changes);
        let guards: Vec<Option<Arc<Precondition>>> = match &mut self {
            Self::Insert(records) => vec![None; records.len()],
            Self::Update(updates) => updates.iter_mut().map(|(_, changes)| guard(changes)).collect(),
            Self::Delete(keys) => keys.iter().map(|_| guard(&mut Changes::new())).collect(),
        };
        let of_records = guards.iter().map(|guard| as_guard(guard.as_ref()));
        let updates: Vec<Update<'_>>;
        let targets: Vec<Target<'_>>;
        let work = match &self {
            Self::Insert(records) => Work::Insert(records),
            Self::Update(changes) => {
                let changes = changes.iter().zip(of_records);
                updates = changes.map(|((key, changes), guard)| Update::new(key, changes, guard)).collect();
                Work::Update(&updates)
            }
            Self::Delete(keys) => {
                targets = keys.iter().zip(of_records).map(|(key, guard)| Target::new(key, guard)).collect();
                if resource.soft_delete.is_some() { Work::SoftDelete(&targets) } else { Work::Delete(&targets) }
            }
        };
        let results = writer.write(work, mode, sink).await?;
        let results = results.into_iter().zip(guards);
        Ok(results.map(|(result, guard)| result.map_err(|error| problem_of(error, guard))).collect())
    }
}

/// The conditions on the stored record: `If-Match`, the immutable fields in the body, the scope of the principal.
#[derive(Debug)]
pub(crate) struct Precondition {
    resource: &'static Descriptor,
    view: FieldVisibility,
    records: RecordScope,
    if_match: Option<EtagCondition>,
    /// Whether a soft-deleted record may be changed: the answer returns its values.
    sees_deleted: bool,
    /// The state that the record must have, whatever the entity tag.
    needs: Option<RecordState>,
    immutable: Changes,
    refusal: Mutex<Option<Problem>>,
}

impl Precondition {
    /// The precondition of a request, if it has one. Moves immutable fields out of `changes`.
    pub(crate) fn new(
        resource: &'static Descriptor,
        identity: &RequestIdentity,
        headers: &HeaderMap,
        changes: &mut Changes,
    ) -> Option<Arc<Self>> {
        let if_match = EtagCondition::if_match(headers);
        let fixed = |index: usize| identity.records.fixed().contains(&index);
        let columns = resource.columns.iter().enumerate();
        let columns = columns.filter(|(index, column)| column.immutable || fixed(*index));
        let immutable = take_columns(changes, columns.map(|(index, _)| index));
        let records = identity.records.clone();
        let sees_deleted = identity.sees_deleted || resource.soft_delete.is_none();
        let is_restricted = !records.is_unrestricted() || records.restricts_changes();
        (if_match.is_some() || !immutable.is_empty() || is_restricted || !sees_deleted).then(|| {
            let (view, refusal) = (identity.view.clone(), Mutex::new(None));
            Arc::new(Self { resource, view, records, if_match, sees_deleted, needs: None, immutable, refusal })
        })
    }

    /// The precondition of a request that changes the state of a record, if it has one.
    pub(crate) fn of_state_change(
        resource: &'static Descriptor,
        identity: &RequestIdentity,
        headers: &HeaderMap,
        intent: Intent<'_>,
    ) -> Option<Arc<Self>> {
        let precondition = Arc::into_inner(Self::new(resource, identity, headers, &mut Changes::new())?)?;
        // The access of the operation decides alone.
        Some(Arc::new(Self { sees_deleted: true, needs: intent.required_state(), ..precondition }))
    }

    /// The problem of the last check, which the guard refused.
    pub(crate) fn refusal(&self) -> Problem {
        let refusal = self.refusal.lock().unwrap_or_else(PoisonError::into_inner).take();
        refusal.unwrap_or_else(|| Problem::internal("a guard refused without a reason"))
    }

    fn check(&self, current: &dyn Row) -> Result<Option<Problem>, AdapterError> {
        let is_hidden = !self.sees_deleted && decide::state(self.resource, current)? == RecordState::Deleted;
        if is_hidden || !self.records.admits(self.resource, current)? {
            let id = Key::of_row(self.resource, current).map(|id| id.to_string()).unwrap_or_default();
            return Ok(Some(Problem::record_not_found(self.resource, id)));
        }
        if let Some(problem) = self.records.refusal_of_change(self.resource, current)? {
            return Ok(Some(problem));
        }
        // RFC 9110, section 13.2.1: a request that would be refused without its conditions is refused in the same way
        // with them.
        let is_refused = match self.needs {
            Some(needed) => decide::state(self.resource, current)? != needed,
            None => false,
        };
        if let Some(condition) = self.if_match.as_ref().filter(|_| !is_refused) {
            let mut json = Vec::new();
            render::write_record(&mut json, self.resource, &self.view, current)?;
            if !condition.matches(&etag::entity_tag(&json)) {
                return Ok(Some(Problem::of(Code::PreconditionFailed)));
            }
        }
        let mut errors = FieldErrors::default();
        for (index, value) in self.immutable.iter() {
            let column = &self.resource.columns[index];
            if !decide::has(self.resource, current, index, value) {
                let is_unreadable = matches!(current.value(index), Err(AdapterError::Corrupt { .. }));
                let detail = if is_unreadable {
                    "cannot be changed: its stored value cannot be read"
                } else {
                    "cannot be changed"
                };
                errors.push(FieldError::field(column.json, "immutable", detail));
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
