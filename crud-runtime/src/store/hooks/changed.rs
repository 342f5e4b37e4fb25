//! [`Changed`]: a change that is written.

use std::borrow::Cow;
use std::fmt;

use super::changeset::ChangeKind;
use crate::model::column::{Column, IntoColumn};
use crate::model::descriptor::{Descriptor, Operation};
use crate::model::problem::Problem;
use crate::model::resource::Resource;
use crate::model::value::{Value, is_same};
use crate::query::Field;
use crate::store::owned_record::OwnedRecord;

/// A change that is written, whatever its resource.
#[derive(Debug, Clone)]
pub struct ChangedData {
    pub(in crate::store) kind: ChangeKind,
    pub(in crate::store) old: Option<OwnedRecord>,
    /// The record as it is now, or as it was when it was removed.
    pub(in crate::store) new: OwnedRecord,
}

impl ChangedData {
    /// The tenant of the record, where records have one.
    pub(in crate::store) fn tenant(&self, resource: &Descriptor) -> Option<&Value> {
        self.new.tenant(resource)
    }
}

/// A change of a record of `R` that is written: the argument of an `after` and of a `committed` hook.
///
/// ```
/// # use crud_runtime::prelude::*;
/// #[derive(Debug, Clone, Resource)]
/// #[crud(hooks(after(note)))]
/// struct Ticket { id: i64, title: String, is_done: bool }
///
/// #[derive(Debug, Clone, Resource)]
/// struct Entry { id: i64, text: String }
///
/// async fn note(change: &Changed<'_, Ticket>, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
///     if change.became(Ticket::FIELDS.is_done, true) {
///         let text = format!("{} is done", change.record().title);
///         ctx.as_program().store::<Entry>().create(NewEntry { text }).await?;
///     }
///     Ok(())
/// }
/// ```
pub struct Changed<'d, R> {
    data: Cow<'d, ChangedData>,
    old: Option<R>,
    new: R,
}

impl<R: Resource> fmt::Debug for Changed<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Changed")
            .field("resource", &R::DESCRIPTOR.name)
            .field("operation", &self.operation())
            .finish_non_exhaustive()
    }
}

impl<'d, R: Resource> Changed<'d, R> {
    /// The typed change; called by expansions.
    #[doc(hidden)]
    pub fn borrowed(data: &'d ChangedData) -> Result<Self, Problem> {
        Self::of(Cow::Borrowed(data))
    }

    /// The typed change; called by expansions.
    #[doc(hidden)]
    pub fn owned(data: ChangedData) -> Result<Self, Problem> {
        Self::of(Cow::Owned(data))
    }

    fn of(data: Cow<'d, ChangedData>) -> Result<Self, Problem> {
        let read =
            |record: &OwnedRecord| R::from_row(record).map_err(|error| Problem::from_adapter(R::DESCRIPTOR, error));
        let (old, new) = (data.old.as_ref().map(read).transpose()?, read(&data.new)?);
        Ok(Self { data, old, new })
    }

    /// The operation: `Create`, `Update`, `Delete`, `Restore` or `Purge`, also of batches and of the program's own changes.
    /// With soft delete, `Delete` sets the time of the deletion, and `Purge` removes the record for good.
    pub fn operation(&self) -> Operation {
        self.data.kind.operation(R::DESCRIPTOR)
    }

    /// The record as it was; `None` for a create.
    pub fn previous(&self) -> Option<&R> {
        self.old.as_ref()
    }

    /// The record as this change has left it; a removed one as it was. If a hook changes the record by a store, that is
    /// another change, which calls hooks too. In `committed`, the record has what `after` has changed by SQL.
    pub fn record(&self) -> &R {
        &self.new
    }

    /// Whether a field has another value than before, as every field of a new record has.
    pub fn changed<T>(&self, field: Field<R, T>) -> bool {
        let column = field.column();
        self.data.old.as_ref().is_none_or(|old| !is_same(old.get(column), self.data.new.get(column)))
    }

    /// Whether a field has this value now, and had another one before.
    pub fn became<T: Column>(&self, field: Field<R, T>, value: impl IntoColumn<T>) -> bool {
        self.changed(field) && is_same(self.data.new.get(field.column()), &value.into_column().into_value())
    }
}
