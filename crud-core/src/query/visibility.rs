//! Visibility: the records of a resource that a request sees, and the fields.

use std::sync::Arc;

use super::Scope;
use super::record_scope::RecordScope;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::principal::Principal;

/// The records that a request sees.
#[derive(Debug, Clone, Copy)]
pub struct RecordVisibility<'a> {
    pub scope: Scope,
    /// Restricts them to those that the principal reaches.
    pub records: Option<&'a RecordScope>,
}

/// The fields of a resource that a request sees.
#[derive(Debug, Clone, Default)]
pub struct FieldVisibility {
    /// By column, whether it is hidden; none when every field is visible.
    hidden: Option<Arc<[bool]>>,
}

impl FieldVisibility {
    /// The fields that a principal sees; without one, those that need no token.
    pub fn new(resource: &Descriptor, principal: Option<&Principal>) -> Self {
        if resource.columns.iter().all(|column| column.visible.is_none()) {
            return Self { hidden: None };
        }
        let hidden = |column: &ColumnDescriptor| column.visible.is_some_and(|access| !access.admits(principal));
        Self { hidden: Some(resource.columns.iter().map(hidden).collect()) }
    }

    /// Whether the column is visible.
    pub fn shows(&self, column: usize) -> bool {
        self.hidden.as_ref().is_none_or(|hidden| !hidden[column])
    }

    /// The visible columns that answers carry.
    pub fn returned<'a>(
        &'a self,
        resource: &'static Descriptor,
    ) -> impl Iterator<Item = (usize, &'static ColumnDescriptor)> + 'a {
        let columns = resource.columns.iter().enumerate();
        columns.filter(|(index, column)| column.is_returned() && self.shows(*index))
    }
}
