//! [`Scope`]: active records, soft-deleted ones, or both.

use super::predicate::{Comparison, Predicate};
use crate::model::descriptor::Descriptor;
use crate::model::value::{Kind, Value};

/// Scope of a query of a resource with soft delete.
///
/// ```
/// # use crud_runtime::prelude::*;
/// use crud_runtime::query::{Predicate, Scope};
///
/// #[derive(Debug, Clone, Resource)]
/// #[crud(soft_delete)]
/// struct Note { id: i64, text: String, deleted_at: Option<DateTime<Utc>> }
///
/// assert_eq!(Scope::All.predicate(Note::DESCRIPTOR), Predicate::All);
/// assert!(matches!(Scope::Active.predicate(Note::DESCRIPTOR), Predicate::IsNull { null: true, .. }));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scope {
    /// Records that are not deleted.
    Active,
    /// All records.
    All,
    /// Records that are deleted.
    Deleted,
}

impl Scope {
    /// The scope of a list whose request names none.
    pub fn default_of(resource: &Descriptor) -> Self {
        let all = resource.soft_delete.is_none_or(|soft_delete| soft_delete.include_deleted_by_default);
        if all { Self::All } else { Self::Active }
    }

    /// Whether the scope includes a record in this state.
    #[doc(hidden)]
    pub const fn includes(self, deleted: bool) -> bool {
        match self {
            Self::Active => !deleted,
            Self::All => true,
            Self::Deleted => deleted,
        }
    }

    /// The condition on the records; [`Predicate::All`] where the resource has no soft delete.
    pub fn predicate(self, resource: &Descriptor) -> Predicate {
        match (self, resource.soft_delete) {
            (Self::All, _) | (_, None) => Predicate::All,
            (Self::Active, Some(soft_delete)) => deletion(resource, soft_delete.deleted_at, false),
            (Self::Deleted, Some(soft_delete)) => deletion(resource, soft_delete.deleted_at, true),
        }
    }
}

/// The condition on soft delete's column for deleted records, or for active ones.
#[doc(hidden)]
pub fn deletion(resource: &Descriptor, column: usize, deleted: bool) -> Predicate {
    match resource.columns[column].kind {
        Kind::Bool => Predicate::Compare { column, operator: Comparison::Eq, value: Value::Bool(deleted) },
        _ => Predicate::IsNull { column, null: !deleted },
    }
}
