//! [`Changeset`]: a change before it is written.

use std::fmt;
use std::marker::PhantomData;

use crate::model::column::{Column, IntoColumn};
use crate::model::descriptor::{Descriptor, Operation, Role};
use crate::model::problem::{FieldError, Problem};
use crate::model::resource::Resource;
use crate::model::value::is_same;
use crate::query::Field;
use crate::store::owned_record::OwnedRecord;
use crate::store::writer::record_values;

/// The kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChangeKind {
    /// A new record.
    Create,
    /// Other values for a record.
    Update,
    /// The deletion timestamp is set.
    SoftDelete,
    /// The deletion timestamp is removed.
    Restore,
    /// An active record is removed for good.
    Delete,
    /// A soft-deleted record is removed for good.
    Purge,
}

impl ChangeKind {
    /// Whether the record gets values from the request.
    pub(crate) const fn sets_values(self) -> bool {
        matches!(self, Self::Create | Self::Update)
    }

    /// The operation that makes such changes.
    pub(super) const fn operation(self, resource: &Descriptor) -> Operation {
        match self {
            Self::Create => Operation::Create,
            Self::Update => Operation::Update,
            Self::SoftDelete => Operation::Delete,
            Self::Restore => Operation::Restore,
            Self::Delete if resource.soft_delete.is_none() => Operation::Delete,
            Self::Delete | Self::Purge => Operation::Purge,
        }
    }
}

/// A change, whatever its resource.
#[derive(Debug)]
pub struct ChangesetData {
    pub(super) resource: &'static Descriptor,
    pub(super) kind: ChangeKind,
    /// The record as it is stored; none on create.
    pub(super) old: Option<OwnedRecord>,
    /// The record as it will be.
    pub(super) new: OwnedRecord,
    /// Flags of the columns that the request or a hook sets.
    pub(super) set: Vec<bool>,
    /// Whether `validate` has the change: it may not set fields.
    pub(super) is_checked: bool,
    /// Errors that the hooks have found.
    pub(super) errors: Vec<FieldError>,
    /// Description of the hook's first illegal assignment.
    pub(super) misuse: Option<String>,
}

/// A change of a record of `R` before it is written: the argument of a `validate` function and of a `before` hook.
///
/// Both add errors, which are one answer: 422 `validation_failed`. On a create and an update, `before` can set fields too;
/// `validate` has the record as it would be stored.
///
/// ```
/// # use crud_runtime::prelude::*;
/// #[derive(Debug, Clone, Resource)]
/// #[crud(hooks(before(tidy), validate(due_if_urgent)))]
/// struct Ticket {
///     id: i64,
///     title: String,
///     urgent: bool,
///     due: Option<NaiveDate>,
/// }
///
/// fn due_if_urgent(changeset: &mut Changeset<'_, Ticket>) {
///     if changeset.get(Ticket::FIELDS.urgent) == Some(true) && changeset.get(Ticket::FIELDS.due).flatten().is_none() {
///         changeset.add_error(Ticket::FIELDS.due, "due_required", "must be set for an urgent ticket");
///     }
/// }
///
/// async fn tidy(changeset: &mut Changeset<'_, Ticket>, _: &mut HookContext<'_>) -> Result<(), Problem> {
///     if changeset.changed(Ticket::FIELDS.title) {
///         let title = changeset.get(Ticket::FIELDS.title).unwrap_or_default();
///         changeset.set(Ticket::FIELDS.title, title.trim());
///     }
///     Ok(())
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:").await?.resource::<Ticket>().migrate().await?;
/// let tickets = service.store::<Ticket>();
/// assert_eq!(tickets.create(NewTicket::new(" a ", false)).await?.title, "a");
/// assert!(tickets.create(NewTicket::new("b", true)).await.is_err());
/// # Ok(()) }
/// ```
pub struct Changeset<'c, R> {
    data: &'c mut ChangesetData,
    old: Option<R>,
    resource: PhantomData<fn() -> R>,
}

impl<R: Resource> fmt::Debug for Changeset<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Changeset")
            .field("resource", &R::DESCRIPTOR.name)
            .field("operation", &self.operation())
            .finish_non_exhaustive()
    }
}

