//! Visibility: the records and fields of a resource that a request sees, and those of related resources.

use std::sync::Arc;

use super::record_scope::RecordScope;
use super::{InSubquery, Predicate, Scope};
use crate::model::access::Enforcement;
use crate::model::descriptor::{ColumnDescriptor, Descriptor, Junction, Operation, RequestContext};
use crate::model::key::Key;
use crate::model::principal::Principal;

/// The records that a request sees.
#[derive(Debug, Clone, Copy)]
pub struct RecordVisibility<'a> {
    pub scope: Scope,
    /// Restriction to the records that the principal sees.
    pub records: Option<&'a RecordScope>,
}

/// The fields of a resource that a request sees.
#[derive(Debug, Clone, Default)]
pub struct FieldVisibility {
    /// For each column, whether it is hidden; `None` when every field is visible.
    hidden: Option<Arc<[bool]>>,
    /// The place at which the request reached the service, where a field depends on it.
    reached: Option<Arc<ReachedAt>>,
}

/// The place at which a request reached the service.
#[derive(Debug, Clone, Default)]
pub struct ReachedAt {
    /// The URL, such as `https://api.example.com/shop`; the path alone where the host is unknown.
    pub base: String,
    /// The path that the service is mounted under, such as `/shop`.
    pub mount: String,
    /// The resources that are not served at their descriptor's prefix, with their prefixes.
    pub prefixes: Arc<[MovedPrefix]>,
}

/// The prefix of a resource that the program serves at another one than its own.
#[derive(Debug, Clone)]
pub struct MovedPrefix {
    pub resource: &'static Descriptor,
    pub prefix: String,
}

impl ReachedAt {
    /// The path of a resource, such as `/shop/products`.
    fn path(&self, resource: &Descriptor) -> String {
        let is_same =
            |moved: &&MovedPrefix| (moved.resource.name, moved.resource.module) == (resource.name, resource.module);
        let moved = self.prefixes.iter().find(is_same);
        format!("{}{}", self.mount, moved.map_or(resource.prefix, |moved| &moved.prefix))
    }
}

impl FieldVisibility {
    /// The fields that a principal sees; without one, those that need no token.
    pub fn new(resource: &Descriptor, principal: Option<&Principal>) -> Self {
        if resource.columns.iter().all(|column| column.visible.is_none()) {
            return Self::default();
        }
        let hidden = |column: &ColumnDescriptor| column.visible.is_some_and(|access| !access.admits(principal));
        Self { hidden: Some(resource.columns.iter().map(hidden).collect()), reached: None }
    }

    /// The fields of a request that reached the service at a place.
    #[must_use]
    pub fn reached_at(self, reached: Option<Arc<ReachedAt>>) -> Self {
        Self { reached, ..self }
    }

    /// The place at which the request reached the service, where a field depends on it.
    pub const fn reached(&self) -> Option<&Arc<ReachedAt>> {
        self.reached.as_ref()
    }

    /// The part of the request that computed fields depend on.
    pub fn request(&self) -> RequestContext<'_> {
        RequestContext::new(self.reached.as_deref().map_or("", |reached| &reached.base))
    }

    /// The path of a record of a resource, as `Location` has it.
    pub fn path_of(&self, resource: &Descriptor, key: &Key) -> String {
        let path = self.reached.as_deref().map_or_else(|| resource.prefix.to_owned(), |reached| reached.path(resource));
        format!("{path}/{}", key.segment())
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

/// A principal's visibility of resources that are related to another one.
#[derive(Debug, Clone, Copy, Default)]
pub struct Visibility<'a> {
    pub principal: Option<&'a Principal>,
    /// The access rules that apply; over HTTP, the service's rules.
    pub enforcement: Enforcement,
    /// The place at which the request reached the service, where a field depends on it.
    pub reached: Option<&'a Arc<ReachedAt>>,
}

impl Visibility<'_> {
    /// Whether the principal may list the records.
    pub fn lists(self, resource: &Descriptor) -> bool {
        self.enforcement.admits(&resource.access, Operation::List, self.principal)
    }

    /// Whether the principal may list the records of a junction, and the records that it links.
    pub fn lists_links(self, junction: Junction) -> bool {
        self.lists(junction.resource) && self.lists(junction.target)
    }

    /// The records that the principal sees and that are not deleted.
    pub fn records(self, resource: &'static Descriptor) -> Predicate {
        Scope::Active.predicate(resource).and(RecordScope::new(resource, self.principal).predicate())
    }

    /// The links of a junction that the principal sees, to records that it sees and that satisfy a predicate.
    pub fn links(self, junction: Junction, of_target: Predicate) -> Predicate {
        let Junction { resource, target, .. } = junction;
        let filter = self.records(target).and(of_target);
        let columns = junction.far_columns().iter().copied().zip(target.key().iter().copied()).collect();
        let linked = InSubquery { columns, resource: target, filter };
        self.records(resource).and(Predicate::InSubquery(Box::new(linked)))
    }

    /// The fields that the principal sees.
    pub fn fields(self, resource: &'static Descriptor) -> FieldVisibility {
        FieldVisibility::new(resource, self.principal).reached_at(self.reached.cloned())
    }
}
