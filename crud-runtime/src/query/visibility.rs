//! Visibility: the records of a resource that a request sees, and the fields.

use std::sync::Arc;

use serde_json::{Map, Value as Json};

use super::{Comparison, Predicate, Scope};
use crate::model::column::owned_value;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::principal::Principal;
use crate::model::problem::{Code, Problem};
use crate::model::scalar;
use crate::model::value::{Value, ValueRef};

/// The principal's subject as a value of the owner's column.
///
/// # Errors
/// A problem when the column cannot hold it, such as the subject `ada` for an integer column.
pub(crate) fn owner_id(column: &ColumnDescriptor, principal: &Principal) -> Result<Value, Problem> {
    scalar::parse(column, principal.subject())
        .map_err(|_| Problem::new(Code::PermissionDenied, "the token's subject is not a valid owner id"))
}

/// The records that a request sees.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RecordVisibility<'a> {
    pub(crate) scope: Scope,
    /// Restricts them to one owner's.
    pub(crate) owner: Option<&'a OwnerFilter>,
}

impl RecordVisibility<'_> {
    /// The records of every owner in this scope.
    pub(crate) const fn in_scope(scope: Scope) -> Self {
        Self { scope, owner: None }
    }
}

/// Restricts a request to the records of one owner: `owner_id = <subject>`.
#[derive(Debug, Clone)]
pub(crate) struct OwnerFilter {
    column: usize,
    /// The owner's id. Without one no record is visible: there is no principal, or its subject is not a value of
    /// the column.
    id: Option<Value>,
}

impl OwnerFilter {
    /// The filter for a principal; none where the resource has no owners, or its `except` admits the principal.
    pub(crate) fn new(resource: &'static Descriptor, principal: Option<&Principal>) -> Option<Self> {
        let owner = resource.owner?;
        if principal.is_some() && owner.except.is_some_and(|except| except.admits(principal)) {
            return None;
        }
        let id = principal.and_then(|principal| owner_id(&resource.columns[owner.column], principal).ok());
        Some(Self { column: owner.column, id })
    }

    /// The condition on the records.
    pub(crate) fn predicate(&self) -> Predicate {
        match &self.id {
            Some(id) => Predicate::Compare { column: self.column, operator: Comparison::Eq, value: id.clone() },
            None => Predicate::Or(Vec::new()),
        }
    }

    /// Whether a record is the owner's, by the value of its owner's column.
    pub(crate) fn owns(&self, resource: &Descriptor, value: ValueRef<'_>) -> bool {
        let value = owned_value(resource.columns[self.column].kind, value).ok();
        self.id.is_some() && self.id == value
    }

    /// Whether a record is the owner's, by its JSON. A field that HTTP never returns is in no log: the record's owner
    /// now decides then.
    pub(crate) fn owns_json(&self, resource: &Descriptor, record: &Map<String, Json>) -> bool {
        let column = &resource.columns[self.column];
        let value = match record.get(column.json) {
            None => return true,
            Some(Json::String(text)) => scalar::parse(column, text).ok(),
            Some(other) => scalar::parse(column, &other.to_string()).ok(),
        };
        self.id.is_some() && self.id == value
    }

    /// The owner's column.
    pub(crate) fn column(&self) -> usize {
        self.column
    }
}

/// The fields of a resource that a request sees.
#[derive(Debug, Clone, Default)]
pub(crate) struct FieldVisibility {
    /// By column, whether it is hidden; none when every field is visible.
    hidden: Option<Arc<[bool]>>,
}

impl FieldVisibility {
    /// The fields that a principal sees; without one, those that need no token.
    pub(crate) fn new(resource: &Descriptor, principal: Option<&Principal>) -> Self {
        if resource.columns.iter().all(|column| column.visible.is_none()) {
            return Self { hidden: None };
        }
        let hidden = |column: &ColumnDescriptor| column.visible.is_some_and(|access| !access.admits(principal));
        Self { hidden: Some(resource.columns.iter().map(hidden).collect()) }
    }

    /// Whether the column is visible.
    pub(crate) fn shows(&self, column: usize) -> bool {
        self.hidden.as_ref().is_none_or(|hidden| !hidden[column])
    }

    /// The visible columns that answers carry.
    pub(crate) fn returned<'a>(
        &'a self,
        resource: &'static Descriptor,
    ) -> impl Iterator<Item = (usize, &'static ColumnDescriptor)> + 'a {
        let columns = resource.columns.iter().enumerate();
        columns.filter(|(index, column)| column.is_returned() && self.shows(*index))
    }
}