impl<'c, R: Resource> Changeset<'c, R> {
    /// The typed change; called by expansions.
    #[doc(hidden)]
    pub fn new(data: &'c mut ChangesetData) -> Result<Self, Problem> {
        let old = data.old.as_ref().map(|old| R::from_row(old)).transpose();
        let old = old.map_err(|error| Problem::from_adapter(R::DESCRIPTOR, error))?;
        Ok(Self { data, old, resource: PhantomData })
    }

    /// The operation: `Create`, `Update`, `Delete`, `Restore` or `Purge`, also of batches and of the program's own changes.
    /// With soft delete, `Delete` sets the time of the deletion, and `Purge` removes the record for good.
    pub fn operation(&self) -> Operation {
        self.data.kind.operation(R::DESCRIPTOR)
    }

    /// The record as it is stored; `None` on create.
    pub fn previous(&self) -> Option<&R> {
        self.old.as_ref()
    }

    /// The value that a field will have; `None` for a key that storage assigns and for times of the change. In a
    /// removal, the value that the field has.
    pub fn get<T: Column>(&self, field: Field<R, T>) -> Option<T> {
        let (column, value) = (&R::DESCRIPTOR.columns[field.column()], self.data.new.get(field.column()));
        let is_unassigned = value.is_null() && (column.is_assigned() || !T::NULLABLE);
        if is_unassigned { None } else { T::from_value(value.borrow()).ok() }
    }

    /// Whether the request or the hook sets a field to another value than the stored one; of a create, whether the field
    /// has a value.
    pub fn changed<T: Column>(&self, field: Field<R, T>) -> bool {
        let column = field.column();
        match &self.data.old {
            Some(old) => self.data.set[column] && !is_same(old.get(column), self.data.new.get(column)),
            None => !self.data.new.get(column).is_null(),
        }
    }

    /// Sets a field.
    ///
    /// The change is refused as `internal`, with the hook's name in the log, where a hook may not set the field: in
    /// `validate`; in operations other than [`Create`](Operation::Create) and [`Update`](Operation::Update); and for
    /// fields that the service sets (an assigned key, the times of the change, on an update any key).
    pub fn set<T: Column>(&mut self, field: Field<R, T>, value: impl IntoColumn<T>) {
        let (kind, index) = (self.data.kind, field.column());
        let column = &R::DESCRIPTOR.columns[index];
        let is_key_of_stored = column.role == Role::Id && kind == ChangeKind::Update;
        let misuse = if self.data.is_checked {
            Some(format!("sets `{}`, and a check sets no fields", column.name))
        } else if !kind.sets_values() {
            Some(format!("sets `{}` of a {:?}, which writes no fields", column.name, self.operation()))
        } else if column.is_assigned() || is_key_of_stored {
            Some(format!("sets `{}`, which the service sets", column.name))
        } else {
            None
        };
        if misuse.is_some() {
            self.data.misuse = self.data.misuse.take().or(misuse);
            return;
        }
        let mut value = value.into_column().into_value();
        record_values::truncate_time(&mut value);
        self.data.new.set(index, value);
        self.data.set[index] = true;
    }

    /// Adds an error at a field. `code` is for programs, such as `due_required`; `detail` continues the field's name, such
    /// as `must be set for an urgent ticket`.
    pub fn add_error<T>(&mut self, field: Field<R, T>, code: &'static str, detail: impl Into<String>) {
        let column = &R::DESCRIPTOR.columns[field.column()];
        self.data.errors.push(FieldError::field(column.json, code, detail));
    }

    /// Adds an error about the whole record.
    pub fn add_record_error(&mut self, code: &'static str, detail: impl Into<String>) {
        self.data.errors.push(FieldError::pointer("", code, detail));
    }
}

impl ChangesetData {
    /// The problem of a hook that sets a field that it may not set.
    pub(super) fn misuse_by(&mut self, hook: &str) -> Result<(), Problem> {
        let misuse = self.misuse.take();
        misuse.map_or(Ok(()), |misuse| Err(Problem::internal(format!("the hook {hook} {misuse}"))))
    }
}
