//! [`Candidate`]: a record as it would be stored, and the [`Errors`] that a rule finds in it.

use std::fmt;
use std::marker::PhantomData;

use super::changeset::get;
use crate::model::column::Column;
use crate::model::descriptor::Descriptor;
use crate::model::problem::{FieldError, Problem};
use crate::model::resource::Resource;
use crate::query::Field;
use crate::store::owned_record::OwnedRecord;

/// A candidate, whatever its resource.
#[derive(Debug)]
pub struct CandidateData {
    pub(super) resource: &'static Descriptor,
    pub(super) record: OwnedRecord,
}

/// A record of `R` as a create or an update would store it: the argument of a `validate` function.
pub struct Candidate<'c, R> {
    data: &'c CandidateData,
    resource: PhantomData<fn() -> R>,
}

impl<R: Resource> fmt::Debug for Candidate<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Candidate").field(&R::DESCRIPTOR.name).finish()
    }
}

impl<'c, R: Resource> Candidate<'c, R> {
    /// The typed candidate; called by expansions.
    #[doc(hidden)]
    pub const fn new(data: &'c CandidateData) -> Self {
        Self { data, resource: PhantomData }
    }

    /// The value that a field would have; `None` for a key that storage assigns and for times of the change.
    ///
    /// The value of an `Option` field is an `Option` itself: `get(Ticket::FIELDS.due).flatten()`.
    pub fn get<T: Column>(&self, field: Field<R, T>) -> Option<T> {
        get(self.data.resource, &self.data.record, field.column())
    }
}

/// Errors, whatever their resource.
#[derive(Debug, Default)]
pub struct ErrorsData(Vec<FieldError>);

impl ErrorsData {
    /// Fails with the errors, if there are any.
    pub(super) fn into_result(self) -> Result<(), Problem> {
        if self.0.is_empty() { Ok(()) } else { Err(Problem::validation(self.0)) }
    }
}

/// The errors that a `validate` function finds: 422 `validation_failed` with all of them, unless there is none.
pub struct Errors<'e, R> {
    data: &'e mut ErrorsData,
    resource: PhantomData<fn() -> R>,
}

impl<R: Resource> fmt::Debug for Errors<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Errors").field(&self.data.0).finish()
    }
}

impl<'e, R: Resource> Errors<'e, R> {
    /// The typed errors; called by expansions.
    #[doc(hidden)]
    pub const fn new(data: &'e mut ErrorsData) -> Self {
        Self { data, resource: PhantomData }
    }

    /// Adds an error at a field. `code` is for programs, such as `due_required`; `detail` continues the field's name, such
    /// as `must be set for an urgent ticket`.
    pub fn add<T>(&mut self, field: Field<R, T>, code: &'static str, detail: impl Into<String>) {
        let column = &R::DESCRIPTOR.columns[field.column()];
        self.data.0.push(FieldError::field(column.json, code, detail));
    }

    /// Adds an error about the whole record.
    pub fn add_record(&mut self, code: &'static str, detail: impl Into<String>) {
        self.data.0.push(FieldError::pointer("", code, detail));
    }
}
