//! What of a resource a request sees: whose records, in which state, and which fields.

use std::sync::Arc;

use super::{Comparison, Predicate, Scope};
use crate::model::column::own;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::principal::Principal;
use crate::model::problem::{Code, Problem};
use crate::model::scalar;
use crate::model::value::{Value, ValueRef};

/// The caller as the owner's column has it.
pub(crate) fn owner_id(column: &ColumnDescriptor, principal: &Principal) -> Result<Value, Problem> {
    scalar::parse(column, principal.subject())
        .map_err(|_| Problem::new(Code::PermissionDenied, "the token's subject is not a valid owner id"))
}

/// Whose records somebody sees.
#[derive(Debug, Clone)]
pub(crate) struct Ownership {
    column: usize,
    /// Their id; nothing belongs to a stranger, or to whom the column has no place for.
    id: Option<Value>,
}

impl Ownership {
    pub(crate) fn of(resource: &'static Descriptor, principal: Option<&Principal>) -> Option<Self> {
        let owner = resource.owner?;
        if principal.is_some() && owner.except.is_some_and(|except| except.admits(principal)) {
            return None;
        }
        let id = principal.and_then(|principal| owner_id(&resource.columns[owner.column], principal).ok());
        Some(Self { column: owner.column, id })
    }

    /// The condition on their records.
    pub(crate) fn predicate(&self) -> Predicate {
        match &self.id {
            Some(id) => Predicate::Compare { column: self.column, operator: Comparison::Eq, value: id.clone() },
            None => Predicate::Or(Vec::new()),
        }
    }

    /// Whether a record is theirs, by the value of its owner's column.
    pub(crate) fn has(&self, resource: &Descriptor, value: ValueRef<'_>) -> bool {
        let value = own(resource.columns[self.column].kind, value).ok();
        self.id.is_some() && self.id == value
    }

    /// The owner's column.
    pub(crate) fn column(&self) -> usize {
        self.column
    }
}

/// Which of a resource's fields somebody sees.
#[derive(Debug, Clone, Default)]
pub(crate) struct View {
    /// By index, where not everybody sees every field.
    hidden: Option<Arc<[bool]>>,
}

impl View {
    /// What somebody sees, or without a principal a stranger.
    pub(crate) fn of(resource: &Descriptor, principal: Option<&Principal>) -> Self {
        if resource.columns.iter().all(|column| column.visible.is_none()) {
            return Self { hidden: None };
        }
        let hidden = |column: &ColumnDescriptor| column.visible.is_some_and(|access| !access.admits(principal));
        Self { hidden: Some(resource.columns.iter().map(hidden).collect()) }
    }

    /// Whether they may know of the column with this index.
    pub(crate) fn sees(&self, column: usize) -> bool {
        self.hidden.as_ref().is_none_or(|hidden| !hidden[column])
    }

    /// The columns that answers carry to them.
    pub(crate) fn returned<'a>(
        &'a self,
        resource: &'static Descriptor,
    ) -> impl Iterator<Item = (usize, &'static ColumnDescriptor)> + 'a {
        let columns = resource.columns.iter().enumerate();
        columns.filter(|(index, column)| column.is_returned() && self.sees(*index))
    }
}

/// Which records are seen.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sight<'a> {
    pub(crate) scope: Scope,
    /// Of whom, if not of everybody.
    pub(crate) owner: Option<&'a Ownership>,
}

impl Sight<'_> {
    /// Everybody's records in this scope.
    pub(crate) const fn of(scope: Scope) -> Self {
        Self { scope, owner: None }
    }
}
