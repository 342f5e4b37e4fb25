//! [`Scope`]: active records, soft-deleted ones, or both.

use super::predicate::Predicate;
use crate::model::descriptor::Descriptor;

/// Scope of a query of a resource with soft delete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scope {
    /// Records that are not deleted.
    Active,
    /// All of them.
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
            (Self::Active, Some(soft_delete)) => Predicate::IsNull { column: soft_delete.deleted_at, null: true },
            (Self::Deleted, Some(soft_delete)) => Predicate::IsNull { column: soft_delete.deleted_at, null: false },
        }
    }
}
