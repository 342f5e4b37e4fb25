//! [`Caller`]: who sends a request, and what of a resource they see.

use std::sync::Arc;

use crate::audit::Actor;
use crate::auth::Principal;
use crate::column::own;
use crate::descriptor::{ColumnDescriptor, Descriptor};
use crate::error::{Code, Problem};
use crate::query::{Comparison, Predicate};
use crate::scalar;
use crate::value::{Value, ValueRef};

/// Who sends a request for a resource's records.
#[derive(Debug)]
pub(crate) struct Caller {
    /// In whose name changes are made.
    pub(crate) actor: Option<Actor>,
    pub(crate) principal: Option<Principal>,
    /// Which fields they see.
    pub(crate) view: View,
    /// Whose records they see, if not everybody's.
    pub(crate) owner: Option<Ownership>,
}

impl Caller {
    /// Somebody, or without a principal a stranger.
    pub(crate) fn new(resource: &'static Descriptor, principal: Option<Principal>, actor: Option<Actor>) -> Self {
        let actor = principal.as_ref().map(Principal::actor).or(actor);
        let view = View::of(resource, principal.as_ref());
        let owner = Ownership::of(resource, principal.as_ref());
        Self { actor, principal, view, owner }
    }

    /// The condition on records that the caller sees.
    pub(crate) fn predicate(&self) -> Predicate {
        self.owner.as_ref().map_or(Predicate::All, Ownership::predicate)
    }

    /// What the owner's column is set to when the caller creates a record.
    ///
    /// # Errors
    /// `permission_denied` when the caller can own nothing.
    pub(crate) fn new_owner(&self, resource: &'static Descriptor) -> Result<Option<(usize, Value)>, Problem> {
        match (resource.owner, &self.principal) {
            (None, _) => Ok(None),
            (Some(owner), Some(principal)) => {
                let id = owner_id(&resource.columns[owner.column], principal)?;
                Ok(Some((owner.column, id)))
            }
            (Some(_), None) => Err(Problem::new(Code::PermissionDenied, "a record that is somebody's needs a caller")),
        }
    }
}

/// The caller as the owner's column has it.
fn owner_id(column: &ColumnDescriptor, principal: &Principal) -> Result<Value, Problem> {
    scalar::parse(column, principal.subject())
        .map_err(|_| Problem::new(Code::PermissionDenied, "your id is none that records here can belong to"))
}

/// Whose records somebody sees.
#[derive(Debug, Clone)]
pub(crate) struct Ownership {
    column: usize,
    /// Their id; nothing belongs to a stranger, or to whom the column has no place for.
    id: Option<Value>,
}

impl Ownership {
    fn of(resource: &'static Descriptor, principal: Option<&Principal>) -> Option<Self> {
        let owner = resource.owner?;
        if principal.is_some() && owner.except.is_some_and(|except| except.admits(principal)) {
            return None;
        }
        let id = principal.and_then(|principal| owner_id(&resource.columns[owner.column], principal).ok());
        Some(Self { column: owner.column, id })
    }

    /// The condition on their records.
    fn predicate(&self) -> Predicate {
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
