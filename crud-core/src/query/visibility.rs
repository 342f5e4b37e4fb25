//! Visibility: the records of a resource that a request sees, and the fields.

use std::sync::Arc;

use super::Scope;
use super::record_scope::RecordScope;
use crate::model::descriptor::{ColumnDescriptor, Descriptor, RequestContext};
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
    /// The URL at which the request reached the service, where a field depends on it.
    base: Option<Arc<str>>,
}

impl FieldVisibility {
    /// The fields that a principal sees; without one, those that need no token.
    pub fn new(resource: &Descriptor, principal: Option<&Principal>) -> Self {
        if resource.columns.iter().all(|column| column.visible.is_none()) {
            return Self::default();
        }
        let hidden = |column: &ColumnDescriptor| column.visible.is_some_and(|access| !access.admits(principal));
        Self { hidden: Some(resource.columns.iter().map(hidden).collect()), base: None }
    }

    /// The fields of a request that reached the service at a URL.
    #[must_use]
    pub fn reached_at(self, base: Option<Arc<str>>) -> Self {
        Self { base, ..self }
    }

    /// The URL at which the request reached the service, where a field depends on it.
    pub const fn base(&self) -> Option<&Arc<str>> {
        self.base.as_ref()
    }

    /// The part of the request that computed fields depend on.
    pub fn request(&self) -> RequestContext<'_> {
        RequestContext::new(self.base.as_deref().unwrap_or_default())
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
